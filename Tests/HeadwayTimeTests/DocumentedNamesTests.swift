import Glibc
import Testing

/// What the pages of the documentation quote: examples and names of tests.
struct DocumentedNamesTests {
  /// The pages of the module.
  private static let pages = [
    "HeadwayTime", "GivingBlockingCallsADeadline", "ComingFromASimpleTimeWheel",
  ]

  /// A file that is not there.
  private struct NoFile: Error {
    /// Where it was looked for.
    let path: String
  }

  /// The lines of a file of the package, without the space around them.
  ///
  /// - Parameter path: Where it is in the package.
  /// - Returns: The lines.
  /// - Throws: `NoFile`.
  private func lines(of path: String) throws -> [String] {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    guard let file = unsafe fopen("/\(root)/\(path)", "r") else { throw NoFile(path: path) }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " }.description }
  }

  /// The lines of a page.
  private func page(_ name: String) throws -> [String] {
    try lines(of: "Sources/HeadwayTime/HeadwayTime.docc/\(name).md")
  }

  /// The examples of a page.
  private func examples(_ name: String) throws -> [[String]] {
    var examples: [[String]] = []
    var isInside = false
    for line in try page(name) {
      if line == "```swift" {
        examples.append([])
        isInside = true
      } else if line == "```" {
        isInside = false
      } else if isInside {
        examples[examples.count - 1].append(line)
      }
    }
    return examples
  }

  /// Whether an example stands in a file, with nothing in between but lines that begin with `#expect`.
  private func stands(_ example: [String], in file: [String]) -> Bool {
    file.indices.contains { start in
      var place = start
      for line in example {
        while place < file.count && file[place] != line && file[place].hasPrefix("#expect") {
          place += 1
        }
        guard place < file.count && file[place] == line else { return false }
        place += 1
      }
      return true
    }
  }

  @Test(arguments: pages)
  func `Every example is run by a test`(name: String) throws {
    let tests = try lines(of: "Tests/HeadwayTimeTests/DocumentationTests.swift")
    let examples = try examples(name)
    #expect(!examples.isEmpty)
    for example in examples {
      let isRun = stands(example, in: tests)
      #expect(isRun, "\(example)")
    }
  }

  /// The table of differences names a test in each row, as the last cell, in backticks.
  @Test func `The page of differences names every test of a defect`() throws {
    let tests = try lines(of: "Tests/HeadwayTimeTests/SourceDefectTests.swift")
    let names = try page("ComingFromASimpleTimeWheel").drop { $0 != "## What is different" }
      .filter { $0.hasPrefix("|") && $0.hasSuffix("` |") }
      .compactMap { $0.dropLast(3).split(separator: "| `").last }
    #expect(names.count == tests.count { $0.hasPrefix("@Test") })
    for name in names {
      let isThere = tests.contains { $0.contains("`\(name)`(") }
      #expect(isThere, "\(name)")
    }
  }
}
