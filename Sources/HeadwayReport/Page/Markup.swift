internal import HeadwayText

/// An HTML document in UTF-8 that is being written.
struct Markup {
  /// The maximum number of characters of a name.
  static let maxNameLength = 160

  var bytes: [UInt8] = []

  /// Writes markup without escaping it: constants of this module, and numbers.
  mutating func raw(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

  /// Writes untrusted text, escaped for content and attributes.
  mutating func text(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": raw("&amp;")
      case "<": raw("&lt;")
      case ">": raw("&gt;")
      case "\"": raw("&quot;")
      case "'": raw("&#39;")
      default:
        bytes.append(
          contentsOf: UTF8.encode(scalar.isUnsafeInText ? "\u{FFFD}" : scalar) ?? .init())
      }
    }
  }

  /// Writes an untrusted name, truncated to the maximum length.
  mutating func name(_ name: String) { text(Name.truncated(name, to: Self.maxNameLength)) }

  /// Writes an element with a text.
  mutating func element(_ name: String, _ attributes: String = "", text content: String) {
    raw(attributes.isEmpty ? "<\(name)>" : "<\(name) \(attributes)>")
    text(content)
    raw("</\(name)>")
  }

  /// Writes a coordinate with one decimal digit, none if it is zero.
  mutating func number(_ number: Double) {
    let tenths = Int(min(number.magnitude, 1e9) * 10 + 0.5)
    if number < 0, tenths > 0 { bytes.append(UInt8(ascii: "-")) }
    raw(tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)")
  }

  /// Writes a space and an attribute with a number.
  mutating func attribute(_ name: String, _ value: Double) {
    raw(" \(name)=\"")
    number(value)
    raw("\"")
  }

  /// Appends a text of a picture.
  mutating func label(_ style: String, x: Double, y: Double, _ content: String) {
    raw("<text class=\"\(style)\"")
    attribute("x", x)
    attribute("y", y)
    raw(">")
    text(content)
    raw("</text>")
  }

  /// Appends an entry of a legend: a shape and what it means.
  mutating func key(_ shape: String, _ words: String) {
    raw("<li><svg width=\"22\" height=\"12\" aria-hidden=\"true\">\(shape)</svg> ")
    text(words)
    raw("</li>")
  }
}

/// Truncates names.
enum Name {
  /// Truncates a name in its middle, to its first third and its end.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - count: The maximum number of scalars, at least 2.
  /// - Returns: The truncated name.
  /// - Complexity: O(`count`), however long the name is.
  static func truncated(_ name: String, to count: Int) -> String {
    let scalars = name.unicodeScalars
    guard scalars.index(scalars.startIndex, offsetBy: count + 1, limitedBy: scalars.endIndex) != nil
    else { return name }
    let head = count / 3
    return String(scalars.prefix(head)) + "…" + String(scalars.suffix(count - head - 1))
  }

  /// The name, or the part after its last slash, if it fits into a number of columns; nil if neither does.
  static func fitting(_ name: String, columns: Int) -> String? {
    guard columns > 1 else { return nil }
    let name = truncated(name, to: Markup.maxNameLength)
    if TextWidth.columns(of: name) <= columns { return name }
    guard let slash = name.lastIndex(of: "/") else { return nil }
    let tail = String(name[name.index(after: slash)...])
    return !tail.isEmpty && TextWidth.columns(of: tail) <= columns ? tail : nil
  }
}
