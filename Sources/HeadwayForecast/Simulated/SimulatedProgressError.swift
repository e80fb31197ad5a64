/// An error of ``SimulatedProgress``; the call has changed nothing.
@nonexhaustive
public enum SimulatedProgressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call is not allowed in the current state.
  case state(SimulatedProgress.State, allowed: [SimulatedProgress.State])
  /// The work was started before its steps were set.
  case notSetUp
  /// The expected duration of the first step is not above zero.
  case estimate(Duration)
  /// The number of steps is not at least 1.
  case stepCount(Int)
  /// The number of concurrencies differs from the number of steps.
  case concurrencyCount(Int, steps: Int)
  /// The concurrency of a step is not at least 1; steps count from 0 in the call.
  case concurrency(Int, step: Int)
  /// The number of weights differs from the number of steps.
  case weightCount(Int, steps: Int)
  /// The weight of a step is above 1, or not above the previous weight; steps count from 0 in the call.
  case weight(Double, step: Int, above: Double)
  /// Steps were added after one whose accumulated weight is 1.
  case noWeightLeft
  /// All known steps have finished; the associated value is their number.
  case everyStepFinished(Int)

  /// A message with advice.
  public var description: String {
    switch self {
    case .state(let state, let allowed):
      let names = allowed.map(\.rawValue).joined(separator: " or ")
      return "the state is \(state.rawValue), and this call needs \(names)"
    case .notSetUp: return "there are no steps: call setUp before start"
    case .estimate(let estimate):
      return "the expected duration of the first step must be above zero, not \(estimate)"
    case .stepCount(let count): return "the number of steps must be at least 1, not \(count)"
    case .concurrencyCount(let count, let steps):
      return "\(count) concurrencies for \(steps) steps: give one for each step, or nil for 1 each"
    case .concurrency(let concurrency, let step):
      return "the concurrency of step \(step) must be at least 1, not \(concurrency)"
    case .weightCount(let count, let steps):
      return "\(count) weights for \(steps) steps: give one for each step, or nil for equal steps"
    case .weight(let weight, let step, let before):
      return
        "the accumulated weight of step \(step) must be above \(before) and at most 1, not \(weight)"
    case .noWeightLeft:
      return "the last step has the accumulated weight 1, so no steps can follow it"
    case .everyStepFinished(let count):
      return count == 1
        ? "the one step has finished: add steps, or reset"
        : "all \(count) steps have finished: add steps, or reset"
    }
  }
}
