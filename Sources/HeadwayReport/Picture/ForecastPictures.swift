/// Two pictures of what was told during a run beside what came true, as SVG.
struct ForecastPictures {
  /// The most points of a line; more are thinned out.
  static let mostPoints = 400
  /// The width of a picture.
  static let width = 540.0
  /// The height of a picture.
  static let height = 300.0
  /// The most that the axis of ends shows, as a multiple of the run: the doubt of a first moment must not flatten it.
  static let mostMultiple = 3.0
  /// Where the lines begin.
  private static let left = 58.0
  /// Where they end.
  private static let right = 526.0
  /// Their upper edge.
  private static let top = 16.0
  /// Their lower edge.
  private static let bottom = 262.0

  /// What was told.
  private let points: [ForecastCourse.Point]
  /// How long the run took; nil when no end is known.
  private let total: Double?
  /// Times as places.
  let across: TimeScale
  /// The last time on the axis of ends, in seconds.
  let mostEnd: Double

  /// Creates the pictures of a run.
  init(_ course: ForecastCourse, times: RunTimes) {
    points = course.thinned(most: Self.mostPoints, span: times.end)
    total = times.total
    across = TimeScale(
      span: times.end, start: Self.left, length: Self.right - Self.left)
    let highest = points.reduce(times.end) { max($0, $1.end?.high ?? 0) }
    mostEnd = min(highest * 1.06, max(times.end, 1e-9) * Self.mostMultiple)
  }

  /// Whether a part of a range lies above the picture.
  var isCut: Bool { points.contains { ($0.end?.high ?? 0) > mostEnd } }
  /// Whether anything was told of the end.
  var hasEnds: Bool { points.contains { $0.end != nil } }

  /// The height at which an end stands.
  func y(ofEnd end: Double) -> Double {
    guard mostEnd > 0 else { return Self.bottom }
    return Self.bottom - (Self.bottom - Self.top) * min(max(end / mostEnd, 0), 1)
  }

  /// The height at which a fraction stands.
  func y(ofFraction fraction: Double) -> Double {
    Self.bottom - (Self.bottom - Self.top) * min(max(fraction, 0), 1)
  }

  /// Writes the picture of the told ends.
  func writeEnds(into markup: inout Markup, description: String) {
    open("ends", title: "When the run was expected to end", description, into: &markup)
    writeTimes(into: &markup)
    let ticks = TimeTicks(span: mostEnd, most: 6)
    for value in ticks.values { writeLevel(y(ofEnd: value), ticks.label(value), into: &markup) }
    writeBand(into: &markup)
    let now = min(across.span, mostEnd)
    writeLine(
      "now", [(across(0), y(ofEnd: 0)), (across(now), y(ofEnd: now))], into: &markup)
    if let total {
      let height = y(ofEnd: total)
      writeLine("truth", [(Self.left, height), (Self.right, height)], into: &markup)
    }
    for run in stretches(where: { $0.end != nil }) {
      // A told end stands until the next is told.
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

  /// Writes the picture of the shown fraction.
  func writeFractions(into markup: inout Markup, description: String) {
    open("fraction", title: "The fraction that was shown", description, into: &markup)
    writeTimes(into: &markup)
    for quarter in 0...4 {
      let part = Double(quarter) / 4
      writeLevel(y(ofFraction: part), "\(quarter * 25)\u{a0}%", into: &markup)
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

  /// The stretches of points that follow each other and have something, each with the time until which it stood.
  private func stretches(
    where has: (ForecastCourse.Point) -> Bool
  ) -> [[(point: ForecastCourse.Point, until: Double)]] {
    var stretches: [[(point: ForecastCourse.Point, until: Double)]] = []
    var isOpen = false
    for (place, point) in points.enumerated() {
      defer { isOpen = has(point) }
      guard has(point) else { continue }
      let until = place + 1 < points.count ? points[place + 1].at : across.span
      if !isOpen { stretches.append([]) }
      stretches[stretches.count - 1].append((point, max(until, point.at)))
    }
    return stretches
  }

  /// Writes the range that held the end four times in five.
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

  /// Writes the beginning of a picture.
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
    let ticks = TimeTicks(span: across.span, most: 6)
    for value in ticks.values {
      let x = across(value)
      let anchor = x > Self.right - 12 ? "e" : "m"
      writeText("tick \(anchor)", x: x, y: Self.bottom + 18, ticks.label(value), into: &markup)
    }
    writeText("axis e", x: Self.right, y: Self.height - 4, "elapsed time", into: &markup)
    markup.raw("\n")
  }

  /// Writes a level line with what it stands for.
  private func writeLevel(_ height: Double, _ label: String, into markup: inout Markup) {
    writeLine("grid", [(Self.left, height), (Self.right, height)], into: &markup)
    writeText("tick e", x: Self.left - 8, y: height + 4, label, into: &markup)
  }

  /// Writes a line through places.
  private func writeLine(
    _ style: String, _ places: [(x: Double, y: Double)], isClosed: Bool = false,
    into markup: inout Markup
  ) {
    markup.raw("<path class=\"\(style)\" d=\"")
    for (index, place) in places.enumerated() {
      markup.raw(index == 0 ? "M" : "L")
      markup.number(place.x)
      markup.raw(" ")
      markup.number(place.y)
    }
    markup.raw(isClosed ? "z\"/>\n" : "\"/>\n")
  }

  /// Writes a text.
  private func writeText(
    _ style: String, x: Double, y: Double, _ text: String, into markup: inout Markup
  ) {
    markup.raw("<text class=\"\(style)\"")
    markup.attribute("x", x)
    markup.attribute("y", y)
    markup.raw(">")
    markup.text(text)
    markup.raw("</text>")
  }
}
