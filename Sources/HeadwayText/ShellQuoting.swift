extension String {
  /// The text as it is written for a shell between single quotes.
  package var insideSingleQuotes: String {
    // Not by characters: a quote and an accent after it are one of them.
    let quote = UInt8(ascii: "'")
    let bytes = utf8.flatMap { $0 == quote ? Array(#"'\''"#.utf8) : [$0] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
