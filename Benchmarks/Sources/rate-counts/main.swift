// What a report to the estimator of the remaining time costs.
//
//   rate-counts OPERATION PER-SECOND TIMES
//       OPERATION is report, or show: report and ask for the remaining time; PER-SECOND of them in each second
//
// Prints the allocations of all. The count grows by another number each time, so that nothing is a special case.

import CMallocCount
import Headway

/// Ends a program that was called in a wrong way.
func fail() -> Never {
  fatalError("rate-counts: see the comment at the top of its source")
}

/// Reports, and asks for the remaining time where that is wanted.
///
/// - Parameters:
///   - times: How often.
///   - interval: The time between two reports.
///   - isShown: Whether it asks, too.
/// - Returns: The allocations.
func allocations(times: Int, every interval: Duration, isShown: Bool) -> Int {
  var estimator = RateEstimator(total: 1e15, at: .zero)
  var now = Duration.zero
  var count = 0.0
  var sum = Duration.zero
  let before = malloc_count()
  for step in 0..<times {
    now += interval
    count += Double(step % 7 + 1)
    estimator.report(count, at: now)
    if isShown { sum += estimator.remaining(at: now) ?? .zero }
  }
  let after = malloc_count()
  precondition(estimator.completed == count && isShown == (sum > .zero))
  return Int(after - before)
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let perSecond = Int(arguments[2]), let times = Int(arguments[3]),
  ["report", "show"].contains(arguments[1])
else { fail() }
let interval = Duration.seconds(1) / perSecond
print(allocations(times: times, every: interval, isShown: arguments[1] == "show"))
