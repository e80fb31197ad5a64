internal import CJansson

/// A JSON text that was read, and a value in it.
///
/// Jansson parses it: it accepts RFC 8259 only, in UTF-8, refuses a key that is there twice and integers of more than 64 bits,
/// and limits the depth to 2,048.
@safe
struct JSONValue {
  /// The text, which owns all its values.
  @safe
  private final class Text {
    let root: UnsafeMutablePointer<json_t>

    init(_ root: UnsafeMutablePointer<json_t>) { unsafe self.root = root }

    deinit { unsafe json_decref(root) }
  }

  private let text: Text
  private let value: UnsafeMutablePointer<json_t>

  /// Parses a text.
  ///
  /// - Parameter bytes: The whole text.
  /// - Throws: `DecodingError.dataCorrupted` that says what is wrong and where.
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>) throws {
    var problem = json_error_t()
    let flags = Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL)
    let root = unsafe bytes.withUnsafeBytes { buffer in
      unsafe json_loadb(
        buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count, flags, &problem)
    }
    guard let root = unsafe root else {
      let message = unsafe withUnsafeBytes(of: &problem.text) { text in
        unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
      }
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: [], debugDescription: "not JSON: \(message), at byte \(problem.position)"))
    }
    text = unsafe Text(root)
    unsafe value = root
  }

  private init(_ value: UnsafeMutablePointer<json_t>, of text: Text) {
    self.text = text
    unsafe self.value = value
  }

  private func has(_ type: json_type) -> Bool { unsafe value.pointee.type == type }

  /// Whether this is null.
  var isNull: Bool { has(JSON_NULL) }

  /// The Boolean, nil if this is none.
  var flag: Bool? { has(JSON_TRUE) ? true : has(JSON_FALSE) ? false : nil }

  /// The whole number, nil if this is none.
  var integer: Int64? { has(JSON_INTEGER) ? unsafe Int64(json_integer_value(value)) : nil }

  /// The number, nil if this is none.
  var number: Double? {
    has(JSON_REAL) ? unsafe json_real_value(value) : integer.map { Double($0) }
  }

  /// The text, nil if this is none.
  var string: String? {
    guard has(JSON_STRING), let start = unsafe json_string_value(value) else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: json_string_length(value))
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  /// Whether this is an object.
  var isObject: Bool { has(JSON_OBJECT) }

  /// The values of a list, nil if this is none.
  ///
  /// - Complexity: O(values).
  var list: [JSONValue]? {
    guard has(JSON_ARRAY) else { return nil }
    return unsafe (0..<json_array_size(value)).compactMap { index in
      unsafe json_array_get(value, index).map { unsafe JSONValue($0, of: text) }
    }
  }

  /// The value under a key of an object, nil if there is none.
  subscript(key: String) -> JSONValue? {
    unsafe json_object_get(value, key).map { unsafe JSONValue($0, of: text) }
  }

  /// The keys of an object, in the order of the text.
  var keys: [String] {
    var keys: [String] = []
    var next = unsafe json_object_iter(value)
    while let iterator = unsafe next {
      if let key = unsafe json_object_iter_key(iterator) {
        keys.append(unsafe String(cString: key))
      }
      unsafe next = json_object_iter_next(value, iterator)
    }
    return keys
  }
}
