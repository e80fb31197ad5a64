import HeadwayProgress
import Synchronization

/// Blurs an image on several threads, which report each row to one node: a child of the current node.
///
/// It waits while the node is paused, and stops before the next row when it is cancelled.
///
/// - Parameters:
///   - image: The image; its outermost pixels are repeated beyond its edges.
///   - kernel: The weights of neighbours.
///   - threads: The number of threads, at least 1.
/// - Returns: The blurred picture.
/// - Throws: `CancellationError` if the node is cancelled before all rows are done.
func blur(
  _ image: Image, _ kernel: Kernel, threads: Int
) throws(CancellationError) -> Image {
  let progress = ProgressNode.joinCurrent("Blurring", total: image.height)
  let rows = Rows(count: image.height, length: image.rowLength)
  onThreads(threads) {
    var sums = [Float](repeating: 0, count: image.rowLength)
    while let row = rows.next() {
      // Without a result the row stays empty, which is checked below.
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
///   - image: The image.
///   - kernel: The weights of neighbours.
///   - sums: Working memory with as many numbers as a row has samples.
/// - Returns: The samples of the row.
private func blurredRow(
  _ number: Int, of image: Image, _ kernel: Kernel, _ sums: inout [Float]
) -> [UInt16] {
  let (radius, channels, length) = (kernel.radius, image.channels, image.rowLength)
  for place in sums.indices { sums[place] = 0 }
  // Vertically first: the rows above and below are consecutive in memory.
  for (place, weight) in kernel.weights.enumerated() {
    let row = image.row(min(max(number + place - radius, 0), image.height - 1))
    for (place, sample) in image.samples[row].enumerated() {
      sums[place] += weight * Float(sample)
    }
  }
  // Then horizontally.
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

/// The rows of an image under construction, for threads that take one after another.
private final class Rows: Sendable {
  /// The row that the next thread takes.
  private let upcoming = Atomic<Int>(0)
  /// The samples of all rows, and the number of finished rows.
  private let done: Mutex<(samples: [UInt16], rows: Int)>
  /// The number of rows.
  private let count: Int
  /// The samples of a row.
  private let length: Int

  /// Creates an image without rows.
  init(count: Int, length: Int) {
    self.count = count
    self.length = length
    done = Mutex(([UInt16](repeating: 0, count: count * length), 0))
  }

  /// The next row that no thread has taken, nil if there is none.
  func next() -> Int? {
    let row = upcoming.wrappingAdd(1, ordering: .relaxed).oldValue
    return row < count ? row : nil
  }

  /// Stores a finished row.
  func finish(_ row: Int, _ samples: [UInt16]) {
    let place = row * length..<(row + 1) * length
    done.withLock { done in
      done.samples.replaceSubrange(place, with: samples)
      done.rows += 1
    }
  }

  /// The samples of all rows, nil if one is missing.
  func all() -> [UInt16]? { done.withLock { $0.rows == count ? $0.samples : nil } }
}
