// Counts the cost of a report to the estimator of the remaining time.
//
//   rate-counts OPERATION PER-SECOND TIMES
//       OPERATION is report, or show: report and read the remaining time; PER-SECOND of them per second
//
// Prints the number of allocations. The count grows by another number each time, so that no special case is measured.

import CMallocCount
import Headway

/// Exits after a usage message.
func fail() -> Never {
  fatalError("rate-counts: see the comment at the top of its source")
}

/// Reports, and reads the remaining time if requested.
///
/// - Parameters:
///   - times: The number of reports.
///   - interval: The time between two reports.
///   - isShown: Whether to read the remaining time.
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
