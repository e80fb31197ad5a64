/// A colour in sRGB with an opacity, eight bits each.
public struct BarColor: Hashable, Sendable {
  /// Red, green, blue and opacity, the highest byte first.
  public var rgba: UInt32

  /// Creates a colour.
  ///
  /// - Parameters:
  ///   - red: Red.
  ///   - green: Green.
  ///   - blue: Blue.
  ///   - opacity: How much it covers what is below.
  public init(red: UInt8, green: UInt8, blue: UInt8, opacity: UInt8 = 255) {
    rgba = UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(opacity)
  }

  /// Creates a colour from its usual number.
  ///
  /// - Parameters:
  ///   - rgb: Red, green and blue with eight bits each, such as `0x0B57D0`; higher bits are ignored.
  ///   - opacity: How much it covers what is below.
  public init(_ rgb: UInt32, opacity: UInt8 = 255) {
    rgba = rgb << 8 | UInt32(opacity)
  }

  /// No colour.
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
  /// How much it covers what is below, from 0 for invisible to 255.
  public var opacity: UInt8 {
    get { byte(0) }
    set { setByte(0, newValue) }
  }

  /// A colour between this one and another.
  ///
  /// - Parameters:
  ///   - other: The other colour.
  ///   - part: 0 is this one, 1 the other; what is no number or outside counts as the nearer end.
  /// - Returns: The colour, each part of it rounded.
  @inline(never) public func mixed(with other: BarColor, _ part: Double) -> BarColor {
    let part = UInt32(part.or(0).limited(to: 0...1) * 256)
    var mixed: UInt32 = 0
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      let sum = (rgba >> shift & 0xFF) * (256 - part) + (other.rgba >> shift & 0xFF) * part + 128
      mixed |= (sum >> 8) << shift
    }
    return BarColor(rgba: mixed)
  }

  /// Creates a colour from all of its bytes.
  ///
  /// - Parameter rgba: Red, green, blue and opacity, the highest byte first.
  public init(rgba: UInt32) { self.rgba = rgba }

  /// The byte at a bit.
  private func byte(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: rgba >> shift) }

  /// Replaces the byte at a bit.
  private mutating func setByte(_ shift: UInt32, _ byte: UInt8) {
    rgba = rgba & ~(0xFF << shift) | UInt32(byte) << shift
  }
}
