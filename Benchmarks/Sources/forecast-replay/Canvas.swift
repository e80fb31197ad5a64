import Foundation

/// An SVG picture, once for a light page and once for a dark one.
struct Canvas {
  /// A rectangle with a coordinate system.
  struct Plot {
    /// The left edge.
    var left = 56.0
    /// The upper edge.
    var top = 62.0
    /// The width.
    var width = 684.0
    /// The height.
    var height = 240.0
    /// The value at the right edge; the left one is 0.
    var mostX = 1.0
    /// The value at the upper edge; the lower one is 0.
    var mostY = 1.0

    /// The horizontal position of a value.
    func x(_ value: Double) -> Double { left + width * value / mostX }
    /// The vertical position of a value, not above the edge.
    func y(_ value: Double) -> Double { top + height * (1 - min(value / mostY, 1)) }
  }

  /// The colors of a page.
  private struct Palette {
    /// The suffix of the file name.
    var suffix: String
    /// The classes of the style sheet and their colors.
    var colours: [(name: String, colour: String)]
  }

  /// The palettes of a light page and of a dark one.
  private static let palettes = [
    Palette(
      suffix: "",
      colours: [
        ("text", "#1d2330"), ("soft", "#5b6575"), ("grid", "#dde2ea"), ("green", "#0a7d55"),
        ("orange", "#c2410c"), ("blue", "#8ea0ba"),
      ]),
    Palette(
      suffix: "~dark",
      colours: [
        ("text", "#e8ecf3"), ("soft", "#9aa6b8"), ("grid", "#2a3342"), ("green", "#3ecf98"),
        ("orange", "#ff9457"), ("blue", "#6f86a8"),
      ]),
  ]
  /// The fonts.
  private static let fonts =
    "-apple-system, \"Segoe UI\", \"Helvetica Neue\", Helvetica, Arial, \"DejaVu Sans\", sans-serif"

  /// The title.
  let title: String
  /// The description, for assistive technology.
  let summary: String
  /// The height; the width is 760.
  let height: Double
  /// The elements.
  private var elements: [String] = []

  /// Creates an empty picture.
  init(title: String, summary: String, height: Double = 350) {
    self.title = title
    self.summary = summary
    self.height = height
  }

  /// A number with one decimal.
  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }

  /// Writes text.
  mutating func text(
    _ words: String, x: Double, y: Double, style: String = "soft", anchor: String = "start"
  ) {
    elements.append(
      "<text class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
        + "text-anchor=\"\(anchor)\">\(words)</text>")
  }

  /// Draws a line through points.
  mutating func line(_ places: [(x: Double, y: Double)], style: String) {
    elements.append("<polyline class=\"\(style)\" points=\"\(Self.points(places))\"/>")
  }

  /// Fills an area between points.
  mutating func area(_ places: [(x: Double, y: Double)], style: String) {
    elements.append("<polygon class=\"\(style)\" points=\"\(Self.points(places))\"/>")
  }

  /// Fills a rectangle.
  mutating func bar(x: Double, y: Double, width: Double, height: Double, style: String) {
    elements.append(
      "<rect class=\"\(style)\" x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" "
        + "width=\"\(Self.number(width))\" height=\"\(Self.number(height))\" rx=\"1.5\"/>")
  }

  /// Draws a legend of line styles above a plot.
  mutating func legend(_ entries: [(style: String, words: String, width: Double)], y: Double) {
    var x = 56.0
    for entry in entries {
      line([(x, y - 5), (x + 22, y - 5)], style: entry.style)
      text(entry.words, x: x + 29, y: y)
      x += entry.width
    }
  }

  /// Draws the axes of a plot with labels.
  mutating func axes(_ plot: Plot, x: [(Double, String)], y: [(Double, String)]) {
    for (value, words) in y {
      let place = plot.y(value)
      line([(plot.left, place), (plot.left + plot.width, place)], style: "grid")
      text(words, x: plot.left - 8, y: place + 4.5, anchor: "end")
    }
    for (value, words) in x {
      text(words, x: plot.x(value), y: plot.top + plot.height + 20, anchor: "middle")
    }
  }

  /// Writes both files.
  ///
  /// - Parameters:
  ///   - name: The name of the light one, without its extension.
  ///   - folder: The folder.
  /// - Throws: The error of writing.
  func write(_ name: String, to folder: URL) throws {
    for palette in Self.palettes {
      let file = folder.appending(path: name + palette.suffix + ".svg")
      try Data(document(palette).utf8).write(to: file)
    }
  }

  /// The points as SVG text.
  private static func points(_ places: [(x: Double, y: Double)]) -> String {
    places.map { number($0.x) + "," + number($0.y) }.joined(separator: " ")
  }

  /// The picture in the colors of a page.
  private func document(_ palette: Palette) -> String {
    let colours = Dictionary(palette.colours.map { ($0.name, $0.colour) }) { $1 }
    func colour(_ name: String) -> String { colours[name] ?? "none" }
    let lines = ["soft", "grid", "green", "orange", "blue"].map { name in
      "polyline.\(name) { stroke: \(colour(name)); }"
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="760" height="\(Int(height))" \
      viewBox="0 0 760 \(Int(height))" role="img" aria-labelledby="title desc">
      <title id="title">\(title)</title>
      <desc id="desc">\(summary)</desc>
      <style>
      text { font: 14px \(Self.fonts); fill: \(colour("text")); }
      .soft { fill: \(colour("soft")); }
      .bold { font-weight: 600; }
      polyline { fill: none; stroke-width: 1.2; stroke-linejoin: round; }
      \(lines.joined(separator: "\n"))
      polyline.green { stroke-width: 2.6; }
      polyline.soft { stroke-dasharray: 5 4; fill: none; }
      rect.green, .band { fill: \(colour("green")); }
      rect.blue { fill: \(colour("blue")); }
      .band { fill-opacity: .14; }
      .half { fill-opacity: .68; }
      .third { fill-opacity: .42; }
      </style>
      \(elements.joined(separator: "\n"))
      </svg>

      """
  }
}
