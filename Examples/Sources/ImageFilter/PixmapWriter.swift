import HeadwayProgress

extension Image {
  /// The contents of the image as a file: P5 for gray, P6 for color.
  ///
  /// The progress is reported to the current node.
  ///
  /// - Returns: The contents of the file.
  /// - Throws: `CancellationError` if the node is cancelled.
  func pixmap() throws(CancellationError) -> [UInt8] {
    let progress = ProgressNode.joinCurrent("Writing", total: height)
    let isWide = maximum > UInt8.max
    var bytes = Array("\(channels == 1 ? "P5" : "P6")\n\(width) \(height)\n\(maximum)\n".utf8)
    bytes.reserveCapacity(bytes.count + samples.count * (isWide ? 2 : 1))
    for number in 0..<height {
      try progress.blockingCheckpoint()
      for sample in samples[row(number)] {
        if isWide { bytes.append(UInt8(sample >> 8)) }
        bytes.append(UInt8(truncatingIfNeeded: sample))
      }
      progress.complete(1)
    }
    return bytes
  }
}
