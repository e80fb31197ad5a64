import Foundation
import HeadwayCollections
import HeadwayText
import Testing

@testable import HeadwayRun

/// Objects of JSON, from this program and from any other.
struct JSONObjectTests {
  /// The object of a text, in the middle of other bytes.
  private func read(_ text: String) throws -> JSONObject {
    let bytes = Array("[\(text)]".utf8)
    return try JSONObject(bytes, in: 1..<bytes.count - 1)
  }

  /// The line of an event.
  private func line(_ event: RunEvent) -> String {
    var line = JSONLine(names: [])
    line.begin()
    event.write(to: &line)
    line.end()
    return String(decoding: line.bytes, as: UTF8.self)
  }

  @Test func `An event is read as by a decoder`() throws {
    var generator = SplitMix64(seed: 31)
    for _ in 0..<2_000 {
      let text = line(EventExamples.random(&generator))
      let fields = try read(text)
      let expected = try JSONDecoder().decode(RunEvent.self, from: Data(text.utf8))
      #expect(try RunEvent(EventFields(fields)) == expected, "\(text)")
    }
  }

  @Test(arguments: GoldenLine.all) func `A documented line is read`(golden: GoldenLine) throws {
    let fields = try read(golden.line)
    let expected = try JSONDecoder().decode(RunEvent.self, from: Data(golden.line.utf8))
    #expect(try RunEvent(EventFields(fields)) == expected)
  }

  @Test(arguments: GoldenLine.all) func `A part of a line is refused`(golden: GoldenLine) {
    let bytes = Array(golden.line.utf8)
    for end in 0..<bytes.count {
      #expect(throws: DecodingError.self, "\(golden.line.prefix(end))") {
        try JSONObject(bytes[..<end])
      }
    }
    #expect(throws: DecodingError.self) { try JSONObject(bytes + [0x7D]) }
  }

  @Test func `A text comes back, whatever it has in it`() throws {
    var generator = SplitMix64(seed: 32)
    let scalars = Array(
      "ab\"\\/\n\r\t\u{8}\u{C}\u{0}\u{1B}\u{7F}\u{9B}\u{202E}é漢😀\u{10FFFF}".unicodeScalars)
    for _ in 0..<2_000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        text.unicodeScalars.append(scalars.randomElement(using: &generator) ?? "a")
      }
      var line = JSONLine(names: [])
      line.begin()
      line.add(named: "one", text: text)
      line.add(named: "many", texts: [text, "", text])
      line.end()
      let fields = try read(String(decoding: line.bytes, as: UTF8.self))
      #expect(try fields.text("one") == text)
      #expect(try fields.texts("many") == [text, "", text])
    }
  }

  @Test func `A number is read exactly`() throws {
    let fields = try read(
      """
      {"max":\(Int.max),"min":\(Int.min),"over":9223372036854775808,"under":-9223372036854775809,\
      "part":0.25,"large":1e300,"half":1.5,"huge":1e400,"word":null,"list":[1,-2,30],"none":[],"text":"7"}
      """)
    #expect(try fields.number("max") == Int.max && fields.number("min") == Int.min)
    #expect(try fields.numbers("list") == [1, -2, 30] && fields.numbers("none") == [])
    #expect(try fields.fraction("part") == 0.25 && fields.fraction("large") == 1e300)
    #expect(try fields.fraction("max") == Double(Int.max))
    for name in ["over", "under", "half", "word", "list", "text", "missing"] {
      #expect(throws: DecodingError.self) { try fields.number(name) }
    }
    for name in ["huge", "word", "list", "text", "missing"] {
      #expect(throws: DecodingError.self) { try fields.fraction(name) }
    }
  }

  @Test func `A time is the same nanosecond as its decimal text`() throws {
    var generator = SplitMix64(seed: 33)
    for _ in 0..<2_000 {
      let size = Int64.random(in: 0...62, using: &generator)
      let time = Duration.nanoseconds(Int64.random(in: 0...1 << size, using: &generator))
      var bytes = Array(#"{"time":"#.utf8)
      JSONSeconds(time).append(to: &bytes)
      bytes.append(UInt8(ascii: "}"))
      let fields = try JSONObject(bytes[...])
      #expect(try EventFields(fields).duration(.time) == time)
    }
    for text in ["-1.500", "1e3", "0.1234567891", "123456789012.5"] {
      let fields = try read("{\"time\":\(text)}")
      let expected = try #require(Double(text).flatMap(JSONSeconds.init)).duration
      #expect(try fields.seconds("time") == nil)
      #expect(try EventFields(fields).duration(.time) == expected)
    }
  }

  @Test(arguments: [
    #"{}"#, " \t\r\n{ \t\r\n} \t\r\n", #"{ "a" : 1 , "b" : [ ] }"#, #"{"a":[1 , 2,{ } ,[ [ ]]]}"#,
    #"{"":0}"#, #"{"a":-0}"#, #"{"a":-0.0e-0}"#, #"{"a":0E+1}"#, #"{"a":1.5E300}"#,
    #"{"a":123456789012345678901234567890}"#, #"{"a":[true,false,null]}"#, #"{"a":"\/\b\u0000"}"#,
    #"{"a":"\ud83d\ude00\uD83D\uDE00"}"#, "{\"a\":\"\u{7F}é\u{2028}😀\"}", #"{"a":{"a":{"a":1}}}"#,
  ]) func `JSON is read, however it is written`(text: String) throws {
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    _ = try read(text)
  }

  @Test(arguments: [
    "", " ", "{", "}", "[", "{a:1}", "{'a':1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{,"a":1}"#,
    #"{"a":1,,"b":2}"#, #"{"a":1"b":2}"#, #"{"a" 1}"#, #"{"a":1}}"#, #"{"a":1}{}"#, #"{"a":1}x"#,
    #"{"a":[1}"#, #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{"a":[1 2]}"#, #"{"a":{"b":1]}"#,
    #"{"a":{1:2}}"#,
    #"{"a":{"b"}}"#, #"{"a":+1}"#, #"{"a":-}"#, #"{"a":01}"#, #"{"a":-01}"#, #"{"a":.5}"#,
    #"{"a":1.}"#,
    #"{"a":1e}"#, #"{"a":1e+}"#, #"{"a":0x1}"#, #"{"a":1a}"#, #"{"a":nan}"#, #"{"a":Infinity}"#,
    #"{"a":True}"#, #"{"a":nul}"#, #"{"a":nulll}"#, #"{"a":"\"}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#,
    #"{"a":"\u+123"}"#, #"{"a":"\u12g4"}"#, #"{"a":"\ud83d"}"#, #"{"a":"\ude00"}"#,
    #"{"a":"\ud83d\u0041"}"#, #"{"a":"\ud83d!"}"#, #"{"a":"\ud83d\n"}"#, "{\"a\":\"\n\"}",
    "{\"a\":\"\u{0}\"}", "{\u{A0}}", "\u{FEFF}{}", #"{"a":1}/**/"#, #"{"a":1,"b":2,"a":3}"#,
    #"{"a":1,"\u0061":2}"#,
    "[]", "7", "null", #""text""#, "{]", #"{"a":1]"#,
  ]) func `Anything else is refused, and said where`(text: String) throws {
    let error = #expect(throws: DecodingError.self) { try read(text) }
    let words = try #require(error?.words)
    #expect(words.hasPrefix("not JSON: ") || words == "the line must be an object", "\(words)")
  }

  @Test func `A problem is at the byte at which it is`() {
    for (text, words) in [
      (#"{"a":1 x}"#, "unexpected 'x', at byte 7"), (#"{"a":tru}"#, "unexpected 't', at byte 5"),
      (#"{"a":"\u12"}"#, "an escape in a text is not valid, at byte 6"),
      (#"{"a":[1"#, "the text ends too early, at byte 7"),
      (#"{"b":1,"b":2}"#, "a field appears twice, at byte 7"),
      ("{\"a\":é}", "unexpected byte 0xc3, at byte 5"),
      (#"{"a":1.}"#, "a number is not valid, at byte 5"),
    ] {
      let error = #expect(throws: DecodingError.self) { try read(text) }
      #expect(error?.words == "not JSON: \(words)")
    }
  }

  @Test func `Bytes that are not UTF-8 are refused`() {
    for bytes in [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80],
    ] as [[UInt8]] {
      for text in [#"{"a":""#, #"{""#, "{"] {
        #expect(throws: DecodingError.self) {
          try JSONObject((Array(text.utf8) + bytes + Array(#"":1}"#.utf8))[...])
        }
      }
    }
  }

  @Test func `Objects in one another are read, down to a limit`() throws {
    let fields = try read(#"{"list":[{"a":1},{"a":[{"b":"}"}]},{}],"x":{"y":true}}"#)
    var names: [Bool] = []
    try fields.each("list") { names.append($0.contains("a")) }
    #expect(names == [true, true, false])
    // An object in a list at the deepest level is read, too.
    let start = String(repeating: #"{"a":[{"b":"#, count: 681)
    let end = String(repeating: "}]}", count: 681)
    var deepest = try read("\(start){\"c\":[{\"d\":7,\"e\":[[]]}]}\(end)")
    for _ in 0..<681 {
      var inner: JSONObject?
      try deepest.each("a") { inner = try $0.object("b") }
      deepest = try #require(inner)
    }
    var last: Int?
    try deepest.each("c") { last = try $0.number("d") }
    #expect(last == 7)
    #expect(try fields.object("x").flag("y"))
    #expect(throws: DecodingError.self) { try fields.each("x") { _ in } }
    #expect(throws: DecodingError.self) { try fields.object("list") }
    func nested(_ depth: Int) -> String {
      "{\"a\":\(String(repeating: "[", count: depth - 1))\(String(repeating: "]", count: depth - 1))}"
    }
    for depth in [64, 65, 128, 2_048] { _ = try read(nested(depth)) }
    for depth in [2_049, 10_000] {
      #expect(throws: DecodingError.self) { try read(nested(depth)) }
    }
    // Lists and objects in turn, which all have to end as they began.
    let mixed = (0..<200).map { $0.isMultiple(of: 3) ? #"{"a":"# : "[" }.joined()
    let ends = (0..<200).reversed().map { $0.isMultiple(of: 3) ? "}" : "]" }
    _ = try read(mixed + "1" + ends.joined())
    for place in ends.indices {
      var wrong = ends
      wrong[place] = wrong[place] == "]" ? "}" : "]"
      #expect(throws: DecodingError.self) { try read(mixed + "1" + wrong.joined()) }
    }
    // One in another is as deep as it is in its line.
    var inner = try read(
      String(repeating: #"{"a":"#, count: 2_048) + "1" + String(repeating: "}", count: 2_048))
    for _ in 1..<2_048 { inner = try inner.object("a") }
    #expect(try inner.number("a") == 1)
  }

  @Test func `A field is found by its name, however that is written`() throws {
    let fields = try read(#"{"\u0061b":1,"\"":2,"é":3,"":4,"a":5}"#)
    for (name, number) in [("ab", 1), ("\"", 2), ("é", 3), ("", 4), ("a", 5)] {
      #expect(try fields.number(name) == number)
    }
    // Names are bytes: another way to write the same letter is another name.
    #expect(!fields.contains("e\u{301}") && !fields.contains("b"))
    _ = try read(#"{"é":1,"e\#u{301}":2}"#)
    let many = (0..<1_000).map { "\"\($0)\":\($0)" }.joined(separator: ",")
    #expect(try read("{\(many)}").number("999") == 999)
    #expect(throws: DecodingError.self) { try read("{\(many),\"500\":1}") }
  }

  @Test func `A random object comes back, whatever is around its values`() throws {
    var generator = SplitMix64(seed: 34)
    for _ in 0..<1_000 {
      let text = object(depth: 0, &generator)
      let fields = try read(text)
      let expected = try #require(
        JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      for (name, value) in expected {
        switch value {
        case let text as String: #expect(try fields.text(name) == text)
        case is [Any]: #expect(throws: DecodingError.self) { try fields.object(name) }
        case is [String: Any]: _ = try fields.object(name)
        case is NSNull: #expect(try fields.isNull(name))
        default: #expect((try? fields.flag(name)) != nil || (try? fields.fraction(name)) != nil)
        }
      }
      // One byte less, or another one: it is JSON or not, as others see it, too.
      var bytes = Array(text.utf8)
      bytes[Int.random(in: bytes.indices, using: &generator)] =
        Array(#" "\{}[],:0-.etu"#.utf8)
        .randomElement(using: &generator) ?? 0
      let isObject = (try? JSONSerialization.jsonObject(with: Data(bytes))) is [String: Any]
      let shown = String(decoding: bytes, as: UTF8.self)
      if (try? JSONObject(bytes[...])) != nil { #expect(isObject, "\(shown)") }
    }
  }

  /// A random object, with blanks and escapes where there can be some.
  private func object(depth: Int, _ generator: inout SplitMix64) -> String {
    let fields = (0..<Int.random(in: 0...4, using: &generator)).map { index in
      "\(blanks(&generator))\"\(index)\(word(&generator))\"\(blanks(&generator)):\(value(depth: depth, &generator))"
    }
    return "{\(fields.joined(separator: ","))\(blanks(&generator))}"
  }

  private func value(depth: Int, _ generator: inout SplitMix64) -> String {
    let scalars = [
      "true", "false", "null", "0", "-1", "12.5", "1E-3", "7e+2", "\"\(word(&generator))\"",
    ]
    let text =
      switch depth < 4 ? Int.random(in: 0...3, using: &generator) : 0 {
      case 1: object(depth: depth + 1, &generator)
      case 2:
        "[\((0..<Int.random(in: 0...3, using: &generator)).map { _ in value(depth: depth + 1, &generator) }.joined(separator: ","))]"
      default: scalars.randomElement(using: &generator) ?? "0"
      }
    return "\(blanks(&generator))\(text)\(blanks(&generator))"
  }

  private func blanks(_ generator: inout SplitMix64) -> String {
    ["", "", " ", "\n\t", "\r\n"].randomElement(using: &generator) ?? ""
  }

  private func word(_ generator: inout SplitMix64) -> String {
    let pieces = [
      "a", "é", "😀", #"\""#, #"\\"#, #"\u00e9"#, #"\uD83D\uDE00"#, #"\n"#, "}", "]", ",",
    ]
    return (0..<Int.random(in: 0...3, using: &generator)).map { _ in
      pieces.randomElement(using: &generator) ?? ""
    }.joined()
  }
}
