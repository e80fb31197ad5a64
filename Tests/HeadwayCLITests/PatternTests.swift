import ProcessFixtures
import Testing

/// Patterns of files in plans: what they stand for, and to which folder they belong.
struct PatternTests {
  private func run(_ sandbox: Sandbox, _ words: [String] = ["run", "plan.yaml"]) -> String {
    RunningTool.run(words, in: sandbox).text
  }

  @Test(arguments: [".", "./", "**", "./**"])
  func `The folder of the plan stands for all files below it, except hidden ones`(pattern: String) {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'true', inputs: \"\(pattern)\" }\n")
    sandbox.makeFolder("src")
    sandbox.write("1", to: "src/a")
    #expect(run(sandbox).contains("1 succeeded"))
    #expect(run(sandbox).contains("1 up to date"))
    sandbox.write("1", to: ".hidden")
    #expect(run(sandbox).contains("1 up to date"))
    for name in ["src/a", "top"] {
      sandbox.write("2", to: name)
      #expect(run(sandbox).contains("1 succeeded"), "\(name)")
      #expect(run(sandbox).contains("1 up to date"))
    }
  }

  @Test(arguments: [
    "inputs: /", "outputs: //", "inputs: /*", "inputs: '/**/*.c'", "inputs: /./",
    "inputs: '{DIR}/'", "matrix: { f: { glob: / } }",
  ])
  func `A pattern that leads through the whole machine is an error`(field: String) {
    let sandbox = Sandbox(
      plan: "vars: { DIR: '' }\ntasks:\n  a: { run: 'true', inputs: a, \(field) }\n"
        .replacing("inputs: a, inputs", with: "inputs"))
    let result = RunningTool.run(["check", "plan.yaml"], in: sandbox)
    #expect(result.end == .code(2))
    #expect(result.text.contains("stands for all files of this machine"), "\(result.text)")
  }

  @Test(arguments: ["/usr/include/*.h", "/*/headway-none", "/tmp/headway-none/**"])
  func `Other absolute patterns are allowed`(pattern: String) {
    let sandbox = Sandbox(plan: "tasks:\n  a: { run: 'true', inputs: '\(pattern)' }\n")
    #expect(RunningTool.run(["check", "plan.yaml"], in: sandbox).end == .code(0))
  }

  @Test func `A pattern that matches nothing tells where it was looked for, and what is in dir`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: 'true', dir: web, inputs: ["*.ts", none], outputs: [app.js, /none/x] }
          b: { run: 'true', inputs: none }
        """)
    sandbox.makeFolder("web")
    sandbox.write("1", to: "web/app.ts")
    sandbox.write("1", to: "web/app.js")
    let inside = "in the plan's folder"
    let text = run(sandbox)
    #expect(
      text.contains(
        "task 'a' will run again next time: no file matches *.ts (\(inside); write web/*.ts), none (\(inside)), app.js (\(inside); write web/app.js), /none/x\n"
      ), "\(text)")
    #expect(text.contains("task 'b' will run again next time: no file matches none\n"))
    #expect(
      run(sandbox, ["run", "-n", "plan.yaml"]).contains(
        "task 'a': no file matches *.ts (\(inside); write web/*.ts), none (\(inside))\n"))
  }
}
