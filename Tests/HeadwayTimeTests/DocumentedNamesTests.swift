import DocumentedPages
import Testing

/// What the pages of the documentation quote: examples and names of tests.
struct DocumentedNamesTests {
  /// The pages of the module.
  private let pages = DocumentedPages(of: "HeadwayTime")

  @Test(arguments: ["HeadwayTime", "GivingBlockingCallsADeadline", "ComingFromASimpleTimeWheel"])
  func `Every example is run by a test`(name: String) throws {
    let missing = try pages.examplesNotRun(of: name, in: "DocumentationTests")
    #expect(missing.isEmpty)
  }

  /// The table of differences names a test in each row, as the last cell, in backticks.
  @Test func `The page of differences names every test of a defect`() throws {
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
