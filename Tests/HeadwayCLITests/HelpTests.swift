import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// The texts of `--help`, made from the descriptions of the commands.
struct HelpTests {
  @Test func `The overview fits a screen of 24 rows and 80 columns, with a row for the prompt`() {
    let result = RunningTool.run(["--help"], in: Sandbox())
    let lines = result.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= 23)
    #expect(lines.map(\.count).max() ?? 0 <= 80)
  }

  @Test func `The overview says what to do first and names every group`() {
    let text = Help.overview
    #expect(text.contains("To begin, write headway.yaml, then type: headway run\n"))
    for group in Command.Group.allCases { #expect(text.contains("\n\(group.rawValue)\n")) }
  }

  @Test(arguments: Command.all.map(\.name))
  func `The help of a command fits 96 columns and has every option`(name: String) throws {
    let command = try #require(Command.named(name))
    let text = Help.text(of: command)
    #expect(text.split(separator: "\n").map(\.count).max() ?? 0 <= 96)
    for option in command.options { #expect(text.contains(option.name) != option.isHidden) }
    #expect(!text.contains("\n\n\n"))
    #expect(text.hasPrefix("headway "))
  }

  @Test(arguments: Command.all.map(\.name))
  func `Every option and summary is explained, and related commands exist`(name: String) throws {
    let command = try #require(Command.named(name))
    #expect(!command.summary.isEmpty)
    for option in command.options where !option.isHidden { #expect(!option.help.isEmpty) }
    for name in command.related { #expect(Command.named(name) != nil) }
  }

  @Test(arguments: Command.all.map(\.name))
  func `The option --help and the command help print the same text`(name: String) {
    let sandbox = Sandbox()
    let result = RunningTool.run([name, "--help"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text == RunningTool.run(["help", name], in: sandbox).text)
  }
}
