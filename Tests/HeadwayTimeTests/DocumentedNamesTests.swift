import DocumentedPages
import Testing

/// The examples and names of tests that the documentation quotes.
struct DocumentedNamesTests {
  private let pages = DocumentedPages(of: "HeadwayTime")

  @Test(arguments: ["HeadwayTime", "GivingBlockingCallsADeadline", "ComingFromASimpleTimeWheel"])
  func `A test runs every example`(name: String) throws {
    let missing = try pages.examplesNotRun(of: name, in: "DocumentationTests")
    #expect(missing.isEmpty)
  }

  /// The last cell of each row in the table of differences is the name of a test.
  @Test func `The table of differences lists every test of a defect`() throws {
    let tests = try pages.lines(of: "Tests/HeadwayTimeTests/SourceDefectTests.swift")
    let names = try pages.page("ComingFromASimpleTimeWheel").drop { $0 != "## What is different" }
      .filter { $0.hasPrefix("|") && $0.hasSuffix("` |") }
      .compactMap { $0.dropLast(3).split(separator: "| `").last }
    #expect(names.count == tests.count { $0.hasPrefix("@Test") })
    for name in names {
      let isThere = tests.contains { $0.contains("`\(name)`(") }
      #expect(isThere, "\(name)")
    }
  }
}
