/// Tasks on lanes, so that no two on a lane run at once and as few lanes are used as can be.
///
/// The tasks take, in the order of their beginnings, the first lane that is free. The lanes are no workers, whose
/// names nobody told; they show how much ran at once.
struct LanePacking {
  /// The lane of each task; -1 for one without a time.
  private(set) var lanes: [Int]
  /// The number of lanes.
  private(set) var count = 0

  /// Packs tasks.
  ///
  /// - Parameters:
  ///   - times: When they ran.
  ///   - slack: The seconds by which two may overlap on a lane: what nobody could see, and what rounding makes.
  /// - Complexity: O(tasks · log tasks).
  init(_ times: RunTimes, slack: Double) {
    lanes = [Int](repeating: -1, count: times.begins.count)
    let timed = times.begins.indices.filter { times.isTimed[$0] }
    let starting = timed.sorted { (times.begins[$0], $0) < (times.begins[$1], $1) }
    // Those that take no time end last of those that end together, so that they have begun when their end is met.
    let ending = timed.sorted {
      (times.ends[$0], times.begins[$0], $0) < (times.ends[$1], times.begins[$1], $1)
    }
    var free = LeastFirst()
    var ended = 0
    for task in starting {
      while ended < ending.count, lanes[ending[ended]] >= 0,
        times.ends[ending[ended]] <= times.begins[task] + slack
      {
        free.insert(lanes[ending[ended]])
        ended += 1
      }
      if let lane = free.popLeast() {
        lanes[task] = lane
      } else {
        lanes[task] = count
        count += 1
      }
    }
  }
}

/// Numbers of which the least comes out first: a binary heap.
struct LeastFirst {
  /// The numbers, each not above the two at twice its place.
  private var heap: [Int] = []

  /// Creates an empty heap.
  init() {}

  /// Puts a number in.
  ///
  /// - Complexity: O(log n).
  mutating func insert(_ number: Int) {
    heap.append(number)
    var place = heap.count - 1
    while place > 0, heap[(place - 1) / 2] > heap[place] {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Takes the least number out; nil when there is none.
  ///
  /// - Complexity: O(log n).
  mutating func popLeast() -> Int? {
    guard let last = heap.popLast() else { return nil }
    guard let least = heap.first else { return last }
    heap[0] = last
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { return least }
      if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
      guard heap[child] < heap[place] else { return least }
      heap.swapAt(child, place)
      place = child
    }
  }
}
