import Console
import Foundation
import HeadwayProgress
import SeededRandom

/// Blurs an image in a temporary folder, checks the result, and then cancels a second attempt halfway.
enum Demonstration {
  /// Runs the demonstration.
  ///
  /// - Throws: `Failure` if something was wrong, and the errors of the filter.
  static func run() async throws {
    let picture = picture(width: 4_500, height: 3_000)
    let folder = FileManager.default.temporaryDirectory.appending(path: "ImageFilter-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let input = folder.appending(path: "picture.ppm").path
    let output = folder.appending(path: "blurred.ppm").path
    try Files.write(picture.pixmap(), to: input)
    let filter = Filter(
      input: input, output: output, kernel: Kernel(.gaussian, radius: 10), threads: 4)

    print(try await filter.runInSight())
    let blurred = try PixmapReader.image(from: Files.read(output))
    let checked = try check(blurred, against: picture, filter.kernel)
    print("\(checked) samples are correct")

    try FileManager.default.removeItem(atPath: output)
    print(try await stopInTheMiddle(filter))
    guard try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["picture.ppm"] else {
      throw Failure(description: "a file was written although the work was cancelled")
    }
  }

  /// The error of a wrong result.
  struct Failure: Error, CustomStringConvertible {
    /// The message.
    let description: String
  }

  /// An image of gradients and noise, always the same.
  private static func picture(width: Int, height: Int) -> Image {
    var generator = SeededRandom(seed: 7)
    var samples: [UInt16] = []
    samples.reserveCapacity(3 * width * height)
    for row in 0..<height {
      for column in 0..<width {
        let speckle = generator.next() & 63
        samples.append(UInt16(column * 191 / width) + UInt16(speckle))
        samples.append(UInt16(row * 191 / height) + UInt16(speckle))
        samples.append((row / 50 + column / 50) % 2 == 0 ? 255 : 0)
      }
    }
    return Image(width: width, height: height, channels: 3, maximum: 255, samples: samples)
  }

  /// Blurs some pixels by the definition, with all neighbours at once, and compares.
  ///
  /// - Parameters:
  ///   - blurred: The result.
  ///   - image: The original image.
  ///   - kernel: The weights of neighbours.
  /// - Returns: The number of samples that were compared.
  /// - Throws: `Failure` if a difference is larger than rounding errors.
  private static func check(
    _ blurred: Image, against image: Image, _ kernel: Kernel
  ) throws(Failure) -> Int {
    guard
      (blurred.width, blurred.height, blurred.channels, blurred.maximum)
        == (image.width, image.height, image.channels, image.maximum)
    else { throw Failure(description: "the result has another size or format") }
    var generator = SeededRandom(seed: 8)
    let edges = [0, image.width * image.height - 1]
    let points = edges + (0..<500).map { _ in Int.random(in: 0...edges[1], using: &generator) }
    for point in points {
      let (row, column) = point.quotientAndRemainder(dividingBy: image.width)
      for channel in 0..<image.channels {
        let value = value(of: image, row, column, channel, kernel)
        let found = blurred.samples[point * image.channels + channel]
        guard abs(Double(found) - value) <= 0.51 else {
          throw Failure(description: "row \(row), column \(column) is \(found), not \(value)")
        }
      }
    }
    return points.count * image.channels
  }

  /// A sample of the blurred image, by the definition.
  private static func value(
    of image: Image, _ row: Int, _ column: Int, _ channel: Int, _ kernel: Kernel
  ) -> Double {
    var sum = 0.0
    for (down, weight) in kernel.weights.enumerated() {
      let row = min(max(row + down - kernel.radius, 0), image.height - 1)
      for (across, other) in kernel.weights.enumerated() {
        let column = min(max(column + across - kernel.radius, 0), image.width - 1)
        let sample = image.samples[(row * image.width + column) * image.channels + channel]
        sum += Double(weight) * Double(other) * Double(sample)
      }
    }
    return sum
  }

  /// Cancels the work when a third of the rows are done.
  ///
  /// - Parameter filter: The work.
  /// - Returns: The result as text.
  /// - Throws: `Failure` if the work never stopped, and the errors of the filter.
  private static func stopInTheMiddle(_ filter: Filter) async throws -> String {
    // A busy machine may react too late; the next attempt has more rows.
    for radius in [10, 20, 40, 80, 160] {
      let filter = Filter(
        input: filter.input, output: filter.output, kernel: Kernel(.box, radius: radius),
        threads: filter.threads)
      if let words = try await stopInTheMiddle(of: filter) { return words }
      try FileManager.default.removeItem(atPath: filter.output)
    }
    throw Failure(description: "the work did not stop when it was cancelled")
  }

  /// Cancels the work when a third of the rows are done.
  ///
  /// - Parameter filter: The work.
  /// - Returns: The result as text; nil if the work was done before.
  /// - Throws: The errors of the filter, and `Stop` after a signal.
  private static func stopInTheMiddle(of filter: Filter) async throws -> String? {
    let root = ProgressNode(total: 1)
    let interruption = Interruption(cancels: root)
    defer { interruption.stop() }
    let canceller = Task { [feed = root.feed(every: .milliseconds(1)), weak root] in
      for await snapshot in feed {
        let step = snapshot.deepest
        guard step.label == "Blurring", let total = step.total, step.completed >= total / 3 else {
          continue
        }
        let moment = ContinuousClock.now
        root?.cancel()
        return (step.counts, moment) as (counts: String, moment: ContinuousClock.Instant)?
      }
      return nil
    }
    let (result, end) = await filter.runOnThread(below: root)
    root.finish()
    let stop = await canceller.value
    do {
      _ = try result.get()
      return nil
    } catch is CancellationError {
      if let event = interruption.event { throw Stop(event, end: end) }
      guard let stop else { throw CancellationError() }
      let taken = milliseconds(end - stop.moment)
      return "cancelled at \(stop.counts) rows, stopped \(taken) later, and wrote nothing"
    }
  }
}
