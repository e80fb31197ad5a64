package import HeadwayBar

/// The style of a character: one of a few with a meaning, or its own colors.
package struct TextStyle: Hashable, Sendable {
  /// The styles with a meaning.
  package enum Kind: UInt8, Sendable {
    /// Ordinary text.
    case plain
    /// The name of the run.
    case bold
    /// Less important text.
    case dim
    /// Success.
    case good
    /// Failure.
    case bad
    /// Something that needs attention.
    case warning
    /// Something that is moving.
    case active
  }

  package var kind: Kind
  /// Whether foreground and background are swapped.
  package var isReversed = false
  /// The color of the character, in place of that of `kind`.
  package var foreground = CellColor.none
  /// The color behind the character.
  package var background = CellColor.none

  /// Ordinary text.
  package static let plain = TextStyle(kind: .plain)
  /// The name of the run.
  package static let bold = TextStyle(kind: .bold)
  /// Less important text.
  package static let dim = TextStyle(kind: .dim)
  /// Success.
  package static let good = TextStyle(kind: .good)
  /// Failure.
  package static let bad = TextStyle(kind: .bad)
  /// Something that needs attention.
  package static let warning = TextStyle(kind: .warning)
  /// Something that is moving.
  package static let active = TextStyle(kind: .active)

  /// The style with foreground and background swapped.
  package var reversed: TextStyle {
    var textStyle = self
    textStyle.isReversed.toggle()
    return textStyle
  }
}

/// The color of a cell as terminals encode it: the default, one of 256, or red, green and blue.
package struct CellColor: Hashable, Sendable {
  /// The kind in the highest byte, and the number or the three components below.
  private let bits: UInt32

  /// The highest byte of a color of the palette.
  private static let paletteMark: UInt32 = 1 << 24
  /// The highest byte of a color in parts.
  private static let partsMark: UInt32 = 2 << 24

  /// Creates a color.
  private init(bits: UInt32) { self.bits = bits }

  /// The default color of the terminal.
  package static let none = CellColor(bits: 0)

  /// Creates the nearest color that a terminal can show.
  ///
  /// - Parameters:
  ///   - color: The color; its opacity is ignored.
  ///   - colors: What the terminal can show.
  package init(_ color: BarColor, _ colors: TerminalColors) {
    switch colors {
    case .few: bits = 0
    case .palette: bits = Self.paletteMark | UInt32(Self.paletteNumber(color))
    case .all:
      bits =
        Self.partsMark | UInt32(color.red) << 16 | UInt32(color.green) << 8 | UInt32(color.blue)
    }
  }

  /// Whether it is the default color of the terminal.
  package var isNone: Bool { bits == 0 }

  /// Appends the parameters that select the color, each after a semicolon.
  ///
  /// - Parameters:
  ///   - base: 38 for the character, 48 for the background.
  ///   - output: The bytes to append to.
  package func append(base: Int, to output: inout [UInt8]) {
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

  /// The index in the palette of 256: the nearest color of the cube of 216 and the ramp of 24 grays.
  private static func paletteNumber(_ color: BarColor) -> UInt8 {
    let parts = [Int(color.red), Int(color.green), Int(color.blue)]
    let cube = parts.map { part in
      steps.indices.min { abs(steps[$0] - part) < abs(steps[$1] - part) } ?? 0
    }
    let mean = parts.reduce(0, +) / 3
    let gray = min(max((mean - 3) / 10, 0), 23)
    /// The squared distance of a color from the requested one.
    func distance(_ other: [Int]) -> Int {
      zip(parts, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    }
    let isGray =
      distance(Array(repeating: 8 + 10 * gray, count: 3)) < distance(cube.map { steps[$0] })
    return UInt8(isGray ? 232 + gray : 16 + 36 * cube[0] + 6 * cube[1] + cube[2])
  }
}
