import CProbe

/// Measures times in the same way for the progress tree and its peers.
public enum Stopwatch {
  /// The number of repetitions of a short measurement in one process.
  public static let runs = 7

  /// The minimum processor time of several runs.
  ///
  /// - Parameters:
  ///   - count: The number of operations in a run.
  ///   - runs: The number of runs.
  ///   - value: Creates the input of a run; creating and releasing it are not measured.
  ///   - body: The operations.
  /// - Returns: The nanoseconds of processor time per operation, of all threads together.
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

  /// The minimum processor time of several runs of asynchronous operations, after one warm-up run.
  ///
  /// - Parameters:
  ///   - count: The number of operations in a run.
  ///   - body: The operations.
  /// - Returns: The nanoseconds of processor time per operation, of all threads together.
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

  /// The minimum time of several runs that use several threads, after one warm-up run.
  ///
  /// - Parameters:
  ///   - count: The number of operations in a run.
  ///   - body: The operations.
  /// - Returns: The nanoseconds per operation, from the start to the end.
  /// - Throws: The error of the body.
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

  /// The minimum time of operations on two threads at the same time.
  ///
  /// - Parameters:
  ///   - count: The number of operations of each thread.
  ///   - body: The operations of thread 0 or 1.
  /// - Returns: The nanoseconds per operation of one thread, from the first start to the last end.
  public static func leastPair(
    for count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void
  ) -> Double {
    (0..<runs).map { _ in per(pair(body), count) }.min() ?? .nan
  }

  /// Runs a function on two threads at the same time.
  ///
  /// - Parameter body: The function of thread 0 or 1.
  /// - Returns: The nanoseconds from the first start to the last end.
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

  /// The bytes that malloc allocates for objects that a function creates and keeps.
  ///
  /// Includes the overhead of malloc for each block.
  ///
  /// - Parameters:
  ///   - count: The number of objects.
  ///   - body: Creates them; memory that must not count has to be allocated before.
  /// - Returns: The bytes for each.
  public static func bytes(for count: Int, _ body: () -> Void) -> Double {
    let before = probe_bytes()
    body()
    return per(max(probe_bytes(), before) - before, count)
  }

  /// A sum divided by a count.
  public static func per(_ sum: UInt64, _ count: Int) -> Double { Double(sum) / Double(count) }

  /// Ends the process if a result is wrong.
  public static func expect(_ isRight: Bool, _ what: @autoclosure () -> String) {
    if !isRight { fatalError("wrong result: \(what())") }
  }

  /// Prints the result of a measurement.
  public static func tell(_ numbers: [Double]) {
    print(numbers.map { "\($0)" }.joined(separator: " "))
  }
}

/// The function of two threads, as an object for C.
private final class Halves: Sendable {
  let body: @Sendable (Int) -> Void

  init(_ body: @escaping @Sendable (Int) -> Void) { self.body = body }
}
