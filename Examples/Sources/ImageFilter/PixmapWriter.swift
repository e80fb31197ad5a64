import HeadwayProgress

extension Image {
  /// The picture as a file: P5 for grey, P6 for color.
  ///
  /// Its rows are reported to the current node.
  ///
  /// - Returns: The contents of the file.
  /// - Throws: `CancellationError` when the node is cancelled.
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
