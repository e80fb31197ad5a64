internal import CXXHash
internal import HeadwayLibc
package import HeadwaySystem
internal import HeadwayText

/// A 128-bit digest of texts and files: XXH3, which is as fast as memory.
///
/// It does not protect against collisions that are made on purpose.
@safe package struct ContentDigest: ~Copyable {
  private let state: OpaquePointer

  /// The number of bytes of one read.
  private static let readSize = 1 << 18

  /// Creates a digest without input.
  package init() {
    guard let state = unsafe XXH3_createState() else {
      preconditionFailure("no memory for a digest")
    }
    unsafe self.state = state
    unsafe XXH3_128bits_reset(state)
  }

  deinit { unsafe XXH3_freeState(state) }

  /// Adds a text and its length, so that different lists of texts have different digests.
  package mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { unsafe add(UnsafeRawBufferPointer($0)) }
  }

  /// Adds texts and their number.
  package mutating func add(_ texts: [String]) {
    add("\(texts.count)")
    for text in texts { add(text) }
  }

  private mutating func add(bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe add($0) }
  }

  private mutating func add(_ bytes: UnsafeRawBufferPointer) {
    unsafe withUnsafeBytes(of: UInt64(bytes.count)) { size in
      _ = unsafe XXH3_128bits_update(state, size.baseAddress, size.count)
    }
    _ = unsafe XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
  }

  /// Adds the name and the contents of a file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - interruption: Ends the reading when it is set.
  /// - Returns: Whether the file was read to its end.
  package mutating func add(file path: PathBytes, until interruption: Interruption) -> Bool {
    add(bytes: path)
    // Does not block, in case the file was replaced by a pipe.
    let file = unsafe FileSystem.withPath(path) {
      unsafe open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    guard file >= 0 else { return false }
    defer { close(file) }
    guard FileStatus(descriptor: file)?.kind == .file else { return false }
    return unsafe withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 64) { room in
      var size: UInt64 = 0
      while !interruption.isDue() {
        let count = unsafe read(file, room.baseAddress, room.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else {
          add("\(size)")
          return count == 0
        }
        size += UInt64(count)
        _ = unsafe XXH3_128bits_update(state, room.baseAddress, count)
      }
      return false
    }
  }

  /// The digest of all input under a key, which nobody without the key can compare with that of another input; nil for none.
  package func text(under key: [UInt8]?) -> String {
    guard let key else { return text }
    return KeyedDigest.text(of: Array(text.utf8), key: key)
  }

  /// The digest of all input, in 32 hexadecimal digits.
  package var text: String {
    let value = unsafe XXH3_128bits_digest(state)
    return hexadecimal(value.high64, value.low64)
  }
}
