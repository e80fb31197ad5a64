/// The error of a call to ``SimulatedProgress``, which then changes nothing.
@nonexhaustive
public enum SimulatedProgressError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The state does not allow the call.
  case state(SimulatedProgress.State, allowed: [SimulatedProgress.State])
  /// It was to start before its steps were set up.
  case notSetUp
  /// The first step was expected to take no time, or less.
  case estimate(Duration)
  /// The number of steps is not at least 1.
  case stepCount(Int)
  /// There are more or fewer concurrencies than steps.
  case concurrencyCount(Int, steps: Int)
  /// The concurrency of a step, counted from 0 in the call, is not at least 1.
  case concurrency(Int, step: Int)
  /// There are more or fewer weights than steps.
  case weightCount(Int, steps: Int)
  /// The weight of a step, counted from 0 in the call, is not above the one before, or above 1.
  case weight(Double, step: Int, above: Double)
  /// Steps were to be added behind one whose accumulated weight is 1.
  case noWeightLeft
  /// All known steps have finished; the value is their number.
  case everyStepFinished(Int)

  /// A message with advice.
  public var description: String {
    switch self {
    case .state(let state, let allowed):
      let names = allowed.map(\.rawValue).joined(separator: " or ")
      return "the state is \(state.rawValue), and this call needs \(names)"
    case .notSetUp: return "there are no steps: call setUp before start"
    case .estimate(let estimate):
      return "the first step cannot be expected to take \(estimate): give a time above zero"
    case .stepCount(let count): return "\(count) is not a number of steps: give at least 1"
    case .concurrencyCount(let count, let steps):
      return "\(count) concurrencies for \(steps) steps: give one for each step, or nil for 1 each"
    case .concurrency(let concurrency, let step):
      return "step \(step) cannot have the concurrency \(concurrency): give at least 1"
    case .weightCount(let count, let steps):
      return "\(count) weights for \(steps) steps: give one for each step, or nil for equal steps"
    case .weight(let weight, let step, let before):
      return
        "step \(step) cannot have the accumulated weight \(weight): give one above \(before) and at most 1"
    case .noWeightLeft:
      return "the last step has the accumulated weight 1, which leaves nothing for further ones"
    case .everyStepFinished(let count):
      return count == 1
        ? "the one step has finished: add steps, or reset"
        : "all \(count) steps have finished: add steps, or reset"
    }
  }
}
