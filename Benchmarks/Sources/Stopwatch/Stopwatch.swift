import CProbe

/// How those measure that put the progress tree beside its peers, so that all of them measure alike.
public enum Stopwatch {
  /// How often a short thing is measured in one process.
  public static let runs = 7

  /// The least processor time of several runs.
  ///
  /// - Parameters:
  ///   - count: The number of operations in a run.
  ///   - runs: How often to measure.
  ///   - value: What a run is given, made anew for each; not measured, and neither is letting go of it.
  ///   - body: The operations.
  /// - Returns: The nanoseconds of processor time for an operation, of all threads together.
  public static func least<Value>(
    for count: Int, runs: Int = runs, with value: @autoclosure () -> Value, _ body: (Value) -> Void
  ) -> Double {
    (0..<runs).map { _ in
      let value = value()
      return withExtendedLifetime(value) {
        let start = probe_cpu()
        body(value)
        return per(probe_cpu() - start, count)
      }
    }.min() ?? .nan
  }

  /// The least processor time of several runs of asynchronous operations, after one to warm up.
  ///
  /// - Parameters:
  ///   - count: The number of operations in a run.
  ///   - body: The operations.
  /// - Returns: The nanoseconds of processor time for an operation, of all threads together.
  public static func least(for count: Int, _ body: () async -> Void) async -> Double {
    await body()
    var least = Double.infinity
    for _ in 0..<runs {
      let start = probe_cpu()
      await body()
      least = min(least, per(probe_cpu() - start, count))
    }
    return least
  }

  /// The least time of several runs of something that uses several threads, after one to warm up.
  ///
  /// - Parameters:
  ///   - count: The number of operations in a run.
  ///   - body: The operations.
  /// - Returns: The nanoseconds from the beginning to the end for an operation.
  /// - Throws: What the body throws.
  public static func leastTime(
    for count: Int, _ body: () async throws -> Void
  ) async rethrows -> Double {
    try await body()
    var least = Double.infinity
    for _ in 0..<(runs + 2) {
      let start = ContinuousClock.now
      try await body()
      least = min(least, (ContinuousClock.now - start) / .nanoseconds(1) / Double(count))
    }
    return least
  }

  /// The least time in which two threads get something done at the same time.
  ///
  /// - Parameters:
  ///   - count: The number of operations of each thread.
  ///   - body: The operations of a thread, which is 0 or 1.
  /// - Returns: The nanoseconds from the first beginning to the last end for an operation of one thread.
  public static func leastPair(
    for count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void
  ) -> Double {
    (0..<runs).map { _ in per(pair(body), count) }.min() ?? .nan
  }

  /// Runs a body on two threads at once.
  ///
  /// - Parameter body: What a thread does, which is 0 or 1.
  /// - Returns: The nanoseconds from the first beginning to the last end.
  public static func pair(_ body: @escaping @Sendable (_ thread: Int) -> Void) -> UInt64 {
    let halves = Halves(body)
    // The function returns when both threads have ended, so the object stays.
    return withExtendedLifetime(halves) {
      unsafe probe_pair(
        { context, thread in
          guard let context = unsafe context else { return }
          unsafe Unmanaged<Halves>.fromOpaque(context).takeUnretainedValue().body(Int(thread))
        }, Unmanaged.passUnretained(halves).toOpaque())
    }
  }

  /// The bytes that malloc hands out for what a body makes and does not let go of.
  ///
  /// What belongs to the block of memory that an allocation occupies counts with it.
  ///
  /// - Parameters:
  ///   - count: The number of things that are made.
  ///   - body: Makes them; what must not count was allocated before.
  /// - Returns: The bytes for each.
  public static func bytes(for count: Int, _ body: () -> Void) -> Double {
    let before = probe_bytes()
    body()
    return per(max(probe_bytes(), before) - before, count)
  }

  /// What a sum is for each of several.
  public static func per(_ sum: UInt64, _ count: Int) -> Double { Double(sum) / Double(count) }

  /// Ends the process because a result is wrong, unless it is right.
  public static func expect(_ isRight: Bool, _ what: @autoclosure () -> String) {
    if !isRight { fatalError("wrong result: \(what())") }
  }

  /// Prints what was measured.
  public static func tell(_ numbers: [Double]) {
    print(numbers.map { "\($0)" }.joined(separator: " "))
  }
}

/// What two threads do, as an object that C can hand on.
private final class Halves: Sendable {
  /// What a thread does.
  let body: @Sendable (Int) -> Void

  /// Keeps what two threads do.
  init(_ body: @escaping @Sendable (Int) -> Void) { self.body = body }
}
