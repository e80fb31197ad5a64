internal import HeadwayLibc

/// Text that comes from outside this program: its arguments, and the path of its folder.
///
/// The system hands over bytes. `CommandLine.arguments` and `String(cString:)` replace what is not UTF-8 and say nothing, so
/// that a file of another name would be read or created. Here the bytes are kept as they are, and whoever wants text learns
/// that they are none.
package enum OutsideText {
  /// The arguments of this program as the system has them, with its name.
  package static var arguments: [[UInt8]] {
    var arguments: [[UInt8]] = []
    for index in 0..<Int(CommandLine.argc) {
      guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
      unsafe arguments.append(bytes(of: argument))
    }
    return arguments
  }

  /// The bytes of a C string, without its NUL.
  static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
    unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
  }

  /// Bytes for a message: what is not UTF-8 as `\xE9`, as a shell would take it in `$'…'`.
  ///
  /// - Complexity: O(bytes).
  package static func escaped(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    var (parser, iterator, position) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
    while true {
      switch parser.parseScalar(from: &iterator) {
      case .valid(let encoded):
        text.append(Unicode.UTF8.decode(encoded))
        position += encoded.count
      case .error(let length):
        for byte in bytes[position..<(position + length)] {
          let digits = String(byte, radix: 16, uppercase: true)
          text.append(contentsOf: "\\x\(digits)".unicodeScalars)
        }
        position += length
      case .emptyInput: return String(text)
      }
    }
  }

  /// The path of the current folder if it is not UTF-8, escaped for a message; nil if it is.
  package static var oddFolder: String? {
    guard let path = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(path) }
    let bytes = unsafe bytes(of: path)
    return String(validating: bytes, as: UTF8.self) == nil ? escaped(bytes) : nil
  }
}
