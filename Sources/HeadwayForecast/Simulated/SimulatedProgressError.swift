/// The error of a call to ``SimulatedProgress``, which then changes nothing.
///
/// It is a mistake in the calling program: a call that the state does not allow, or numbers that make no sense.
public struct SimulatedProgressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A message with advice.
  public let description: String

  private init(_ description: String) { self.description = description }

  /// The state does not allow the call.
  package static func state(
    _ state: SimulatedProgress.State, allowed: [SimulatedProgress.State]
  ) -> Self {
    let names = allowed.map(\.rawValue).joined(separator: " or ")
    return Self("the state is \(state.rawValue), and this call needs \(names)")
  }

  /// It was to start before its steps were set up.
  package static let notSetUp = Self("there are no steps: call setUp before start")

  /// The first step was expected to take no time, or less.
  package static func estimate(_ estimate: Duration) -> Self {
    Self("the first step cannot be expected to take \(estimate): give a time above zero")
  }

  package static func stepCount(_ count: Int) -> Self {
    Self("\(count) is not a number of steps: give at least 1")
  }

  package static func concurrencyCount(_ count: Int, steps: Int) -> Self {
    Self("\(count) concurrencies for \(steps) steps: give one for each step, or nil for 1 each")
  }

  package static func concurrency(_ concurrency: Int, step: Int) -> Self {
    Self("step \(step) cannot have the concurrency \(concurrency): give at least 1")
  }

  package static func weightCount(_ count: Int, steps: Int) -> Self {
    Self("\(count) weights for \(steps) steps: give one for each step, or nil for equal steps")
  }

  /// The accumulated weight of a step is not above the one before, or above 1.
  package static func weight(_ weight: Double, step: Int, above before: Double) -> Self {
    Self(
      "step \(step) cannot have the accumulated weight \(weight): give one above \(before) and at most 1"
    )
  }

  /// Steps were to be added behind one whose accumulated weight is 1.
  package static let noWeightLeft = Self(
    "the last step has the accumulated weight 1, which leaves nothing for further ones")

  package static func everyStepFinished(_ count: Int) -> Self {
    Self(
      count == 1
        ? "the one step has finished: add steps, or reset"
        : "all \(count) steps have finished: add steps, or reset")
  }
}
