import Glibc
import HeadwayPlan
import Testing

/// The examples in the reference of plan files.
struct DocumentationTests {
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

  @Test func `Every example in the reference is a valid plan`() throws {
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
    #expect(plans.count == 11)
    for text in plans { #expect(diagnostics(in: text).hasPrefix("no error")) }
  }

  @Test(arguments: [
    ("after: [test[debug]]", "must be quoted: write \"test[debug]\""),
    ("run: echo a: b", "must be quoted: write \"echo a: b\""),
    ("inputs: *.c", "must be quoted: write \"*.c\""),
    ("run: \"grep \\d\"", "use single quotes"),
    ("inputs: {variant}/x", "must be quoted: write \"{variant}/x\""),
    ("timeout: 30", "write \"30s\" for seconds"), ("optional: yes", "write true instead of yes"),
  ])
  func `The message for a common error suggests a correction`(line: String, advice: String) throws {
    #expect(diagnostics(in: "tasks:\n  a:\n    \(line)\n").contains(advice))
    #expect(try reference().contains(line))
  }

  @Test(arguments: [
    "tasks:\n  a: { run: x }\n  b: { run: y, after: test[debug] }\n",
    "vars: { WORD: x }\ntasks:\n  a: { run: 'grep -e {WORD} notes > out' }\n",
  ])
  func `The messages in the reference are what plans with the errors give`(plan: String) throws {
    #expect(try reference().contains("```\n\(diagnostics(in: plan))\n```"))
  }
}
