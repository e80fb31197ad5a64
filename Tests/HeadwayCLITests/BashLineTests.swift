import Testing

@testable import HeadwayCLI

/// The splitting of a command line of bash.
struct BashLineTests {
  @Test(arguments: [
    ("headway run ", ["headway", "run", ""]),
    ("headway run a\\ b", ["headway", "run", "a b"]),
    ("headway run 'a b' c", ["headway", "run", "a b", "c"]),
    ("headway run \"a \\\"b", ["headway", "run", "a \"b"]),
    ("headway run \"a\\nb", ["headway", "run", "a\\nb"]),
    ("headway run ''", ["headway", "run", ""]),
    ("cd x; headway li", ["headway", "li"]),
    ("A=1 headway li", ["headway", "li"]),
    ("headway run a:b=c", ["headway", "run", "a:b=c"]),
    ("", [""]),
  ])
  func `A line is split into words without quotes`(line: String, words: [String]) {
    #expect(BashLine(line).words == words)
  }

  @Test(arguments: [
    ("headway run build:w", 6), ("headway run --ui=l", 5), ("headway run build\\:w", 0),
    ("headway run 'a:b", 0), ("headway run b", 0),
  ])
  func `What precedes the last break of a word is kept`(line: String, count: Int) {
    #expect(BashLine(line).keptCount(breaks: " \t\n\"'><=;|&(:") == count)
    #expect(BashLine(line).keptCount(breaks: "") == 0)
  }

  @Test func `A candidate is quoted as the open quote needs`() {
    #expect(BashLine.quoted("it's $x [a]", in: nil) == "it\\'s\\ \\$x\\ \\[a\\]")
    #expect(BashLine.quoted("it's $x", in: "\"") == "it's \\$x")
    #expect(BashLine.quoted("it's $x", in: "'") == "it'\\''s $x")
    #expect(BashLine("headway run \"a").quote == "\"")
  }
}
