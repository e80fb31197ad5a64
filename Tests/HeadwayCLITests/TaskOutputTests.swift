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

  @Test func `A run of one task shows what it says, unless that is not wanted`() {
    #expect(output(two, "a").text == "one\ntwo\n")
    #expect(output(two, "a --output failed").text == "")
    #expect(output(two, "a --ui quiet").text == "")
    #expect(output(two, "").text == "")
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
        "::group::a: output\n    bad\n    log: .headway/logs/"))
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

  @Test func `A time is printed before each line`() throws {
    let text = output(two, "--output stream --timestamps").text
    #expect(
      text.wholeMatch(of: /(\d\d:\d\d:\d\d\.\d{3} (a    \| one|a    \| two|long \| three)\n){3}/)
        != nil)
  }
}
