import Foundation
import HeadwayProgress

/// The work: an image to blur, as the arguments say.
struct Filter: Sendable {
  /// The input file.
  let input: String
  /// The output file.
  let output: String
  /// The weights of neighbours.
  let kernel: Kernel
  /// The number of threads.
  let threads: Int

  /// Reads, blurs and writes the image, and reports the progress to the current node.
  ///
  /// - Returns: The size of the picture.
  /// - Throws: `ImageError` if the image cannot be read, `CancellationError` if the node is cancelled, and `FileError`
  ///   for a file. Then the output file is unchanged.
  func run() throws -> (width: Int, height: Int) {
    let progress = ProgressNode.joinCurrent("Filtering", total: 20)
    let image = try progress.withCurrent(units: 2) {
      try PixmapReader.image(from: Files.read(input))
    }
    let blurred = try progress.withCurrent(units: 16) { try blur(image, kernel, threads: threads) }
    let bytes = try progress.withCurrent(units: 1) { try blurred.pixmap() }
    try progress.blockingCheckpoint()
    try progress.withCurrent(units: 1) { try Files.write(bytes, to: output) }
    return (image.width, image.height)
  }
}

/// The error of a file that cannot be used.
struct FileError: Error, CustomStringConvertible {
  /// The message.
  let description: String

  /// Creates a message from an error of the file system.
  fileprivate init(_ path: String, _ verb: String, _ error: any Error) {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
    let reason = cause.map { unsafe String(cString: strerror($0.code.rawValue)) } ?? "\(error)"
    description = "\(path) cannot be \(verb): \(reason)"
  }
}

/// Files as arrays of bytes.
enum Files {
  /// Reads a file.
  ///
  /// It takes no units of the current node, because its progress is unknown.
  ///
  /// - Parameter path: The path.
  /// - Returns: Its contents.
  /// - Throws: `FileError` if it cannot be read.
  static func read(_ path: String) throws(FileError) -> [UInt8] {
    let progress = ProgressNode.joinCurrent("Loading", units: 0)
    defer { progress.finish() }
    do { return Array(try Data(contentsOf: URL(filePath: path))) } catch {
      throw FileError(path, "read", error)
    }
  }

  /// Writes a temporary file and renames it, so that there is never an incomplete file.
  ///
  /// Its progress is unknown: the units of its scope are completed at the end.
  ///
  /// - Parameters:
  ///   - bytes: Its contents.
  ///   - path: The path.
  /// - Throws: `FileError` if it cannot be written.
  static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let progress = ProgressNode.joinCurrent("Saving")
    defer { progress.finish() }
    do { try Data(bytes).write(to: URL(filePath: path), options: .atomic) } catch {
      throw FileError(path, "written", error)
    }
  }
}
