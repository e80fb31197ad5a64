import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// What `make install` puts beside the binary.
struct InstallationTests {
  @Test
  func
    `Completion, manual pages and the schema are installed, and removed again with nothing else`()
  {
    let sandbox = Sandbox()
    sandbox.makeFolder("share")
    sandbox.write("mine", to: "share/mine")
    let root = #filePath.split(separator: "/").dropLast(3).map { "/\($0)" }.joined()
    let script = "'\(root)/Scripts/install-shared'"
    let list = "(cd share && find . -type f | LC_ALL=C sort)"
    let command = """
      \(script) '\(RunningTool.path)' share && \(list) && \
      \(script) --remove '\(RunningTool.path)' share && echo removed && \(list)
      """
    let tool = RunningTool(["-c", command], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0))
    let pages = ManualPage.names.map { "./man/man\($0.suffix(1))/\($0)" }
    let files =
      ["./bash-completion/completions/headway", "./fish/vendor_completions.d/headway.fish"] + pages
      + ["./headway/headway.schema.json", "./mine", "./zsh/site-functions/_headway"]
    let expected = files.sorted() + ["removed", "./mine"]
    #expect(tool.text.split(separator: "\n").map { String($0) } == expected)
  }
}
