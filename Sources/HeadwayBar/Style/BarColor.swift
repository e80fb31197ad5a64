/// A colour in sRGB with an opacity, eight bits each.
public struct BarColor: Hashable, Sendable {
  /// Red, from 0 to 255.
  public var red: UInt8
  /// Green, from 0 to 255.
  public var green: UInt8
  /// Blue, from 0 to 255.
  public var blue: UInt8
  /// How much it covers what is below, from 0 for invisible to 255.
  public var opacity: UInt8

  /// Creates a colour.
  ///
  /// - Parameters:
  ///   - red: Red.
  ///   - green: Green.
  ///   - blue: Blue.
  ///   - opacity: How much it covers what is below.
  public init(red: UInt8, green: UInt8, blue: UInt8, opacity: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.opacity = opacity
  }

  /// Creates a colour from its usual number.
  ///
  /// - Parameters:
  ///   - rgb: Red, green and blue with eight bits each, such as `0x0B57D0`; higher bits are ignored.
  ///   - opacity: How much it covers what is below.
  public init(_ rgb: UInt32, opacity: UInt8 = 255) {
    self.init(
      red: UInt8(rgb >> 16 & 0xFF), green: UInt8(rgb >> 8 & 0xFF), blue: UInt8(rgb & 0xFF),
      opacity: opacity)
  }

  /// No colour.
  public static let clear = BarColor(0, opacity: 0)

  /// A colour between this one and another.
  ///
  /// - Parameters:
  ///   - other: The other colour.
  ///   - part: 0 is this one, 1 the other; what is no number or outside counts as the nearer end.
  /// - Returns: The colour between them.
  public func mixed(with other: BarColor, _ part: Double) -> BarColor {
    let part = Int32(part.or(0).limited(to: 0...1) * 256)
    let mix = { (one: UInt8, two: UInt8) in
      UInt8(truncatingIfNeeded: Int32(one) + ((Int32(two) - Int32(one)) * part + 128) >> 8)
    }
    return BarColor(
      red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue),
      opacity: mix(opacity, other.opacity))
  }
}
