import HeadwayProgress

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
  ///   what the file system says. In all cases the output file is as it was before.
  func run() throws -> (width: Int, height: Int) {
    let progress = ProgressNode.joinCurrent("Filtering", total: 20)
    let image = try progress.withCurrent(units: 2) {
      try PixmapReader.image(from: Array(Data(contentsOf: URL(filePath: input))))
    }
    let blurred = try progress.withCurrent(units: 16) { try blur(image, kernel, threads: threads) }
    let bytes = try progress.withCurrent(units: 1) { try blurred.pixmap() }
    try progress.blockingCheckpoint()
    // Written beside it and then renamed, so that nobody ever finds a part of it.
    try Data(bytes).write(to: URL(filePath: output), options: .atomic)
    return (image.width, image.height)
  }
}
