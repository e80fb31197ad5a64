public import HeadwayBar

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A picture of a bar: what was said and done, and what is seen then, the same on every surface.
///
/// The table of all of them is `cases.json` beside this file, so that tests in other languages read the same one.
public struct BarCase: Decodable, Sendable, CustomStringConvertible {
  /// What it shows, in a few words.
  public let name: String
  /// The width in points.
  public let width: Double
  /// The height in points.
  public let height: Double
  /// The direction, nil for from left to right.
  public let direction: String?
  /// The beginning and the end of the range.
  public let range: [Double]
  /// What reports are about, nil for a clock.
  public let source: String?
  /// The units of the source in a second, nil to learn them.
  public let unitsPerSecond: Double?
  /// What is chosen: `isReadOnly`, `isIndeterminate`, `reducesMotion`, `isDisabled`.
  public let flags: [String]?
  /// The style, where it differs from the default one.
  public let style: [String: StyleValue]?
  /// The calls of methods: the name, then the arguments, the time last.
  public let steps: [[Argument]]
  /// When the picture is taken, in seconds.
  public let time: Double
  /// The value that is shown then.
  public let shown: Double
  /// The shapes: the part, then x, y, width and height in points, to a hundredth.
  public let shapes: [String]
  /// How the shapes look, nil where it is not told: the color, the radius of the corners, the frame that cuts one off with
  /// the radius of its corners, and whether it moves with the value.
  public let looks: [String]?
  /// What a terminal of 20 columns shows, in eighths; nil where it needs more than one row.
  public let cells: String?

  /// An argument of a step: a word or a number.
  public enum Argument: Decodable, Sendable {
    /// A word.
    case word(String)
    /// A number.
    case number(Double)

    /// Reads a word or a number.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let word = try? container.decode(String.self) {
        self = .word(word)
      } else {
        self = .number(try container.decode(Double.self))
      }
    }
  }

  /// A value of a style: a number, numbers, pairs of them, or a color such as `#0b57d0`.
  public enum StyleValue: Decodable, Sendable {
    /// A number.
    case number(Double)
    /// Numbers.
    case numbers([Double])
    /// Pairs of numbers.
    case ranges([[Double]])
    /// A color.
    case color(String)
    /// Yes or no.
    case flag(Bool)

    /// Reads whichever it is.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let color = try? container.decode(String.self) {
        self = .color(color)
      } else if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let numbers = try? container.decode([Double].self) {
        self = .numbers(numbers)
      } else {
        self = .ranges(try container.decode([[Double]].self))
      }
    }
  }

  /// The name, for the list of tests.
  public var description: String { name }

  /// All cases of the table.
  ///
  /// - Returns: The cases; none and a failed precondition where the file cannot be read.
  public static func all() -> [BarCase] {
    let path = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    do {
      let data = try Data(contentsOf: URL(filePath: "\(path)/cases.json"))
      return try JSONDecoder().decode([BarCase].self, from: data)
    } catch {
      preconditionFailure("Tests/BarCases/cases.json: \(error)")
    }
  }

  // MARK: Playing it

  /// The bar at the time of the picture.
  ///
  /// - Parameter offset: How far everything is drawn from its place, for a bar that is wrong on purpose.
  /// - Returns: The bar after all steps.
  public func bar(offset: Double = 0) -> ProgressBar {
    var bar = ProgressBar(
      range: range[0]...range[1], source: source == "forecast" ? .forecast : .reports,
      unitsPerSecond: unitsPerSecond)
    bar.layout = BarLayout(width: width, height: height)
    bar.layout.offset = offset
    switch direction {
    case "rightToLeft": bar.layout.direction = .rightToLeft
    case "upwards": bar.layout.direction = .upwards
    default: break
    }
    for flag in flags ?? [] {
      switch flag {
      case "isReadOnly": bar.isReadOnly = true
      case "isDisabled": bar.isDisabled = true
      case "isIndeterminate": bar.isIndeterminate = true
      case "reducesMotion": bar.reducesMotion = true
      default: preconditionFailure("\(name): no flag is called \(flag)")
      }
    }
    var look = BarStyle()
    for (field, value) in style ?? [:] { set(field, value, in: &look) }
    bar.setStyle(look, at: 0)
    for step in steps { play(step, on: &bar) }
    bar.advance(to: time)
    return bar
  }

  /// What is seen, in the words of the table.
  ///
  /// - Parameter bar: The bar.
  /// - Returns: A line for each shape.
  public func lines(of bar: ProgressBar) -> [String] {
    var drawing: [BarShape] = []
    bar.draw(at: time, into: &drawing)
    return drawing.map { shape in
      let numbers = [shape.rect.x, shape.rect.y, shape.rect.width, shape.rect.height]
      return "\(shape.part) " + numbers.map(Self.hundredths).joined(separator: " ")
    }
  }

  /// How it looks, in the words of the table.
  ///
  /// - Parameter bar: The bar.
  /// - Returns: A line for each shape, such as `#0b57d0ff 2 in 0 10 200 4 2 moves`.
  public func looks(of bar: ProgressBar) -> [String] {
    var drawing: [BarShape] = []
    bar.draw(at: time, into: &drawing)
    return drawing.map { shape in
      let digits = String(shape.color.rgba, radix: 16)
      var line = "#" + String(repeating: "0", count: 8 - digits.count) + digits
      line += " " + Self.hundredths(shape.radius)
      if let clip = shape.clip {
        let frame = [clip.rect.x, clip.rect.y, clip.rect.width, clip.rect.height, clip.radius]
        line += " in " + frame.map(Self.hundredths).joined(separator: " ")
      }
      return shape.followsValue ? line + " moves" : line
    }
  }

  /// A number to a hundredth, without needless zeros.
  ///
  /// - Parameter number: The number.
  /// - Returns: The text.
  public static func hundredths(_ number: Double) -> String {
    let rounded = (number * 100).rounded() / 100
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }

  /// Calls a method of the bar.
  private func play(_ step: [Argument], on bar: inout ProgressBar) {
    var words: [String] = []
    var numbers: [Double] = []
    for argument in step {
      switch argument {
      case .word(let word): words.append(word)
      case .number(let number): numbers.append(number)
      }
    }
    let now = numbers[numbers.count - 1]
    switch words[0] {
    case "setRange": bar.setRange(from: numbers[0], to: numbers[1], at: now)
    case "setValue": bar.setValue(numbers[0], at: now)
    case "animate": bar.animate(to: numbers[0], over: numbers[1], at: now)
    case "report": bar.report(numbers[0], at: now)
    case "reportRate": bar.report(numbers[0], rate: numbers[1], at: now)
    case "seek": bar.seek(to: numbers[0], at: now)
    case "pause": bar.pause(at: now)
    case "resume": bar.resume(at: now)
    case "stall": bar.stall(at: now)
    case "setPlaybackRate": bar.setPlaybackRate(numbers[0], at: now)
    case "removeAnimation": bar.removeAnimation(at: now)
    case "reset": bar.reset(at: now)
    case "pointerDown": _ = bar.pointerDown(x: numbers[0], y: numbers[1], at: now)
    case "pointerMoved": bar.pointerMoved(x: numbers[0], y: numbers[1], at: now)
    case "pointerUp": bar.pointerUp(x: numbers[0], y: numbers[1], at: now)
    case "cancelDrag": bar.cancelDrag(at: now)
    case "press": _ = bar.press(words[1] == "end" ? .end : .right, at: now)
    case "changeStyle":
      bar.changeStyle(over: numbers[1], at: now) { set(words[1], .number(numbers[0]), in: &$0) }
    default: preconditionFailure("\(name): no step is called \(words[0])")
    }
  }

  /// Sets a value of a style.
  private func set(_ field: String, _ value: StyleValue, in style: inout BarStyle) {
    switch (field, value) {
    case ("barHeight", .number(let number)): style.barHeight = number
    case ("fillHeight", .number(let number)): style.fillHeight = number
    case ("cornerRadius", .number(let number)): style.cornerRadius = number
    case ("dotSize", .number(let number)): style.dotSize = number
    case ("hoverDotSize", .number(let number)): style.hoverDotSize = number
    case ("dragDotSize", .number(let number)): style.dragDotSize = number
    case ("gap", .number(let number)): style.gap = number
    case ("markWidth", .number(let number)): style.markWidth = number
    case ("icon", .number(let number)): style.icon = Int(number)
    case ("iconScale", .number(let number)): style.iconScale = number
    case ("marks", .numbers(let marks)): style.marks = marks
    case ("bufferedRanges", .ranges(let ranges)):
      style.bufferedRanges = ranges.map { $0[0]...$0[1] }
    case ("defaultColor", .color(let color)): style.defaultColor = Self.color(color)
    case ("inProgressColor", .color(let color)): style.inProgressColor = Self.color(color)
    case ("dragColor", .color(let color)): style.dragColor = Self.color(color)
    case ("dotColor", .color(let color)): style.dotColor = Self.color(color)
    case ("isDraggable", .flag(let flag)): style.isDraggable = flag
    default: preconditionFailure("\(name): no value of a style is called \(field)")
    }
  }

  /// A color from its usual text.
  private static func color(_ text: String) -> BarColor {
    BarColor(UInt32(text.dropFirst(), radix: 16) ?? 0)
  }
}
