internal import Foundation

/// The pages of a module's documentation, whose examples are run by tests.
public struct DocumentedPages: Sendable {
  /// The name of the module.
  private let module: String

  /// A file that is not there.
  public struct NoFile: Error {
    /// Where it was looked for.
    public let path: String
  }

  /// The folder of the package.
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Names the pages of a module.
  public init(of module: String) { self.module = module }

  /// The lines of a file of the package, without the space around them.
  ///
  /// - Parameter path: Where it is in the package.
  /// - Returns: The lines.
  /// - Throws: `NoFile`.
  public func lines(of path: String) throws -> [String] {
    guard
      let text = try? String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    else { throw NoFile(path: path) }
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " }.description }
  }

  /// The lines of a page.
  ///
  /// - Parameter name: The name of its file, without the ending.
  /// - Returns: The lines.
  /// - Throws: `NoFile`.
  public func page(_ name: String) throws -> [String] {
    try lines(of: "Sources/\(module)/\(module).docc/\(name).md")
  }

  /// The names in the first cells of a page's tables: the words of what stands in backticks there.
  ///
  /// - Parameter name: The name of the page.
  /// - Returns: The names.
  /// - Throws: `NoFile`.
  public func namesInRows(of name: String) throws -> Set<String> {
    let cells = try page(name).filter { $0.hasPrefix("| ") }.compactMap {
      $0.split(separator: " | ").first
    }
    let codes = cells.flatMap { cell in
      cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
    }
    return Set(
      codes.flatMap { code in
        code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
      })
  }

  /// The examples of a page that no test runs.
  ///
  /// - Parameters:
  ///   - name: The name of the page.
  ///   - tests: The file of the tests, beside others of the module.
  /// - Returns: The examples; a page without any counts as an example that says so.
  /// - Throws: `NoFile`.
  public func examplesNotRun(of name: String, in tests: String) throws -> [[String]] {
    try notRun(examples(in: page(name)), of: name, in: tests)
  }

  /// The examples of any file of the package that no test runs.
  ///
  /// - Parameters:
  ///   - path: Where the file is in the package.
  ///   - tests: The file of the tests, beside others of the module.
  /// - Returns: The examples; a file without any counts as an example that says so.
  /// - Throws: `NoFile`.
  public func examplesNotRun(ofFile path: String, in tests: String) throws -> [[String]] {
    try notRun(examples(in: lines(of: path)), of: path, in: tests)
  }

  /// The examples of the module that a test runs: those of its pages, and those beside declarations.
  ///
  /// - Returns: The examples.
  /// - Throws: `NoFile`.
  public func examplesRun() throws -> [[String]] {
    let tests = try files(below: "Tests/\(module)Tests", ending: ".swift").map(lines(of:))
    let pages = try files(below: "Sources/\(module)", ending: ".md").map(lines(of:))
    let sources = try files(below: "Sources/\(module)", ending: ".swift").map { path in
      // A line of code ends a comment, and so an example that has no end.
      try lines(of: path).map { line in
        line.hasPrefix("///") ? line.dropFirst(3).drop { $0 == " " }.description : "```"
      }
    }
    return (pages + sources).flatMap(examples(in:)).filter { example in
      tests.contains { stands(example, in: $0) }
    }
  }

  /// The paths of files in the package.
  private func files(below folder: String, ending: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: Self.root.appendingPathComponent(folder).path)
    return (all?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) }.sorted()
      .map { "\(folder)/\($0)" }
  }

  /// Those of a page's examples that no test runs.
  private func notRun(_ examples: [[String]], of name: String, in tests: String) throws
    -> [[String]]
  {
    let lines = try lines(of: "Tests/\(module)Tests/\(tests).swift")
    if examples.isEmpty { return [["\(name) has no example"]] }
    return examples.filter { !stands($0, in: lines) }
  }

  /// The examples of a page.
  private func examples(in page: [String]) -> [[String]] {
    var examples: [[String]] = []
    var isInside = false
    for line in page {
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
}
