import Glibc
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// What hides secrets, and what stands for them in records.
struct SecretMaskTests {
  private func mask(_ values: [String]) -> SecretMask { SecretMask(values.map { Array($0.utf8) }) }

  /// A text through a mask in pieces of a size.
  private func masked(_ text: String, _ values: [String], pieces size: Int) -> String {
    let mask = mask(values)
    var stream = SecretMask.Stream()
    let bytes = Array(text.utf8)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      output += mask.masked(bytes[start..<min(start + size, bytes.count)], in: &stream)
    }
    return String(decoding: output + mask.rest(of: &stream), as: UTF8.self)
  }

  @Test(arguments: [
    ("say hunter2!", ["hunter2"], "say ***!"), ("hunter2", ["hunter2"], "***"),
    ("hunter", ["hunter2"], "hunter"), ("huhunter2", ["hunter2"], "hu***"),
    ("aaaaab", ["aaaa"], "***b"), ("abababab", ["abab"], "***"),
    ("xabcdefx abcd efgh", ["abcdef", "abcd"], "x***x *** efgh"),
    ("xabcdex", ["abcdef", "bcde"], "xa***x"), ("abcdefgh", ["abcdef", "defgh"], "***"),
    ("one1 two2one1", ["one1", "two2"], "*** ***"), ("", ["hunter2"], ""),
    ("BEGIN\nkey1\nEND.", ["BEGIN\nkey1\nEND.\n"], "***"),
    ("BEGIN\r\nab\r\nkey1\r\n", ["BEGIN\nab\nkey1"], "***\r\nab\r\n***\r\n"),
  ])
  func `Secrets are hidden, however the bytes arrive`(
    text: String, values: [String], expected: String
  ) {
    for size in 1...max(text.utf8.count, 1) {
      #expect(masked(text, values, pieces: size) == expected, "in pieces of \(size)")
    }
    #expect(mask(values).masked(text) == expected)
  }

  @Test func `Only what may be the beginning of a secret is held back`() {
    let mask = mask(["hunter2"])
    var stream = SecretMask.Stream()
    func next(_ text: String) -> String {
      String(decoding: mask.masked(text.utf8, in: &stream), as: UTF8.self)
    }
    #expect(next("prompt> ") == "prompt> ")
    #expect(next("x hunt") == "x ")
    #expect(next("ing") == "hunting")
    #expect(next("hunter") == "")
    #expect(next("2\n") == "***\n")
    #expect(next("hu") == "")
    #expect(String(decoding: mask.rest(of: &stream), as: UTF8.self) == "hu")
  }

  @Test func `Random texts are hidden as by a search for each value`() {
    var random = SystemRandomNumberGenerator()
    func text(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 97...98, using: &random) }
    }
    for _ in 0..<300 {
      let values = (0..<Int.random(in: 1...4)).map { _ in text(Int.random(in: 4...7)) }
      let bytes = text(60)
      var isHidden = [Bool](repeating: false, count: bytes.count)
      for value in values {
        for start in 0...(bytes.count - value.count)
        where bytes[start...].starts(with: value) {
          for index in start..<start + value.count { isHidden[index] = true }
        }
      }
      var expected = ""
      for index in bytes.indices {
        if !isHidden[index] {
          expected.unicodeScalars.append(Unicode.Scalar(bytes[index]))
        } else if index == 0 || !isHidden[index - 1] {
          expected += "***"
        }
      }
      let texts = values.map { String(decoding: $0, as: UTF8.self) }
      let size = Int.random(in: 1...9)
      let found = masked(String(decoding: bytes, as: UTF8.self), texts, pieces: size)
      #expect(found == expected, "\(texts) in pieces of \(size)")
    }
  }

  @Test func `A megabyte, bytes that are no text, and a thousand secrets are hidden`() {
    let large = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
    let mask = SecretMask([large] + (0..<1000).map { Array("secret-\($0)-value".utf8) })
    var stream = SecretMask.Stream()
    var output: [UInt8] = []
    output += mask.masked(Array("a ".utf8), in: &stream)
    for start in stride(from: 0, to: large.count, by: 1 << 16) {
      output += mask.masked(large[start..<start + 1 << 16], in: &stream)
    }
    output += mask.masked(Array(" secret-999-value secret-1000".utf8), in: &stream)
    output += mask.rest(of: &stream)
    #expect(String(decoding: output, as: UTF8.self) == "a *** *** secret-1000")
  }

  @Test(arguments: [
    (#"it's"#, #"sh -c 'it'\''s' it's"#, "sh -c '***' ***"),
    ("a*b?[c", #"missing: a\*b\?\[c, a*b?[c"#, "missing: ***, ***"),
    ("a\"b\\\n", #"{"a":"a\"b\\","b":1}"#, #"{"a":"***","b":1}"#),
    ("ab\tcd", "'ab\u{FFFD}cd' 'ab\\tcd'", "'***' '***'"),
    ("a%b&<c", "a%b&<c a%b&amp;", "*** a%b&amp;"),
    // What bash and dash print: `set`, `export -p` and `printf %q`.
    ("it''s'", #"T='it'\'''\''s'\'''"#, "T='***'"),
    ("it''s'", #"export T='it'"''"'s'"'"; "#, "export T='***; "),
    (#"a"b\c$d`'"#, #"declare -x T="a\"b\\c\$d\`'""#, #"declare -x T="***""#),
    ("a b&c!d;é", #"T=a\ b\&c\!d\;é"#, "T=***"),
    ("a\tb\u{1}'c\n4", #"T=$'a\tb\001\'c\n4'"#, "T=$'***'"),
    // JSON of Python, of PHP, of Java and of Go.
    ("pä/\u{1F600}\"", #"["p\u00e4/\ud83d\ude00\""]"#, #"["***"]"#),
    ("pä/\u{1F600}\"", #"["p\u00e4\/\ud83d\ude00\""]"#, #"["***"]"#),
    ("pä/\u{1F600}\"", #"["p\u00E4/\uD83D\uDE00\""]"#, #"["***"]"#),
    ("a/b<c>\u{1}d", #"["a/b\u003cc\u003e\u0001d", "a\/b<c>\u0001d"]"#, #"["***", "***"]"#),
  ])
  func `A secret is hidden in every form in which it can come`(
    value: String, text: String, expected: String
  ) {
    #expect(mask([value]).masked(text) == expected)
  }

  @Test func `A secret that is not UTF-8 is hidden in bytes, and in the text that is made of them`()
  {
    let value: [UInt8] = [0x61, 0x62, 0xFF, 0xC3, 0x63, 0x64]
    let mask = SecretMask([value])
    var stream = SecretMask.Stream()
    let bytes = mask.masked([0x3C] + value + [0x3E], in: &stream)
    #expect(bytes + mask.rest(of: &stream) == Array("<***>".utf8))
    #expect(mask.masked("<\(String(decoding: value, as: UTF8.self))>") == "<***>")
  }

  @Test func `Of a text that was cut, no part of a secret is left`() {
    let values = ["hunter2", "er", "unt\u{e9}r3"]
    let mask = mask(values)
    let whole = "hunter2 and unt\u{e9}r3, hunter2"
    for index in whole.unicodeScalars.indices {
      let cut = String(whole[..<index])
      let shown = mask.masked(cut, isCut: true)
      let isWithin = "*** and ***, ***".hasPrefix(shown)
      #expect(isWithin || shown == "***", "\(cut) became \(shown)")
    }
    #expect(mask.masked("a hunt") == "a hunt")
    #expect(mask.masked("a hunt", isCut: true) == "a ***")
  }

  @Test func `A log has no secrets, and what is held back when it ends`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    var log = TaskLog(state, name: "a", index: 0, mask: mask(["hunter2"]))
    log.append(Array("is hun".utf8))
    log.note("cannot run hunter2")
    log.append(Array("ter2\nhunt".utf8))
    log.close()
    let logs = RunLogs(state: state, names: ["a"], home: "/")
    let text = String(decoding: LogReader(logs).tail(TaskID(0), most: 1000), as: UTF8.self)
    #expect(text == "is \n[headway] cannot run ***\n***\nhunt")
  }
}
