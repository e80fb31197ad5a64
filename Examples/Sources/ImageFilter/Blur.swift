import HeadwayProgress
import Synchronization

/// Blurs a picture on several threads, which report each row to one node: a child of the current one.
///
/// It knows nothing of who watches. It waits while the node is paused, and stops before the next row once it is cancelled.
///
/// - Parameters:
///   - image: The picture; beyond its edges its outermost points go on.
///   - kernel: How far and how strongly to blur.
///   - threads: The number of threads, at least 1.
/// - Returns: The blurred picture.
/// - Throws: `CancellationError` when the node is cancelled before all rows are done.
func blur(
  _ image: Image, _ kernel: Kernel, threads: Int
) throws(CancellationError) -> Image {
  let progress = ProgressNode.joinCurrent("Blurring", total: image.height)
  let rows = Rows(count: image.height)
  onThreads(threads) {
    var sums = [Float](repeating: 0, count: image.rowLength)
    while let row = rows.next() {
      // Without a result the row stays empty, which is found below.
      guard (try? progress.blockingCheckpoint()) != nil else { return }
      rows.finish(row, blurredRow(row, of: image, kernel, &sums))
      progress.complete(1)
    }
  }
  guard let samples = rows.all() else { throw CancellationError() }
  return Image(
    width: image.width, height: image.height, channels: image.channels, maximum: image.maximum,
    samples: samples)
}

/// Blurs one row.
///
/// - Parameters:
///   - number: The row.
///   - image: The picture.
///   - kernel: How far and how strongly to blur.
///   - sums: As many numbers as a row has samples, to work with.
/// - Returns: The samples of the row.
private func blurredRow(
  _ number: Int, of image: Image, _ kernel: Kernel, _ sums: inout [Float]
) -> [UInt16] {
  let (radius, channels, length) = (kernel.radius, image.channels, image.rowLength)
  for place in sums.indices { sums[place] = 0 }
  // Down first: the rows above and below, one after the other in memory.
  for (place, weight) in kernel.weights.enumerated() {
    let row = image.row(min(max(number + place - radius, 0), image.height - 1))
    for (place, sample) in image.samples[row].enumerated() {
      sums[place] += weight * Float(sample)
    }
  }
  // Then across.
  return (0..<length).map { place in
    let (point, channel) = place.quotientAndRemainder(dividingBy: channels)
    var sum: Float = 0.5
    for (place, weight) in kernel.weights.enumerated() {
      let neighbour = min(max(point + place - radius, 0), image.width - 1)
      sum += weight * sums[neighbour * channels + channel]
    }
    return min(UInt16(sum), image.maximum)
  }
}

/// The rows of a picture that is being made, for threads that take one after another.
private final class Rows: Sendable {
  /// The row that the next thread takes.
  private let upcoming = Atomic<Int>(0)
  /// The rows that are done.
  private let done: Mutex<[[UInt16]?]>
  /// The number of rows.
  private let count: Int

  /// Begins with no row.
  init(count: Int) {
    self.count = count
    done = Mutex(Array(repeating: nil, count: count))
  }

  /// The next row that nobody has taken, nil when there is none.
  func next() -> Int? {
    let row = upcoming.wrappingAdd(1, ordering: .relaxed).oldValue
    return row < count ? row : nil
  }

  /// Keeps a row that is done.
  func finish(_ row: Int, _ samples: [UInt16]) { done.withLock { $0[row] = samples } }

  /// The samples of all rows, nil when one is missing.
  func all() -> [UInt16]? {
    let rows = done.withLock { $0 }
    let finished = rows.compactMap { $0 }
    return finished.count == count ? Array(finished.joined()) : nil
  }
}
