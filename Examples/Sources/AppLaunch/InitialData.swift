import HeadwayProgress
import SeededRandom

/// The data of the first screen, which end with a checksum.
enum InitialData {
  /// The number of bytes of the checksum.
  private static let sumSize = 8
  /// The maximum number of bytes between two checkpoints.
  private static let stretch = 1_000_000

  /// Creates data, always the same.
  ///
  /// - Parameter size: The number of bytes.
  /// - Returns: The data.
  static func make(size: Int) -> [UInt8] {
    var generator = SeededRandom(seed: 5)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size)
    while bytes.count < size - sumSize {
      append(generator.next(), to: &bytes)
    }
    bytes.removeLast(bytes.count - max(size - sumSize, 0))
    append(sum(bytes[...], after: start), to: &bytes)
    return bytes
  }

  /// Verifies the checksum of received data, and reports the progress to the current node.
  ///
  /// - Parameter bytes: The data.
  /// - Throws: `Damaged` if the checksum differs, `CancellationError` if the node is cancelled.
  static func check(_ bytes: [UInt8]) throws {
    let progress = ProgressNode.joinCurrent("checking", total: bytes.count)
    defer { progress.finish() }
    progress.kind = .file(nil)
    guard bytes.count >= sumSize else { throw Damaged() }
    var rest = bytes.dropLast(sumSize)
    var found = start
    while !rest.isEmpty {
      try progress.blockingCheckpoint()
      let piece = rest.prefix(stretch)
      found = sum(piece, after: found)
      rest = rest.dropFirst(stretch)
      progress.complete(piece.count)
    }
    var sum: [UInt8] = []
    append(found, to: &sum)
    guard bytes.suffix(sumSize) == sum[...] else { throw Damaged() }
  }

  /// The error of data with a wrong checksum.
  struct Damaged: Error, CustomStringConvertible {
    /// The error as text.
    let description = "the checksum of the data is wrong"
  }

  /// The checksum of no bytes.
  private static let start: UInt64 = 0xCBF2_9CE4_8422_2325

  /// The checksum of further bytes: FNV-1a with 64 bits.
  private static func sum(_ bytes: ArraySlice<UInt8>, after start: UInt64) -> UInt64 {
    var sum = start
    for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return sum
  }

  /// Appends a number, least significant byte first.
  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
  }
}
