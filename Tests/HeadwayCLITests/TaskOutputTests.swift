import Glibc
import HeadwayTerminal
import ProcessFixtures
import Testing

/// What a run shows of the output of its tasks.
struct TaskOutputTests {
  /// What a run writes to standard output, with its own words left out.
  private func output(
    _ plan: String, _ options: String, variables: [String] = [], words: String = "/dev/null"
  ) -> (end: ProcessEnd, text: String) {
    let sandbox = Sandbox(plan: plan)
    let tool = RunningTool(
      ["-c", "'\(RunningTool.path)' run plan.yaml 2>\(words) \(options)"],
      in: sandbox, program: "/bin/sh", variables: variables)
    let end = withExtendedLifetime(sandbox) { tool.end() }
    return (end, tool.text)
  }

  private let two = """
    tasks:
      a: { run: "printf 'one\\ntwo'" }
      long: { run: echo three, after: a }
    """

  @Test func `Streamed lines have the names of their tasks, and a last line is completed`() {
    #expect(output(two, "--output stream").text == "a    | one\na    | two\nlong | three\n")
    #expect(output("output: stream\n" + two, "").text == "a    | one\na    | two\nlong | three\n")
  }

  @Test func `Grouped output is under the name of its task`() {
    #expect(output(two, "--output group").text == "==> a <==\none\ntwo\n==> long <==\nthree\n")
    let github = output(two, "--output group", variables: ["GITHUB_ACTIONS=true"])
    #expect(
      github.text
        == "::group::a\none\ntwo\n::endgroup::\n::group::long\nthree\n::endgroup::\n")
  }

  @Test func `Output that was shown already is in no second group`() {
    let plan = "tasks:\n  a: { run: 'echo why; exit 3' }\n  b: { run: 'true' }\n"
    for (variable, begin) in [
      ("GITHUB_ACTIONS=true", "::group::"), ("GITLAB_CI=true", "section_start:"),
    ] {
      let text = output(plan, "--output group", variables: [variable], words: "&1").text
      #expect(text.components(of: begin) == 1 && text.contains("a failed with exit 3"), "\(text)")
    }
  }

  @Test func `A run of one task shows what it says, unless that is not wanted`() {
    #expect(output(two, "a").text == "one\ntwo\n")
    #expect(output(two, "a --output failed").text == "")
    #expect(output(two, "a --ui quiet").text == "")
    #expect(output(two, "").text == "")
  }

  @Test func `What a task needs and what cleans up after it do not make it one of many`() {
    let plan = """
      tasks:
        db: { run: 'echo up; sleep 300', service: { ready: { output: up } } }
        test: { run: echo tested, after: db }
        sweep: { run: echo swept, always: true }
      """
    let text = output(plan, "test").text
    #expect(text.contains("test  | tested\n") && text.contains("sweep | swept\n"), "\(text)")
  }

  @Test func `Bytes reach a pipe as they are`() {
    let plan = "tasks:\n  a: { run: \"printf 'a\\\\000b\\\\377\\\\033[1mc\\\\n'\" }\n"
    let sandbox = Sandbox(plan: plan)
    let tool = RunningTool(
      ["-c", "'\(RunningTool.path)' run plan.yaml 2>/dev/null"], in: sandbox,
      program: "/bin/sh")
    #expect(withExtendedLifetime(sandbox) { tool.end() } == .code(0))
    #expect(tool.output == [0x61, 0, 0x62, 0xFF, 0x1B, 0x5B, 0x31, 0x6D, 0x63, 0x0A])
  }

  @Test func `All of a long output without newlines is shown`() {
    let plan = "tasks:\n  a: { run: 'head -c 3000000 /dev/zero' }\n  b: { run: 'true' }\n"
    let result = output(plan, "--output group | tr -d '\\0' ; echo end")
    #expect(result.text == "==> a <==\n\nend\n")
    let count = output(plan, "--output group | wc -c")
    #expect(count.text == "3000011\n")
  }

  @Test func `Output that cannot be written is an error, and a reader that is gone is not`() {
    #expect(output(two, "--output stream >/dev/full").end == .code(69))
    #expect(output(two, "--output stream | true").end == .code(0))
  }

  @Test func `A failure is annotated for GitHub, with its output in a group`() {
    let plan = "tasks:\n  a: { run: echo bad; exit 3 }\n  b: { run: 'true', after: a }\n"
    let result = output(
      plan, "--ui quiet", variables: ["GITHUB_ACTIONS=true"], words: "&1")
    #expect(
      result.text.contains(
        "::group::a: output\n    bad\n    log: .headway/runs/"))
    #expect(result.text.contains("\n::endgroup::\n::error title=a::a "))
  }

  @Test func `The number of shown lines of a failure can be chosen`() {
    let plan = "tasks:\n  a: { run: seq 5; exit 1 }\n  b: { run: 'true' }\n"
    let text = output(plan, "--ui quiet --tail 2", words: "&1").text
    #expect(text.contains("    … 3 lines left out; all of it is in "))
    #expect(text.contains("\n    4\n    5\n    log: "))
    #expect(!text.contains("    3\n"))
  }

  @Test(arguments: [
    ("--output all", "--output takes failed, group or stream, not 'all'"),
    ("--tail x", "--tail takes a whole number from 0 to 1,000,000, not 'x'"),
    (
      "--ui json --timestamps",
      "--timestamps and --ui json exclude each other: events have times"
    ),
    (
      "--ui json --output group",
      "--ui json has no output of tasks; use --events FILE --events-output"
    ),
  ])
  func `Wrong options are told`(options: String, message: String) {
    let result = output(two, options, words: "&1")
    #expect(result.end == .code(2))
    #expect(result.text.contains(message))
  }

  @Test func `A wrong value of output in a plan is told`() {
    let result = output("output: all\n" + two, "", words: "&1")
    #expect(result.text.contains("\"output\" is failed, group or stream, not \"all\""))
  }

  @Test func `A task without a command does not count as a second one`() {
    let plan = "tasks:\n  a: { run: echo one }\n  all: { after: a }\n"
    #expect(output(plan, "").text == "one\n")
  }

  @Test func `What runs at the end does not count as a second task`() {
    let plan = "tasks: { a: { run: echo one } }\non_failure: echo bad\non_end: echo bye\n"
    #expect(output(plan, "").text == "one\nbye\n")
  }

  @Test func `A line without an end is shown at once if the task is alone`() {
    let sandbox = Sandbox(
      plan: "tasks: { a: { run: \"printf 'Password: '; cat go; printf '\\\\033[1mend'\" } }")
    unsafe mkfifo("\(sandbox.path)/go", 0o600)
    let tool = RunningTool(
      ["run", "plan.yaml"], in: sandbox, terminal: TerminalSize(columns: 80, rows: 24))
    #expect(tool.wait(for: "Password: "))
    sandbox.write("", to: "go")
    #expect(tool.end() == .code(0))
    // In a terminal, too, the bytes are those of the task.
    #expect(tool.text.contains("Password: \u{1B}[1mend\r\n"))
  }

  @Test func `A reader that has stopped reading does not keep Ctrl-C from ending the run`() {
    let sandbox = Sandbox(
      plan: "tasks: { a: { run: \"head -c 4000000 /dev/zero; touch full; sleep 300\" } }")
    unsafe mkfifo("\(sandbox.path)/stdout", 0o600)
    let reader = unsafe open("\(sandbox.path)/stdout", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let tool = RunningTool(
      ["-c", "exec '\(RunningTool.path)' run plan.yaml >stdout"], in: sandbox, program: "/bin/sh")
    #expect(tool.wait(for: "a started"))
    #expect(
      eventually {
        tool.read(for: 20)
        return sandbox.has("full")
      })
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGINT))
    #expect(tool.text.contains("cancelling"))
    #expect(tool.text.contains("a cancelled after"))
    #expect(
      tool.text.contains(
        "headway: nobody reads standard output: some of the tasks' output is in the logs only"))
  }

  @Test func `What is left out of a failure is counted in bytes if it is long`() {
    let plan = "tasks:\n  a: { run: seq 1000000; exit 1 }\n  b: { run: 'true' }\n"
    let text = output(plan, "--ui quiet --tail 2", words: "&1").text
    #expect(text.contains("    … 6.9 MB left out; all of it is in "))
  }

  @Test func `Commands of tasks are in force on GitHub in all modes, and groups are not ended`() {
    let plan = """
      tasks:
        a: { run: "echo '::error::x'; echo '::endgroup::'" }
        b: { run: 'true' }
      """
    let github = ["GITHUB_ACTIONS=true"]
    #expect(
      output(plan, "--output group", variables: github).text
        == "::group::a\n::error::x\n| ::endgroup::\n::endgroup::\n")
    #expect(
      output(plan, "--output stream", variables: github).text
        == "::error::x\na | | ::endgroup::\n")
    #expect(output(plan, "a", variables: github).text == "::error::x\n::endgroup::\n")
  }

  @Test func `A task for failures that was not needed is not told, but is an event`() {
    let plan = "tasks:\n  a: { run: 'true' }\non_failure: echo bad\n"
    let text = output(plan, "--events events", words: "&1").text
    #expect(text.contains("1 succeeded in"))
    #expect(!text.contains("skipped"))
    let sandbox = Sandbox(plan: plan)
    let events = RunningTool.run(["run", "plan.yaml", "--ui", "json"], in: sandbox).text
    #expect(events.contains("\"outcome\":\"skipped\""))
  }

  @Test func `A condition that does not end in time is reported`() {
    let plan = "tasks:\n  a: { run: 'true', when: sleep 300; true, timeout: 100ms }\n"
    let text = output(plan, "", words: "&1").text
    #expect(text.contains("its condition did not end before the time-out"))
  }

  @Test func `A time is printed before each line`() throws {
    let text = output(two, "--output stream --timestamps").text
    let group = output(two, "--output group --timestamps").text
    #expect(
      group.wholeMatch(
        of: /==> [0-9:.]{12} a <==\none\ntwo\n==> [0-9:.]{12} long <==\nthree\n/) != nil)
    let plan = "tasks:\n  a: { run: echo bad; exit 1 }\n  b: { run: 'true' }\n"
    let failed = output(plan, "--output failed --ui plain --timestamps", words: "&1").text
    #expect(failed.contains(/[0-9:.]{12}     bad\n/))
    #expect(
      text.wholeMatch(of: /(\d\d:\d\d:\d\d\.\d{3} (a    \| one|a    \| two|long \| three)\n){3}/)
        != nil)
  }
}
