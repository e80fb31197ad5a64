internal import HeadwayRun

/// Where everything stands in the picture of what ran when.
///
/// Few tasks have a row each, under their names. More share lanes (see `LanePacking`), and the lanes of very wide runs
/// share rows. Above 2,000 tasks the long ones and those that matter stay bars, and the others become a density: how
/// much of each small part of a row they fill.
struct GanttLayout {
  /// How tasks are put in rows.
  enum Form: Equatable {
    /// A row for each task, in the order of their beginnings.
    case tasks
    /// A row for some lanes.
    case lanes(perRow: Int)
  }

  /// A task that is drawn by itself.
  struct Bar: Equatable {
    /// The place of the task.
    var task: Int
    /// The row, from above.
    var row: Int
    /// Where it begins.
    var x: Double
    /// How wide it is.
    var width: Double
  }

  /// Tasks that are drawn together.
  struct Density: Equatable {
    /// The row, from above.
    var row: Int
    /// The first part of the row.
    var part: Int
    /// The number of parts.
    var count: Int
    /// How much of it is filled, in quarters from 1 to 4.
    var level: Int
  }

  /// The width of the picture.
  static let width = 1120.0
  /// The most tasks that have rows of their own.
  static let mostTaskRows = 40
  /// The most columns of a name before a row.
  static let mostColumns = 32
  /// The most rows of lanes.
  static let mostLaneRows = 64
  /// The most bars; with more, the page grows heavy and none can be told from its neighbours.
  static let mostBars = 2000
  /// The most bars of those that are drawn however short they are.
  static let mostMarkedBars = 1000
  /// The width below which a bar of a crowded picture is drawn with others.
  static let leastWidth = 2.0
  /// The width of a part of a row in which short tasks are drawn together.
  static let partWidth = 3.0

  /// How tasks are put in rows.
  let form: Form
  /// The number of rows.
  let rowCount: Int
  /// The height of a row.
  let rowHeight: Double
  /// The height of a bar.
  let barHeight: Double
  /// Times as places.
  let scale: TimeScale
  /// The row of each task; -1 for one that has no time.
  let rows: [Int]
  /// The bars, the ones of the critical path and those that went wrong last, and so on top.
  private(set) var bars: [Bar] = []
  /// What is drawn together.
  private(set) var densities: [Density] = []
  /// The number of tasks that are drawn together.
  private(set) var mergedCount = 0

  /// Lays a picture out.
  ///
  /// - Parameters:
  ///   - tasks: The tasks.
  ///   - times: When they ran.
  ///   - path: The critical path.
  /// - Complexity: O(n log n) in tasks.
  init(_ tasks: [RunReport.Task], times: RunTimes, path: RunPath) {
    let timed = tasks.indices.filter { times.isTimed[$0] }
    let left: Double
    if timed.count <= Self.mostTaskRows {
      var rows = [Int](repeating: -1, count: tasks.count)
      let order = timed.sorted { (times.begins[$0], $0) < (times.begins[$1], $1) }
      for (row, task) in order.enumerated() { rows[task] = row }
      (form, self.rows, rowCount) = (.tasks, rows, timed.count)
      (rowHeight, barHeight) = (24, 14)
      let columns = order.reduce(0) {
        max($0, Name.columns(Name.shortened(tasks[$1].name, to: Self.mostColumns)))
      }
      left = 24 + Double(min(columns, Self.mostColumns)) * 7
    } else {
      // What is narrower than half a unit of the picture is no overlap that anybody sees.
      let packing = LanePacking(times, slack: times.span * 0.5 / Self.width)
      let perRow = (packing.count + Self.mostLaneRows - 1) / Self.mostLaneRows
      let count = (packing.count + perRow - 1) / perRow
      (form, rowCount) = (.lanes(perRow: perRow), count)
      rows = packing.lanes.map { $0 < 0 ? -1 : $0 / perRow }
      (rowHeight, barHeight) = count <= 16 ? (26, 20) : count <= 32 ? (20, 16) : (11, 9)
      left = 44
    }
    scale = TimeScale(span: times.span, start: left, length: Self.width - left - 12)
    place(timed, tasks: tasks, times: times, path: path)
  }

  /// The middle of a row, from the top of the first.
  func middle(ofRow row: Int) -> Double { (Double(row) + 0.5) * rowHeight }

  /// Whether a task is drawn however short it is, as something went wrong.
  static func isMarked(_ outcome: Outcome.Kind?) -> Bool {
    switch outcome {
    case .succeeded, .upToDate, .skipped: false
    case .failed, .timedOut, .cancelled, nil: true
    }
  }

  /// Decides which tasks are bars, and merges the others.
  private mutating func place(
    _ timed: [Int], tasks: [RunReport.Task], times: RunTimes, path: RunPath
  ) {
    let critical = Set(path.steps.map(\.task))
    let isShared = if case .lanes(let perRow) = form { perRow > 1 } else { false }
    let byLength = timed.sorted { (times.ran($1), $0) < (times.ran($0), $1) }
    var (marked, plain, merged): ([Int], [Int], [Int]) = ([], [], [])
    for task in byLength {
      if critical.contains(task) || Self.isMarked(tasks[task].outcome) {
        marked.append(task)
      } else {
        plain.append(task)
      }
    }
    let isCrowded = timed.count > Self.mostBars
    if isCrowded, marked.count > Self.mostMarkedBars {
      merged += marked[Self.mostMarkedBars...]
      marked.removeSubrange(Self.mostMarkedBars...)
    }
    // On a row of several lanes plain bars would hide each other.
    let room = isShared ? 0 : Self.mostBars - marked.count
    let wide = plain.prefix(room).prefix { task in
      !isCrowded || scale(times.ends[task]) - scale(times.begins[task]) >= Self.leastWidth
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
  /// Each task changes the filling only where it begins and where it ends; one pass then adds the changes up, so that
  /// long tasks cost no more than short ones.
  private mutating func merge(_ tasks: [Int], times: RunTimes) {
    let partCount = Int(scale.length / Self.partWidth) + 1
    var changes = [Double](repeating: 0, count: rowCount * (partCount + 2))
    for task in tasks {
      let base = rows[task] * (partCount + 2)
      for (time, sign) in [(times.begins[task], 1.0), (times.ends[task], -1.0)] {
        let place = (scale(time) - scale.start) / Self.partWidth
        let part = min(Int(place), partCount - 1)
        // From the place to the end of the part, and then all of each following part.
        let rest = Double(part + 1) - place
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

  /// A filling in quarters, 0 only where there is nothing.
  private static func level(_ filled: Double) -> Int {
    filled < 1e-6 ? 0 : min(4, Int(filled * 4 + 0.999_999))
  }
}
