/// HTML that is being written, as UTF-8.
struct Markup {
  /// The most characters of a name that are written; its middle gives way.
  static let mostCharacters = 160

  /// What has been written.
  var bytes: [UInt8] = []

  /// Creates an empty document.
  init() {}

  /// Writes markup as it is: constants of this module, and numbers.
  mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

  /// Writes a text that may hold anything, harmless in content and in attributes.
  mutating func text(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": raw("&amp;")
      case "<": raw("&lt;")
      case ">": raw("&gt;")
      case "\"": raw("&quot;")
      case "'": raw("&#39;")
      default: bytes.append(contentsOf: UTF8.encode(Name.visible(scalar)) ?? .init())
      }
    }
  }

  /// Writes what somebody named, as a text that is not too long.
  mutating func name(_ name: String) { text(Name.shortened(name, to: Self.mostCharacters)) }

  /// Writes an element that holds a text.
  mutating func element(_ name: String, _ attributes: String = "", text content: String) {
    raw(attributes.isEmpty ? "<\(name)>" : "<\(name) \(attributes)>")
    text(content)
    raw("</\(name)>")
  }

  /// Writes a place or a size with one digit behind the point, none where it is zero.
  mutating func number(_ number: Double) {
    let tenths = Int(min(number.magnitude, 1e9) * 10 + 0.5)
    if number < 0, tenths > 0 { bytes.append(UInt8(ascii: "-")) }
    raw(tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)")
  }

  /// Writes an attribute that holds a number, with a space before it.
  mutating func attribute(_ name: String, _ value: Double) {
    raw(" \(name)=\"")
    number(value)
    raw("\"")
  }
}

/// What is done to names before they are shown.
enum Name {
  /// A name with its middle left out when it is too long.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - most: The most scalars that stay, at least 2.
  /// - Returns: The name, or its first third and its end.
  /// - Complexity: O(`most`), however long the name is.
  static func shortened(_ name: String, to most: Int) -> String {
    let scalars = name.unicodeScalars
    guard scalars.index(scalars.startIndex, offsetBy: most + 1, limitedBy: scalars.endIndex) != nil
    else { return name }
    let head = most / 3
    return String(scalars.prefix(head)) + "…" + String(scalars.suffix(most - head - 1))
  }

  /// A scalar, or what stands for it when it would be invisible or turn the text around it.
  static func visible(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0..<0x20: return Unicode.Scalar(0x2400 + scalar.value) ?? "\u{fffd}"
    case 0x7f: return "\u{2421}"
    // Further control characters, marks of direction, and what is never a character.
    case 0x80..<0xa0, 0x061c, 0x200b, 0x200e...0x200f, 0x2028...0x202e, 0x2060...0x206f, 0xfeff,
      0xfdd0...0xfdef, 0xfff0...0xfffb:
      return "\u{fffd}"
    case let value where value & 0xfffe == 0xfffe || value >= 0xe0000 && value < 0xe1000:
      return "\u{fffd}"
    default: return scalar
    }
  }

  /// About how many columns a name takes: two for each wide character.
  static func columns(_ name: String) -> Int {
    name.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
  }

  /// What of a name fits into some columns: all of it, or what stands behind its last slash; nil when neither fits.
  static func fitting(_ name: String, columns most: Int) -> String? {
    guard most > 1 else { return nil }
    let name = shortened(name, to: Markup.mostCharacters)
    if columns(name) <= most { return name }
    guard let slash = name.lastIndex(of: "/") else { return nil }
    let tail = String(name[name.index(after: slash)...])
    return !tail.isEmpty && columns(tail) <= most ? tail : nil
  }
}
