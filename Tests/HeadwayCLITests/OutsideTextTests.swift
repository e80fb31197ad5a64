import ProcessFixtures
import Testing

/// Bytes that are not UTF-8 in what the tool is given: they arrive as they are, or are refused with a sentence.
struct OutsideTextTests {
  private static let plan = """
    vars: { F: none }
    tasks:
      show: { run: 'cat "$@"' }
      var: { run: 'printf %s "$F" | od -An -tx1' }
      env: { run: 'printf %s "$OLD" | od -An -tx1' }
    """

  /// Runs a shell command in which `$HEADWAY` is the tool and `$odd` a name in Latin-1.
  private func run(_ command: String, in sandbox: Sandbox) -> (end: ProcessEnd, text: String) {
    let script = "HEADWAY='\(RunningTool.path)'; odd=$(printf 'caf\\351'); \(command)"
    return RunningTool.run(["-c", script], in: sandbox, program: "/bin/sh")
  }

  @Test(arguments: [
    #"run plan.yaml show -- "$odd""#, #"run plan.yaml var "F=$odd""#, #"run "$odd/plan.yaml""#,
    #"-C "$odd" run"#, #"run plan.yaml env --state "$odd""#, #"run plan.yaml env --events "$odd""#,
    #"run plan.yaml "--junit=$odd""#, #"list "$odd/plan.yaml""#, #"logs "$odd""#, #""$odd""#,
    #"run plan.yaml env --on "$odd""#, #"cancel "$odd""#, #"report -o "$odd""#,
  ])
  func `An argument that is not UTF-8 is refused with its bytes, and nothing is made`(words: String)
  {
    let sandbox = Sandbox(plan: Self.plan)
    let result = run("\"$HEADWAY\" \(words)", in: sandbox)
    #expect(result.end == .code(2))
    #expect(result.text.contains("is not UTF-8: '"), "\(result.text)")
    #expect(result.text.contains("caf\\xE9"), "\(result.text)")
    #expect(result.text.contains("; rename the file, or put the text into an environment variable"))
    #expect(folderEntries(sandbox.path) == ["plan.yaml"])
  }

  @Test func `A variable of the environment reaches a task byte by byte`() {
    let sandbox = Sandbox(plan: Self.plan)
    let result = run("OLD=$odd \"$HEADWAY\" run plan.yaml env", in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text.contains(" 63 61 66 e9\n"), "\(result.text)")
  }

  @Test func `A program is found in a folder of PATH whose name is not UTF-8`() {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: [hello] }\n")
    let result = run(
      """
      mkdir "$odd"; printf '#!/bin/sh\\necho found\\n' > "$odd/hello"; chmod +x "$odd/hello"
      PATH="$PATH:$PWD/$odd" "$HEADWAY" run plan.yaml
      """, in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text.contains("found\n"), "\(result.text)")
  }

  @Test func `A change of a variable that is not UTF-8 makes a task run again`() {
    let sandbox = Sandbox(
      plan: "tasks:\n  a: { run: 'echo \"$OLD\" >/dev/null', inputs: plan.yaml }\n")
    let result = run(
      """
      OLD=$odd "$HEADWAY" run plan.yaml; OLD=$odd "$HEADWAY" run plan.yaml
      OLD=$(printf 'caf\\350') "$HEADWAY" run plan.yaml
      """, in: sandbox)
    #expect(result.text.split(separator: "\n").count { $0.contains("a is up to date") } == 1)
  }

  @Test(arguments: ["run", "list", "status", "runs", "resume", "history", "logs", "run -n"])
  func `A folder whose path is not UTF-8 is refused, and no other one is made`(words: String) {
    let sandbox = Sandbox()
    sandbox.write("tasks:\n  a: { run: 'true' }\n", to: "headway.yaml")
    let result = run(
      "mkdir \"$odd\"; cp headway.yaml \"$odd\"; cd \"$odd\"; \"$HEADWAY\" \(words)", in: sandbox)
    #expect(result.end == .code(2))
    let message =
      "the path of this folder is not UTF-8: '\(sandbox.path)/caf\\xE9'; rename the folder"
    #expect(result.text.contains(message), "\(result.text)")
    #expect(folderEntries(sandbox.path).count == 3)
  }

  @Test func `A link to a folder whose path is not UTF-8 is refused, too`() {
    let sandbox = Sandbox()
    sandbox.write("tasks:\n  a: { run: 'true' }\n", to: "headway.yaml")
    let result = run(
      """
      mkdir "$odd"; cp headway.yaml "$odd"; ln -s "$odd" link; "$HEADWAY" run -C link; echo $?
      ls -A "$odd"
      """, in: sandbox)
    #expect(result.text.contains("cannot use the plan's folder: its path is not UTF-8: '"))
    #expect(result.text.hasSuffix("; rename the folder\n69\nheadway.yaml\n"), "\(result.text)")
  }

  @Test func `A script may tell of a file whose name is not UTF-8`() {
    let sandbox = Sandbox()
    #expect(run("\"$HEADWAY\" tell 1/2 \"copying $odd\"", in: sandbox).end == .code(0))
    let inside = run("mkdir \"$odd\"; cd \"$odd\"; \"$HEADWAY\" tell 1/2 x", in: sandbox)
    #expect(inside.end == .code(0))
  }
}
