extension Unicode.Scalar {
  /// Whether the scalar is in a block that is written from right to left, such as Hebrew or Arabic.
  ///
  /// Unassigned code points of these blocks count, too (UAX #9, the default values of `Bidi_Class`).
  package var isRightToLeft: Bool {
    switch value {
    case 0x0590..<0x0900, 0xFB1D..<0xFDD0, 0xFDF0..<0xFE00, 0xFE70..<0xFEFF: true
    case 0x10800..<0x11000, 0x1E800..<0x1F000: true
    default: false
    }
  }
}
