import DocumentedPages
import Foundation
import Testing

/// The page that lists the test cases of other projects, with the tests here that cover them.
struct PeerCasesPageTests {
  /// A case on the page.
  private struct Row {
    var project: Substring
    /// The heading of the table.
    var table: Substring
    /// The name of the case.
    var name: Substring
    /// The name of the test.
    var test: Substring
  }

  /// A project whose cases do not count, because it is not one of those that the page is about.
  private static let others = "Other timers"

  private let lines: [String]
  private let rows: [Row]

  init() throws {
    lines = try DocumentedPages(of: "Headway").lines(of: "docs/dev/peer-cases.md")
    var rows: [Row] = []
    var (project, table) = (Substring(), Substring())
    for line in lines {
      if line.hasPrefix("## ") { project = line.dropFirst(3) }
      if line.hasPrefix("### ") { table = line.dropFirst(4) }
      if let row = line.wholeMatch(of: /\| `([^`]+)` \| .* `([^`]+)` \|/) {
        rows.append(Row(project: project, table: table, name: row.1, test: row.2))
      } else if line.hasPrefix("| `") {
        Issue.record("a case without a test: \(line)")
      }
    }
    self.rows = rows
  }

  /// The names of the tests in the files below `Tests`.
  ///
  /// - Parameter suffix: How the names of the files end.
  /// - Returns: The names.
  /// - Throws: The error of reading a file.
  private func tests(inFiles suffix: String) throws -> Set<Substring> {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String }
    var names: Set<Substring> = []
    for path in paths ?? [] where path.hasSuffix(suffix) {
      let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      for match in text.matches(of: /func `([^`]+)`\(/) { names.insert(match.1) }
    }
    return names
  }

  @Test func `Every test on the page exists`() throws {
    let tests = try tests(inFiles: "Tests.swift")
    for row in rows { #expect(tests.contains(row.test), "\(row.name): \(row.test)") }
  }

  @Test func `The page has every test of the files of cases`() throws {
    let named = Set(rows.map(\.test))
    let tests = try tests(inFiles: "CaseTests.swift")
    #expect(tests.count >= 120)
    #expect(tests.subtracting(named).sorted() == [])
  }

  @Test func `No case is listed twice, and the numbers of cases are right`() {
    var seen: Set<String> = []
    for row in rows {
      let isNew = seen.insert("\(row.table): \(row.name)").inserted
      #expect(isNew, "\(row.table): \(row.name)")
    }
    let counts = Dictionary(grouping: rows, by: \.project).mapValues(\.count)
    for (project, count) in counts {
      let isRight = lines.contains {
        $0.hasPrefix("| [\(project)](#") && $0.hasSuffix(") | \(count) |")
      }
      #expect(isRight, "\(project) has \(count) cases")
    }
    #expect(counts.count == 9 && rows.count - (counts[Self.others[...]] ?? 0) >= 120)
  }
}
