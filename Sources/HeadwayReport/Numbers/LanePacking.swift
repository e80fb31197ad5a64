internal import HeadwayCollections

/// Assigns tasks to the minimum number of lanes on which no two tasks overlap.
///
/// In the order in which they began, each task takes the first free lane. Lanes are not workers; they show how many tasks
/// ran at once.
struct LanePacking {
  /// The lane of each task, -1 for a task without a time.
  private(set) var lanes: [Int]
  private(set) var count = 0

  /// - Parameters:
  ///   - times: The times of the tasks.
  ///   - slack: The seconds by which two tasks may overlap on a lane, invisibly or because of rounding.
  /// - Complexity: O(n log n) for n tasks.
  init(_ times: RunTimes, slack: Double) {
    lanes = [Int](repeating: -1, count: times.begins.count)
    let timed = times.begins.indices.filter { times.isTimed[$0] }
    let starting = timed.sorted { (times.begins[$0], $0) < (times.begins[$1], $1) }
    // Tasks that take no time come last among those that end together, so that they have a lane by then.
    let ending = timed.sorted {
      (times.ends[$0], times.begins[$0], $0) < (times.ends[$1], times.begins[$1], $1)
    }
    var free = Heap<Int>()
    var ended = 0
    for task in starting {
      while ended < ending.count, lanes[ending[ended]] >= 0,
        times.ends[ending[ended]] <= times.begins[task] + slack
      {
        free.insert(lanes[ending[ended]])
        ended += 1
      }
      if let lane = free.popMin() {
        lanes[task] = lane
      } else {
        lanes[task] = count
        count += 1
      }
    }
  }
}
