import Foundation
import HeadwayProgress

/// A picture to be blurred: what the command line asks for.
struct Filter: Sendable {
  /// The file that is read.
  let input: String
  /// The file that is written.
  let output: String
  /// How far and how strongly to blur.
  let kernel: Kernel
  /// The number of threads.
  let threads: Int

  /// Reads, blurs and writes, and reports all of it to the current node.
  ///
  /// - Returns: The size of the picture.
  /// - Throws: `ImageError` for a picture that cannot be read, `CancellationError` when the node is cancelled, and
  ///   `FileError` for a file. In all cases the output file is as it was before.
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

/// Why a file cannot be used.
struct FileError: Error, CustomStringConvertible {
  /// What happened to which file.
  let description: String

  /// Describes what the file system says.
  fileprivate init(_ path: String, _ verb: String, _ error: any Error) {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? POSIXError
    let reason = cause.map { unsafe String(cString: strerror($0.code.rawValue)) } ?? "\(error)"
    description = "\(path) cannot be \(verb): \(reason)"
  }
}

/// Whole files as bytes.
enum Files {
  /// Reads a file.
  ///
  /// - Parameter path: Where it is.
  /// - Returns: Its contents.
  /// - Throws: `FileError` when it cannot be read.
  static func read(_ path: String) throws(FileError) -> [UInt8] {
    do { return Array(try Data(contentsOf: URL(filePath: path))) } catch {
      throw FileError(path, "read", error)
    }
  }

  /// Writes a file beside its place and then renames it, so that nobody ever finds a part of it.
  ///
  /// It joins the current node without units, because nobody can know how far the system is with it.
  ///
  /// - Parameters:
  ///   - bytes: Its contents.
  ///   - path: Where it will be.
  /// - Throws: `FileError` when it cannot be written.
  static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
    let progress = ProgressNode.joinCurrent("Saving")
    defer { progress.finish() }
    do { try Data(bytes).write(to: URL(filePath: path), options: .atomic) } catch {
      throw FileError(path, "written", error)
    }
  }
}
