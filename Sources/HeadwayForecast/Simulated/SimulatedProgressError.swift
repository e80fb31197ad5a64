/// An error of ``SimulatedProgress``; the call has changed nothing.
///
/// It is a mistake of the calling program: a call that the state does not allow, or numbers out of their range.
///
/// ```swift
/// do throws(SimulatedProgressError) {
///   try progress.finishStep(at: .zero)
/// } catch {
///   show("\(error)")  // says in which state steps can be finished
/// }
/// ```
public struct SimulatedProgressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A message with advice.
  public let description: String

  private init(_ description: String) { self.description = description }

  /// The call is not allowed in the current state.
  package static func state(
    _ state: SimulatedProgress.State, allowed: [SimulatedProgress.State]
  ) -> Self {
    let names = allowed.map(\.rawValue).joined(separator: " or ")
    return Self("the state is \(state.rawValue), and this call needs \(names)")
  }

  /// The work was started before its steps were set.
  package static let notSetUp = Self("there are no steps: call setUp before start")

  /// The expected duration of the first step is not above zero.
  package static func estimate(_ estimate: Duration) -> Self {
    Self("the expected duration of the first step must be above zero, not \(estimate)")
  }

  package static func stepCount(_ count: Int) -> Self {
    Self("the number of steps must be at least 1, not \(count)")
  }

  package static func concurrencyCount(_ count: Int, steps: Int) -> Self {
    Self("\(count) concurrencies for \(steps) steps: give one for each step, or nil for 1 each")
  }

  package static func concurrency(_ concurrency: Int, step: Int) -> Self {
    Self("the concurrency of step \(step) must be at least 1, not \(concurrency)")
  }

  package static func weightCount(_ count: Int, steps: Int) -> Self {
    Self("\(count) weights for \(steps) steps: give one for each step, or nil for equal steps")
  }

  /// The weight of a step is above 1, or not above the previous weight; steps count from 0.
  package static func weight(_ weight: Double, step: Int, above before: Double) -> Self {
    Self(
      "the accumulated weight of step \(step) must be above \(before) and at most 1, not \(weight)"
    )
  }

  /// Steps were added after one whose accumulated weight is 1.
  package static let noWeightLeft = Self(
    "the last step has the accumulated weight 1, so no steps can follow it")

  package static func everyStepFinished(_ count: Int) -> Self {
    Self(
      count == 1
        ? "the one step has finished: add steps, or reset"
        : "all \(count) steps have finished: add steps, or reset")
  }
}
