import Foundation
import HeadwayCollections
import HeadwayText
import Testing

@testable import HeadwayRun

/// The fast way to read lines that this program wrote.
struct JSONLineFieldsTests {
  /// The fields of a text, nil if it is in another form.
  private func find(_ text: String) -> JSONLineFields? {
    // They are in the middle of other bytes.
    let bytes = Array("[\(text)]".utf8)
    return JSONLineFields(bytes, in: 1..<bytes.count - 1)
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
      let fields = try #require(find(text), "\(text)")
      let expected = try JSONDecoder().decode(RunEvent.self, from: Data(text.utf8))
      #expect(try RunEvent(EventFields(fields)) == expected, "\(text)")
    }
  }

  @Test(arguments: GoldenLine.all) func `A documented line is read`(golden: GoldenLine) throws {
    let fields = try #require(find(golden.line))
    let expected = try JSONDecoder().decode(RunEvent.self, from: Data(golden.line.utf8))
    #expect(try RunEvent(EventFields(fields)) == expected)
  }

  @Test(arguments: GoldenLine.all) func `A part of a line is refused`(golden: GoldenLine) {
    let bytes = Array(golden.line.utf8)
    for end in 0..<bytes.count {
      #expect(JSONLineFields(bytes, in: 0..<end) == nil, "\(golden.line.prefix(end))")
    }
    #expect(JSONLineFields(bytes + [0x7D], in: 0..<bytes.count + 1) == nil)
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
      let fields = try #require(find(String(decoding: line.bytes, as: UTF8.self)))
      #expect(try fields.text("one") == text)
      #expect(try fields.texts("many") == [text, "", text])
    }
  }

  @Test func `A number is read exactly`() throws {
    let fields = try #require(
      find(
        """
        {"max":\(Int.max),"min":\(Int.min),"over":9223372036854775808,"under":-9223372036854775809,\
        "part":0.25,"large":1e300,"half":1.5,"minus":-,"word":nan,"list":[1,-2,30],"none":[],"text":"7"}
        """))
    #expect(try fields.number("max") == Int.max && fields.number("min") == Int.min)
    #expect(try fields.numbers("list") == [1, -2, 30] && fields.numbers("none") == [])
    #expect(try fields.fraction("part") == 0.25 && fields.fraction("large") == 1e300)
    #expect(try fields.fraction("max") == Double(Int.max))
    for name in ["over", "under", "half", "minus", "word", "list", "text", "missing"] {
      #expect(throws: DecodingError.self) { try fields.number(name) }
    }
    for name in ["minus", "word", "list", "text", "missing"] {
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
      let fields = try #require(JSONLineFields(bytes, in: bytes.indices))
      #expect(try EventFields(fields).duration(.time) == time)
    }
    for text in ["-1.500", "1e3", "0.1234567891", "123456789012.5"] {
      let fields = try #require(find("{\"time\":\(text)}"))
      let expected = try #require(Double(text).flatMap(JSONSeconds.init)).duration
      #expect(try fields.seconds("time") == nil)
      #expect(try EventFields(fields).duration(.time) == expected)
    }
  }

  @Test(arguments: [
    "", "{", "}", "[]", "7", "{ }", #"{"a" :1}"#, #"{"a": 1,}"#, #"{"a":1,}"#, #"{"a":}"#,
    #"{"a"}"#,
    #"{a:1}"#, #"{"a":1"b":2}"#, #"{"a":1}}"#, #"{"a":"\"}"#, #"{"a":[1}"#, #"{,"a":1}"#,
  ]) func `Another form is refused`(text: String) {
    #expect(find(text) == nil)
  }

  @Test func `Objects in one another are read, down to a limit`() throws {
    let fields = try #require(find(#"{"list":[{"a":1},{"a":[{"b":"}"}]},{}],"x":{"y":true}}"#))
    var names: [Bool] = []
    try fields.each("list") { names.append($0.contains("a")) }
    #expect(names == [true, true, false])
    #expect(try fields.object("x").flag("y"))
    #expect(throws: DecodingError.self) { try fields.each("x") { _ in } }
    #expect(throws: DecodingError.self) { try fields.object("list") }
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect(find("{\"a\":\(deep)}") == nil)
  }

  @Test(arguments: [
    #"\x"#, #"\u12"#, #"\u+123"#, #"\ud83d"#, #"\ude00"#, #"\ud83d\u0041"#, #"\ud83d!"#,
    #"\ud83d\n"#,
  ]) func `An invalid escape is an error`(escape: String) throws {
    let fields = try #require(find("{\"a\":\"\(escape)\"}"))
    #expect(throws: DecodingError.self) { try fields.text("a") }
  }
}
