import Glibc
import HeadwayPlan
import Testing

/// The examples of the reference of plan files.
struct DocumentationTests {
  /// Reads the reference, which stands beside the sources.
  private func reference() throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    guard let file = unsafe fopen("/\(root)/docs/plan-files.md", "r") else {
      throw NoTask(name: "docs/plan-files.md")
    }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Reads every example.
  @Test func `Every plan of the reference is a plan`() throws {
    var plans: [String] = []
    var isInside = false
    for line in try reference().split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "```yaml" {
        plans.append("")
        isInside = true
      } else if line == "```" {
        isInside = false
      } else if isInside {
        plans[plans.count - 1] += line + "\n"
      }
    }
    #expect(plans.count == 5)
    for text in plans { #expect(mistakes(in: text).hasPrefix("no mistake")) }
  }

  /// Texts of the table of common mistakes.
  @Test(arguments: [
    ("after: [test[debug]]", "must be quoted: write \"test[debug]\""),
    ("run: echo a: b", "must be quoted: write \"echo a: b\""),
    ("inputs: *.c", "must be quoted: write \"*.c\""),
    ("run: \"grep \\d\"", "use single quotes"),
    ("run: {variant}/x", "must be quoted: write \"{variant}/x\""),
    ("timeout: 30", "write \"30s\" for seconds"), ("optional: yes", "write true instead of yes"),
  ])
  func `A common mistake is told with what to write`(line: String, advice: String) throws {
    #expect(mistakes(in: "tasks:\n  a:\n    \(line)\n").contains(advice))
    #expect(try reference().contains(line))
  }
}
