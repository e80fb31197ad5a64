import Foundation

/// A job whose count is known at every time.
struct Job {
  /// The name in the table.
  let title: String
  /// The duration, in seconds.
  let length: Double
  /// The count at a time.
  let count: (Double) -> Double

  /// Creates a job.
  init(_ title: String, length: Double = 300, count: @escaping (Double) -> Double) {
    self.title = title
    self.length = length
    self.count = count
  }

  /// A job whose count grows ten times a second.
  ///
  /// - Parameters:
  ///   - title: The name in the table.
  ///   - length: The duration, in seconds.
  ///   - growth: The growth at a fraction of the time; a negative one counts as zero.
  /// - Returns: The job.
  static func walk(_ title: String, length: Double, _ growth: (Double) -> Double) -> Job {
    let steps = Int(length * 10)
    let counts = sums((0..<steps).map { max(0, growth(Double($0) / Double(steps))) })
    return Job(title, length: length) { counts[min(steps, Int($0 * 10 + 1e-6))] }
  }

  /// A job of items with the given relative durations.
  static func items(_ title: String, length: Double, _ durations: [Double]) -> Job {
    let sums = sums(durations)
    let ends = sums.map { $0 * length / sums[durations.count] }
    return Job(title, length: length) { time in
      Double(ends.dropFirst().prefix { $0 <= time + 1e-9 }.count)
    }
  }

  /// Zero and the partial sums of a list.
  static func sums(_ numbers: [Double]) -> [Double] {
    numbers.reduce(into: [0]) { sums, number in sums.append(sums[sums.count - 1] + number) }
  }
}

// MARK: - The six jobs

extension Job {
  /// The six jobs of 300 seconds for which there are goals.
  static func six() -> [Job] {
    var random = MersenneTwister(seed: 7)
    let bursts = sums((0..<100).map { _ in random.uniform(0.2, 1.8) })
    let network = sums((0..<3000).map { _ in max(0, random.normal(1, 1.5)) })
    return [
      Job("steady") { 1000 * $0 },
      Job("bursts every 3 s") { 300_000 * bursts[min(100, Int($0 / 3))] / bursts[100] },
      Job("half speed from the middle") { time in
        300_000 * (time <= 100 ? time / 200 : 0.5 + (time - 100) / 400)
      },
      Job("20 s stall at 140 s") { time in
        300_000 * (time < 140 ? time : max(140, time - 20)) / 280
      },
      Job("20 items of 15 s") { Double(Int($0 / 15)) },
      Job("noisy network") { 300_000 * network[min(3000, Int($0 * 10))] / network[3000] },
    ]
  }
}

// MARK: - Further jobs

extension Job {
  /// Further kinds of jobs, of one, five and thirty minutes, without goals.
  static func further(seed: UInt32) -> [Job] {
    var random = MersenneTwister(seed: seed)
    return [60.0, 300, 1800].flatMap { length in
      growing(length, &random) + inPieces(length, &random)
    }
  }

  /// Jobs whose count grows ten times a second.
  private static func growing(_ length: Double, _ random: inout MersenneTwister) -> [Job] {
    var level = 0.0
    return [
      .walk("noise", length: length) { _ in random.normal(1, 1.5) },
      .walk("a speed that wanders", length: length) { _ in
        level = 0.998 * level + random.normal(0, 0.03)
        return exp(level)
      },
      .walk("three times as fast", length: length) { random.normal(1, 0.3) * ($0 < 0.4 ? 1 : 3) },
      .walk("a quarter as fast", length: length) { random.normal(1, 0.5) * ($0 < 0.3 ? 1 : 0.25) },
      .walk("ever faster", length: length) { random.normal(1, 0.3) * (1 + 2 * $0) },
      .walk("ever slower", length: length) { random.normal(1, 0.3) * (3 - 2 * $0) },
      .walk("ten stalls", length: length) { part in
        random.normal(1, 0.3) * ((part * 10).truncatingRemainder(dividingBy: 1) > 0.8 ? 0 : 1)
      },
      .walk("one stall", length: length) { part in
        random.normal(1, 0.3) * (part > 0.4 && part < 0.5 ? 0 : 1)
      },
    ]
  }

  /// Jobs that are counted in items.
  private static func inPieces(_ length: Double, _ random: inout MersenneTwister) -> [Job] {
    let number = Int(length / 3)
    let bursts = sums((0..<number).map { _ in random.exponential() })
    return [
      .items("40 memoryless items", length: length, (0..<40).map { _ in random.exponential() }),
      .items(
        "60 items, some long", length: length, (0..<60).map { _ in exp(random.normal(0, 1)) }),
      .items("20 similar items", length: length, (0..<20).map { _ in random.uniform(0.5, 1.5) }),
      Job("memoryless bursts", length: length) { bursts[min(number, Int($0 / 3 + 1e-9))] },
    ]
  }
}
