internal import Foundation
internal import HeadwayCollections
internal import HeadwayLock
internal import HeadwayProgress

extension SplitMix64 {
  /// Draws a number from 0 to below a bound.
  mutating func number(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Draws a number from 0 to a limit, with a uniform number of bits.
  mutating func anySize(upTo limit: UInt64) -> UInt64 {
    let bits = next() >> UInt64(number(below: 64))
    return min(bits, limit)
  }

  /// Returns true once in a number of times, on average.
  mutating func isOne(in times: Int) -> Bool { number(below: times) == 0 }
}

/// A value that several threads or tasks change.
final class Box<Value: Sendable>: Sendable {
  private let guarded: Guarded<Value>

  init(_ value: Value) { guarded = Guarded(value) }

  var value: Value {
    get { guarded.withLock { $0 } }
    set { guarded.withLock { $0 = newValue } }
  }

  /// Changes the value atomically.
  func change(_ change: (inout Value) -> Void) {
    guarded.withLock { value in change(&value) }
  }
}

/// Runs a closure on several threads and waits until all have finished and released it.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
  let start = Semaphore()
  let end = Semaphore()
  // A thread may release its closure long after the end, so the closure does not retain the body.
  let work = Box<(@Sendable (Int) -> Void)?>(body)
  for number in 0..<count {
    Thread.detachNewThread {
      start.wait()
      work.value?(number)
      end.post(1)
    }
  }
  start.post(count)
  for _ in 0..<count { end.wait() }
  work.value = nil
}

extension ProgressNode {
  var bytes: Int? { sum(of: ProgressKeys.CompletedByteCount.self) }
}
