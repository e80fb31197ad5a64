internal import HeadwayBar

/// How a character is set: in one of a few ways that each have a meaning, or in colours of its own.
struct Pen: Hashable, Sendable {
  /// The few ways in which text is set, each with a meaning.
  enum Kind: UInt8, Sendable {
    /// Text like any other.
    case plain
    /// The name of the run.
    case bold
    /// What may be overlooked.
    case dim
    /// What went right.
    case good
    /// What went wrong.
    case bad
    /// What needs attention.
    case warning
    /// What moves.
    case active
  }

  /// What it means.
  var kind: Kind
  /// Whether character and ground change places.
  var isReversed = false
  /// The colour of the character, in place of the one that `kind` has.
  var ink = CellColor.none
  /// The colour behind it.
  var ground = CellColor.none

  /// Text like any other.
  static let plain = Pen(kind: .plain)
  /// The name of the run.
  static let bold = Pen(kind: .bold)
  /// What may be overlooked.
  static let dim = Pen(kind: .dim)
  /// What went right.
  static let good = Pen(kind: .good)
  /// What went wrong.
  static let bad = Pen(kind: .bad)
  /// What needs attention.
  static let warning = Pen(kind: .warning)
  /// What moves.
  static let active = Pen(kind: .active)

  /// The same with character and ground exchanged.
  var reversed: Pen {
    var pen = self
    pen.isReversed.toggle()
    return pen
  }
}

/// A colour of a cell, as terminals take it: none of its own, one of 256, or red, green and blue.
struct CellColor: Hashable, Sendable {
  /// What kind it is in the highest byte, and the number or the three parts below.
  private let bits: UInt32

  /// The highest byte of a colour of the palette.
  private static let paletteMark: UInt32 = 1 << 24
  /// The highest byte of a colour in parts.
  private static let partsMark: UInt32 = 2 << 24

  /// Creates a colour.
  private init(bits: UInt32) { self.bits = bits }

  /// The one that the terminal has.
  static let none = CellColor(bits: 0)

  /// Creates the nearest colour that a terminal has.
  ///
  /// - Parameters:
  ///   - color: The colour, whose opacity is not looked at.
  ///   - colours: What the terminal can show.
  init(_ color: BarColor, _ colours: TerminalColours) {
    switch colours {
    case .few: bits = 0
    case .palette: bits = Self.paletteMark | UInt32(Self.paletteNumber(color))
    case .all:
      bits =
        Self.partsMark | UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
    }
  }

  /// Whether it is the one that the terminal has.
  var isNone: Bool { bits == 0 }

  /// Appends the parameters that choose it, each with a semicolon before it.
  ///
  /// - Parameters:
  ///   - base: 38 for the character, 48 for the ground.
  ///   - output: The bytes to append to.
  func append(base: Int, to output: inout [UInt8]) {
    guard bits != 0 else { return }
    let isPalette = bits & Self.partsMark == 0
    for number in [base, isPalette ? 5 : 2] { Self.append(number, to: &output) }
    if isPalette { return Self.append(Int(bits & 0xFF), to: &output) }
    for shift in [16, 8, 0] as [UInt32] { Self.append(Int(bits >> shift & 0xFF), to: &output) }
  }

  /// Appends a parameter.
  private static func append(_ number: Int, to output: inout [UInt8]) {
    output.append(UInt8(ascii: ";"))
    Escape.append(number: number, to: &output)
  }

  /// The brightness of the six steps of the palette's cube.
  private static let steps: [Int] = [0, 95, 135, 175, 215, 255]

  /// The number in the palette of 256: the nearer of the cube of 216 and the ramp of 24 greys.
  private static func paletteNumber(_ color: BarColor) -> UInt8 {
    let parts = [Int(color.red), Int(color.green), Int(color.blue)]
    let cube = parts.map { part in
      steps.indices.min { abs(steps[$0] - part) < abs(steps[$1] - part) } ?? 0
    }
    let mean = parts.reduce(0, +) / 3
    let grey = min(max((mean - 3) / 10, 0), 23)
    /// The square of the distance of a colour to the wanted one.
    func distance(_ other: [Int]) -> Int {
      zip(parts, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    let isGrey =
      distance(Array(repeating: 8 + 10 * grey, count: 3)) < distance(cube.map { steps[$0] })
    return UInt8(isGrey ? 232 + grey : 16 + 36 * cube[0] + 6 * cube[1] + cube[2])
  }
}
