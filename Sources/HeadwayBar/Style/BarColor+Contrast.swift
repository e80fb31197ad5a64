#if !hasFeature(Embedded)
  /// Contrast by WCAG 2.2.
  extension BarColor {
    /// The least contrast of a shape that has a meaning with what surrounds it: success criterion 1.4.11.
    package static let leastContrast = 3.0
    /// What is aimed at: drawing rounds the colors of translucent shapes, and so changes the contrast a little.
    private static let aimedContrast = leastContrast * 1.03
    private static let mixtures = 16

    /// The contrast of two opaque colors, from 1 to 21.
    package func contrast(with other: BarColor) -> Double {
      let (one, other) = (luminance, other.luminance)
      return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    /// The color as it looks when it is drawn on an opaque one.
    package func drawn(on ground: BarColor) -> BarColor {
      ground.interpolated(
        to: BarColor(red: red, green: green, blue: blue), Double(opacity) / 255)
    }

    /// The color itself, or the first mixture with another one that has enough contrast with all surroundings.
    ///
    /// - Parameters:
    ///   - surroundings: The opaque colors beside it.
    ///   - other: The color with which it is mixed, such as that of the text.
    /// - Returns: The color; the other one if no mixture has enough contrast.
    package func standingOut(from surroundings: [BarColor], towards other: BarColor) -> BarColor {
      for step in 0..<Self.mixtures {
        let mixture = interpolated(to: other, Double(step) / Double(Self.mixtures))
        if surroundings.allSatisfy({ mixture.contrast(with: $0) >= Self.aimedContrast }) {
          return mixture
        }
      }
      return other
    }

    /// The relative luminance, from 0 to 1.
    private var luminance: Double {
      let parts = [red, green, blue].map { byte in
        let part = Double(byte) / 255
        return part <= 0.04045 ? part / 12.92 : Self.decoded((part + 0.055) / 1.055)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// A number from 0 to 1 to the power of 2.4, without the math library.
    private static func decoded(_ base: Double) -> Double {
      // The square, and two fifths as the fifth root of the square by Newton's method, which falls to it from 1.
      let square = base * base
      var root = 1.0
      for _ in 0..<32 {
        let fourth = root * root * root * root
        root = (4 * root + square / fourth) / 5
      }
      return square * root
    }
  }
#endif
