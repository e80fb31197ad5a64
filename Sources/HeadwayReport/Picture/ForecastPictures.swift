internal import HeadwayText

/// Two charts of the forecasts of a run compared with the actual times, as SVG.
struct ForecastPictures {
  /// The maximum number of points of a line.
  static let maxPoints = 400
  static let height = 300.0
  /// The end of the vertical axis, as a multiple of the run: a very uncertain first forecast must not flatten the chart.
  static let maxMultiple = 3.0
  private static let left = 58.0
  private static let right = 526.0
  private static let top = 16.0
  private static let bottom = 262.0

  private let points: [ForecastCourse.Point]
  /// How long the run took; nil if it is running or was killed.
  private let total: Double?
  /// The horizontal axis.
  let across: TimeScale
  /// The last predicted end on the vertical axis, in seconds.
  let maxEnd: Double

  init(_ course: ForecastCourse, times: RunTimes) {
    points = course.thinned(to: Self.maxPoints, span: times.end)
    total = times.total
    across = TimeScale(
      span: times.end, start: Self.left, length: Self.right - Self.left)
    let highest = points.reduce(times.end) { max($0, $1.end?.high ?? 0) }
    maxEnd = min(highest * 1.06, max(times.end, 1e-9) * Self.maxMultiple)
  }

  /// Whether a range continues above the chart.
  var isCut: Bool { points.contains { ($0.end?.high ?? 0) > maxEnd } }
  /// Whether an end was predicted.
  var hasEnds: Bool { points.contains { $0.end != nil } }

  /// The y coordinate of a predicted end.
  func y(ofEnd end: Double) -> Double {
    guard maxEnd > 0 else { return Self.bottom }
    return Self.bottom - (Self.bottom - Self.top) * min(max(end / maxEnd, 0), 1)
  }

  /// The y coordinate of a fraction.
  func y(ofFraction fraction: Double) -> Double {
    Self.bottom - (Self.bottom - Self.top) * min(max(fraction, 0), 1)
  }

  /// Writes the chart of predicted ends.
  func writeEnds(into markup: inout Markup, description: String) {
    open("ends", title: "Predicted end of the run", description, into: &markup)
    writeTimes(into: &markup)
    let ticks = TimeTicks(span: maxEnd, limit: 6)
    for value in ticks.values { writeLevel(y(ofEnd: value), ticks.label(value), into: &markup) }
    writeBand(into: &markup)
    let now = min(across.span, maxEnd)
    writeLine(
      "now", [(across(0), y(ofEnd: 0)), (across(now), y(ofEnd: now))], into: &markup)
    if let total {
      let height = y(ofEnd: total)
      writeLine("truth", [(Self.left, height), (Self.right, height)], into: &markup)
    }
    for run in stretches(where: { $0.end != nil }) {
      // A prediction holds until the next one.
      var line: [(Double, Double)] = []
      for (point, until) in run {
        guard let end = point.end else { continue }
        line.append((across(point.at), y(ofEnd: end.median)))
        line.append((across(until), y(ofEnd: end.median)))
      }
      writeLine("told", line, into: &markup)
    }
    markup.raw("</svg>\n")
  }

  /// Writes the chart of the progress that was shown.
  func writeFractions(into markup: inout Markup, description: String) {
    open("fraction", title: "Progress shown", description, into: &markup)
    writeTimes(into: &markup)
    for quarter in 0...4 {
      let part = Double(quarter) / 4
      writeLevel(y(ofFraction: part), PercentText.whole(part), into: &markup)
    }
    if total != nil {
      writeLine(
        "truth", [(Self.left, y(ofFraction: 0)), (Self.right, y(ofFraction: 1))], into: &markup)
    }
    let line = points.compactMap { point in
      point.fraction.map { (across(point.at), y(ofFraction: $0)) }
    }
    if !line.isEmpty {
      writeLine("told", [(across(0), y(ofFraction: 0))] + line, into: &markup)
    }
    markup.raw("</svg>\n")
  }

  /// The maximal runs of consecutive points that satisfy a predicate, each with the time until which it held.
  private func stretches(
    where has: (ForecastCourse.Point) -> Bool
  ) -> [[(point: ForecastCourse.Point, until: Double)]] {
    var stretches: [[(point: ForecastCourse.Point, until: Double)]] = []
    var isOpen = false
    for (index, point) in points.enumerated() {
      defer { isOpen = has(point) }
      guard has(point) else { continue }
      let until = index + 1 < points.count ? points[index + 1].at : across.span
      if !isOpen { stretches.append([]) }
      stretches[stretches.count - 1].append((point, max(until, point.at)))
    }
    return stretches
  }

  /// Writes the 80% range.
  private func writeBand(into markup: inout Markup) {
    for run in stretches(where: { $0.end != nil }) {
      var upper: [(Double, Double)] = []
      var lower: [(Double, Double)] = []
      for (point, until) in run {
        guard let end = point.end else { continue }
        for time in [point.at, until] {
          upper.append((across(time), y(ofEnd: end.high)))
          lower.append((across(time), y(ofEnd: end.low)))
        }
      }
      writeLine("band", upper + lower.reversed(), isClosed: true, into: &markup)
    }
  }

  private func open(
    _ name: String, title: String, _ description: String, into markup: inout Markup
  ) {
    markup.raw(
      "<svg class=\"chart\" role=\"img\" aria-labelledby=\"\(name)-title \(name)-desc\""
        + " viewBox=\"0 0 540 300\">\n")
    markup.element("title", "id=\"\(name)-title\"", text: title)
    markup.element("desc", "id=\"\(name)-desc\"", text: description)
    markup.raw("\n")
  }

  /// Writes the axis of elapsed time.
  private func writeTimes(into markup: inout Markup) {
    let ticks = TimeTicks(span: across.span, limit: 6)
    for value in ticks.values {
      let x = across(value)
      let anchor = x > Self.right - 12 ? "e" : "m"
      markup.label("tick \(anchor)", x: x, y: Self.bottom + 18, ticks.label(value))
    }
    markup.label("axis e", x: Self.right, y: Self.height - 4, "elapsed time")
    markup.raw("\n")
  }

  /// Writes a horizontal grid line with its label.
  private func writeLevel(_ height: Double, _ label: String, into markup: inout Markup) {
    writeLine("grid", [(Self.left, height), (Self.right, height)], into: &markup)
    markup.label("tick e", x: Self.left - 8, y: height + 4, label)
  }

  private func writeLine(
    _ style: String, _ points: [(x: Double, y: Double)], isClosed: Bool = false,
    into markup: inout Markup
  ) {
    markup.raw("<path class=\"\(style)\" d=\"")
    for (index, point) in points.enumerated() {
      markup.raw(index == 0 ? "M" : "L")
      markup.number(point.x)
      markup.raw(" ")
      markup.number(point.y)
    }
    markup.raw(isClosed ? "z\"/>\n" : "\"/>\n")
  }
}
