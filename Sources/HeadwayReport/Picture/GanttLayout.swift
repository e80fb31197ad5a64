internal import HeadwayRun
internal import HeadwayText

/// The layout of the timeline.
///
/// A few tasks have a row each, with their names. More share lanes (see `LanePacking`), and the lanes of very wide runs
/// share rows. Above 2,000 tasks, the longest and most important ones are bars, and the others are merged into a density:
/// how much of each small part of a row they fill.
struct GanttLayout {
  /// The assignment of tasks to rows.
  enum Form: Equatable {
    /// A row for each task, in the order in which they began.
    case tasks
    /// A row for each lane or group of lanes.
    case lanes(perRow: Int)
  }

  /// A task that is drawn as a bar.
  struct Bar: Equatable {
    var task: Int
    var row: Int
    var x: Double
    var width: Double
  }

  /// Tasks that are drawn together.
  struct Density: Equatable {
    var row: Int
    /// The first part of the row.
    var part: Int
    /// The number of parts.
    var count: Int
    /// How much of the parts is filled, in quarters from 1 to 4.
    var level: Int
  }

  static let width = 1120.0
  /// The maximum number of tasks that have rows of their own.
  static let maxTaskRows = 40
  /// The maximum number of columns of a name beside a row.
  static let maxColumns = 32
  /// The maximum number of rows of lanes.
  static let maxLaneRows = 64
  /// The maximum number of bars; more would be too small to distinguish, and the page too large.
  static let maxBars = 2000
  /// The maximum number of marked bars, which are drawn however short they are.
  static let maxMarkedBars = 1000
  /// The width below which bars of a large run are merged.
  static let minBarWidth = 2.0
  /// The width of a part of a row in which short tasks are merged.
  static let partWidth = 3.0

  let form: Form
  let rowCount: Int
  let rowHeight: Double
  let barHeight: Double
  /// The horizontal axis.
  let scale: TimeScale
  /// The row of each task, -1 for a task without times.
  let rows: [Int]
  /// The bars; those that are marked or on the critical path come last, and so are drawn on top.
  private(set) var bars: [Bar] = []
  private(set) var densities: [Density] = []
  /// The number of tasks in densities.
  private(set) var mergedCount = 0

  /// - Complexity: O(n log n) for n tasks.
  init(_ report: RunReport, times: RunTimes, path: RunPath) {
    let tasks = report.tasks
    let timed = tasks.indices.filter { times.isTimed[$0] }
    let left: Double
    if timed.count <= Self.maxTaskRows {
      var rows = [Int](repeating: -1, count: tasks.count)
      let order = timed.sorted { (times.begins[$0], $0) < (times.begins[$1], $1) }
      for (row, task) in order.enumerated() { rows[task] = row }
      (form, self.rows, rowCount) = (.tasks, rows, timed.count)
      (rowHeight, barHeight) = (24, 14)
      let columns = order.reduce(0) {
        max($0, TextWidth.columns(of: Name.truncated(tasks[$1].name, to: Self.maxColumns)))
      }
      left = 24 + Double(min(columns, Self.maxColumns)) * 7
    } else {
      // An overlap of less than half a unit is invisible.
      let packing = LanePacking(times, slack: times.span * 0.5 / Self.width)
      let perRow = (packing.count + Self.maxLaneRows - 1) / Self.maxLaneRows
      let count = (packing.count + perRow - 1) / perRow
      (form, rowCount) = (.lanes(perRow: perRow), count)
      rows = packing.lanes.map { $0 < 0 ? -1 : $0 / perRow }
      (rowHeight, barHeight) = count <= 16 ? (26, 20) : count <= 32 ? (20, 16) : (11, 9)
      left = 44
    }
    scale = TimeScale(span: times.span, start: left, length: Self.width - left - 12)
    place(timed, records: report.records, times: times, path: path)
  }

  /// The middle of a row, from the top of the first.
  func middle(ofRow row: Int) -> Double { (Double(row) + 0.5) * rowHeight }

  /// Whether a task is drawn however short it is, because it did not succeed.
  static func isMarked(_ outcome: Outcome.Kind?) -> Bool {
    switch outcome {
    case .succeeded, .upToDate, .doneEarlier, .skipped: false
    case .failed, .timedOut, .cancelled, .lost, nil: true
    }
  }

  /// Chooses the tasks that become bars, and merges the others.
  private mutating func place(
    _ timed: [Int], records: [TaskRecord], times: RunTimes, path: RunPath
  ) {
    let critical = path.tasks
    let isShared = if case .lanes(let perRow) = form { perRow > 1 } else { false }
    let byLength = times.longestFirst(timed)
    var (marked, plain, merged): ([Int], [Int], [Int]) = ([], [], [])
    for task in byLength {
      if critical.contains(task) || Self.isMarked(records[task].outcome) {
        marked.append(task)
      } else {
        plain.append(task)
      }
    }
    let isCrowded = timed.count > Self.maxBars
    if isCrowded, marked.count > Self.maxMarkedBars {
      merged += marked[Self.maxMarkedBars...]
      marked.removeSubrange(Self.maxMarkedBars...)
    }
    // In a row of several lanes, bars would hide each other.
    let room = isShared ? 0 : Self.maxBars - marked.count
    let wide = plain.prefix(room).prefix { task in
      !isCrowded || scale(times.ends[task]) - scale(times.begins[task]) >= Self.minBarWidth
    }
    merged += plain[wide.count...]
    for task in wide.reversed() + marked.reversed() {
      let x = scale(times.begins[task])
      bars.append(Bar(task: task, row: rows[task], x: x, width: scale(times.ends[task]) - x))
    }
    mergedCount = merged.count
    if !merged.isEmpty { merge(merged, times: times) }
  }

  /// Merges tasks into densities.
  ///
  /// Each task changes the level only where it begins and ends, and one pass adds the changes up, so long tasks cost no
  /// more than short ones.
  private mutating func merge(_ tasks: [Int], times: RunTimes) {
    let partCount = Int(scale.length / Self.partWidth) + 1
    var changes = [Double](repeating: 0, count: rowCount * (partCount + 2))
    for task in tasks {
      let base = rows[task] * (partCount + 2)
      for (time, sign) in [(times.begins[task], 1.0), (times.ends[task], -1.0)] {
        let position = (scale(time) - scale.start) / Self.partWidth
        let part = min(Int(position), partCount - 1)
        // The rest of this part, and then all of each following part.
        let rest = Double(part + 1) - position
        changes[base + part] += sign * rest
        changes[base + part + 1] += sign * (1 - rest)
      }
    }
    let lanes = if case .lanes(let perRow) = form { Double(perRow) } else { 1.0 }
    for row in 0..<rowCount {
      var filled = 0.0
      for part in 0..<partCount {
        filled += changes[row * (partCount + 2) + part]
        let level = Self.level(filled / lanes)
        if level == 0 { continue }
        if let last = densities.last, last.row == row, last.level == level,
          last.part + last.count == part
        {
          densities[densities.count - 1].count += 1
        } else {
          densities.append(Density(row: row, part: part, count: 1, level: level))
        }
      }
    }
  }

  /// Rounds a level up to quarters.
  private static func level(_ filled: Double) -> Int {
    filled < 1e-6 ? 0 : min(4, Int(filled * 4 + 0.999_999))
  }
}
