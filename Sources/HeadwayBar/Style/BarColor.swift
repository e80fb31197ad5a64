/// A color in sRGB with opacity, eight bits per component.
public struct BarColor: Hashable, Sendable {
  /// Red, green, blue and opacity, the highest byte first.
  package var rgba: UInt32

  /// Creates a color from its components.
  ///
  /// - Parameters:
  ///   - red: Red.
  ///   - green: Green.
  ///   - blue: Blue.
  ///   - opacity: The opacity, from 0 for transparent to 255.
  public init(red: UInt8, green: UInt8, blue: UInt8, opacity: UInt8 = 255) {
    rgba = UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(opacity)
  }

  /// Creates a color from a hexadecimal RGB number.
  ///
  /// - Parameters:
  ///   - rgb: Red, green and blue with eight bits each, such as `0x0B57D0`; higher bits are ignored.
  ///   - opacity: The opacity, from 0 for transparent to 255.
  public init(_ rgb: UInt32, opacity: UInt8 = 255) {
    rgba = rgb << 8 | UInt32(opacity)
  }

  package init(rgba: UInt32) { self.rgba = rgba }

  /// A transparent color.
  public static let clear = BarColor(0, opacity: 0)

  /// Red, from 0 to 255.
  public var red: UInt8 {
    get { byte(24) }
    set { setByte(24, newValue) }
  }
  /// Green, from 0 to 255.
  public var green: UInt8 {
    get { byte(16) }
    set { setByte(16, newValue) }
  }
  /// Blue, from 0 to 255.
  public var blue: UInt8 {
    get { byte(8) }
    set { setByte(8, newValue) }
  }
  /// The opacity, from 0 for transparent to 255.
  public var opacity: UInt8 {
    get { byte(0) }
    set { setByte(0, newValue) }
  }

  /// Interpolates to another color.
  ///
  /// - Parameters:
  ///   - other: The other color.
  ///   - fraction: 0 is this color and 1 the other, clamped to that range; NaN counts as 0.
  /// - Returns: The color, with rounded components.
  @inline(never) package func interpolated(to other: BarColor, _ fraction: Double) -> BarColor {
    let fraction = UInt32(fraction.finite(or: 0).clamped(to: 0...1) * 256)
    var mixed: UInt32 = 0
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      let sum =
        (rgba >> shift & 0xFF) * (256 - fraction) + (other.rgba >> shift & 0xFF) * fraction + 128
      mixed |= (sum >> 8) << shift
    }
    return BarColor(rgba: mixed)
  }

  private func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: rgba >> shift) }

  private mutating func setByte(_ shift: UInt32, _ byte: UInt8) {
    rgba = rgba & ~(0xFF << shift) | UInt32(byte) << shift
  }
}
