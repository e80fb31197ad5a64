import HeadwayFiles
import HeadwayPlan
import HeadwayRun
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// The variables that decide whether a task is up to date.
struct ShellVariablesTests {
  @Test(arguments: [
    ("make LEVEL=$LEVEL", ["LEVEL"]), ("$A$B-$C_1", ["A", "B", "C_1"]), ("${A}b", ["A"]),
    ("${A:-$B} ${#C} ${!D} ${E%.c}", ["A", "B", "C", "D", "E"]),
    ("\"$A\" '$B' \\$C", ["A", "B", "C"]),
    ("echo $1 $$ $? $# $@ ${1} $(pwd) $", []), ("$é", []), ("$Aé", ["A"]), ("a $((x + $y))", ["y"]),
  ])
  func `The variables that a command mentions are found`(text: String, names: [String]) {
    #expect(ShellVariables.names(in: [text]) == Set(names))
    #expect(ShellVariables.names(in: ["sh", "-c", text]) == Set(names))
  }

  /// The digest of a task's command, as it is compared with that of its last success.
  private func command(_ text: String, level: String?, in settings: String = "") -> String? {
    let environment = EnvironmentBlock()
    if let level { environment.set("HEADWAY_TEST_LEVEL", level) }
    environment.set("HEADWAY_TASK", level ?? "")
    let text = settings + "tasks: { a: { run: '\(text)', inputs: in } }"
    guard let plan = try? Plan.read(Array(text.utf8), file: "p.yaml") else { return nil }
    guard let state = try? StateFolder(existing: "/dev/null/none", plan: "p") else { return nil }
    let work = RunWork(plan: plan, state: state, environment: environment)
    return work.subject(of: TaskID(0)).flatMap { ContentsRecord.state(of: $0)?.command }
  }

  @Test func `A command changes with the variables that it mentions`() {
    let text = "make $HEADWAY_TEST_LEVEL"
    #expect(command(text, level: "0") == command(text, level: "0"))
    #expect(command(text, level: "0") != command(text, level: "2"))
    #expect(command(text, level: "") != command(text, level: nil))
  }

  @Test func `A command does not change with other variables`() {
    #expect(command("make", level: "0") == command("make", level: "2"))
    // The runner sets it, whatever the environment says.
    #expect(command("echo $HEADWAY_TASK", level: "0") == command("echo $HEADWAY_TASK", level: "2"))
    let plan = "env: { HEADWAY_TEST_LEVEL: 1 }\n"
    let text = "make $HEADWAY_TEST_LEVEL"
    #expect(command(text, level: "0", in: plan) == command(text, level: "2", in: plan))
  }
}
