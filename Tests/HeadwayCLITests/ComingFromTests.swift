import ProcessFixtures
import Testing

/// The page for people who come from other tools: each line of it is a run.
struct ComingFromTests {
  @Test(arguments: Habits.all) func `What one is used to works as the page says`(
    _ habit: Habits.Habit
  ) {
    let sandbox = Sandbox(plan: "")
    sandbox.write(habit.plan, to: "headway.yaml")
    for (name, text) in habit.files {
      // The folders above it.
      let parts = name.split(separator: "/").dropLast()
      for count in parts.indices { sandbox.makeFolder(parts[...count].joined(separator: "/")) }
      sandbox.write(text, to: name)
    }
    let tool = RunningTool(habit.arguments, in: sandbox)
    let end = tool.end(within: RunningTool.usualLimit)
    #expect(end == .code(habit.code), "\(tool.text)")
    for text in habit.prints { #expect(tool.text.contains(text), "\(tool.text)") }
    for text in habit.omits { #expect(!tool.text.contains(text), "\(tool.text)") }
    #expect(sandbox.survivors() == [])
  }

  @Test func `The page has these lines and no others`() {
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let page = String(decoding: bytes(ofFile: "\(root)/docs/coming-from.md"), as: UTF8.self)
    var tool = ""
    var lines: [String] = []
    for line in page.split(separator: "\n") {
      if line.hasPrefix("## ") { tool = String(line.dropFirst(3)) }
      if line.hasPrefix("| "), !line.hasSuffix("| Headway |") { lines.append("\(tool): \(line)") }
    }
    #expect(lines == Habits.all.map { "\($0.tool): | \($0.habit) | \($0.here) |" })
  }
}
