extension Unicode.Scalar {
  /// Whether a terminal acts on the scalar instead of showing it: controls and marks of direction.
  package var isCommand: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// Whether a terminal only shows the text.
  package var isOnlyShown: Bool { !unicodeScalars.contains(where: \.isCommand) }
}
