import HeadwayTerminal
import ProcessFixtures
import Testing

/// A run in a terminal whose standard output is a pipe.
struct PipedOutputTests {
  private static let plan = """
    tasks:
      say: { run: 'for i in 1 2 3; do echo "step $i"; done; read x < gate' }
      other: { run: 'true' }
    """

  /// Starts a shell command in a terminal, in which `headway` is the tool.
  private func start(_ command: String, in sandbox: Sandbox) -> RunningTool {
    RunningTool(
      ["-c", "mkfifo gate; headway() { '\(RunningTool.path)' \"$@\"; }; \(command)"], in: sandbox,
      terminal: TerminalSize(columns: 80, rows: 24), program: "/bin/bash")
  }

  @Test(arguments: [
    "headway run plan.yaml say | cat", "headway run plan.yaml say | tee log",
    "headway run plan.yaml --output group | cat", "headway run plan.yaml say | cat | cat",
  ])
  func `No region is drawn over what a reader prints to the same terminal`(command: String) {
    let sandbox = Sandbox(plan: Self.plan)
    let tool = start(command, in: sandbox)
    #expect(tool.wait(for: "say started"))
    sandbox.write("\n", to: "gate")
    #expect(tool.end() == .code(0))
    for words in ["step 1\r\n", "step 2\r\n", "step 3\r\n", "say succeeded in"] {
      #expect(tool.text.contains(words), "\(tool.text)")
    }
    // Nothing was redrawn.
    #expect(!tool.text.contains("\u{1B}["), "\(tool.text)")
  }

  @Test(arguments: [
    "headway run plan.yaml say > out", "headway run plan.yaml | cat",
    "headway run plan.yaml say --ui live | cat > out",
  ])
  func `The region stays where nothing is mixed with it, or where it was asked for`(command: String)
  {
    let sandbox = Sandbox(plan: Self.plan)
    let tool = start(command, in: sandbox)
    #expect(tool.wait(for: "\u{1B}["))
    sandbox.write("\n", to: "gate")
    #expect(tool.end() == .code(0))
  }
}
