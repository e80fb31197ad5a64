internal import Foundation
internal import HeadwayLock
internal import HeadwayProgress

/// Random numbers that a seed determines (SplitMix64).
struct Dice: RandomNumberGenerator {
  /// The state, which every draw moves on.
  private var state: UInt64

  /// Creates dice.
  init(seed: UInt64) { state = seed &* 0xD134_2543_DE82_EF95 &+ 1 }

  /// Draws 64 bits.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits &>> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits &>> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits &>> 31)
  }

  /// Draws a number from 0 up to a bound, which is not among them.
  mutating func number(below bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Draws a number from 0 to a limit, of any size with the same chance.
  mutating func anySize(upTo limit: UInt64) -> UInt64 {
    let bits = next() >> UInt64(number(below: 64))
    return min(bits, limit)
  }

  /// Answers yes once in so many times.
  mutating func isOne(in times: Int) -> Bool { number(below: times) == 0 }
}

/// A value that several threads or tasks change.
final class Box<Value: Sendable>: Sendable {
  /// The value.
  private let guarded: Guarded<Value>

  /// Creates a box.
  init(_ value: Value) { guarded = Guarded(value) }

  /// The value of this moment.
  var value: Value {
    get { guarded.withLock { $0 } }
    set { guarded.withLock { $0 = newValue } }
  }

  /// Changes the value in one step.
  func change(_ change: (inout Value) -> Void) {
    guarded.withLock { value in change(&value) }
  }
}

/// Runs a body on several threads at a time and waits for all of them, and until they have let go of the body.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
  let start = Semaphore()
  let end = Semaphore()
  // A thread lets go of its own closure at some time after the end, which therefore does not hold the body.
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

/// A number of repetitions, and a smaller one where ThreadSanitizer slows each down.
func repetitions(_ count: Int, underSanitizer: Int) -> Int {
  #if TSAN
    underSanitizer
  #else
    count
  #endif
}

extension ProgressNode {
  /// The sum of the byte counts below the node.
  var bytes: Int? { sum(of: ProgressKeys.CompletedByteCount.self) }
}
