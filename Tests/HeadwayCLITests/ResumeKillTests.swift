import Glibc
import HeadwayCollections
import ProcessFixtures
import Repetitions
import Testing

/// Runs that are killed at random moments and resumed until they succeed.
@Suite(.serialized)
struct ResumeKillTests {
  /// The number of kills.
  private static let kills = repetitions(10, real: 1_000, underSanitizer: 3)
  /// The number of tasks of the plan.
  private static let tasks = 200
  /// The longest time until a kill: about as long as half of a run.
  private static let longest = Duration.milliseconds(600)

  /// What every task runs: it holds a lock while it lives, and leaves a child behind for a moment.
  ///
  /// A lock whose holder was killed stays; one whose holder lives proves that the task runs twice at the same time.
  private static let script = """
    #!/bin/sh
    name=$1
    if ! mkdir "locks/$name" 2> /dev/null; then
      holder=$(cat "locks/$name/pid" 2> /dev/null)
      if [ -n "$holder" ] && tr '\\0' '\\n' < "/proc/$holder/environ" 2> /dev/null \\
        | grep -qx "HEADWAY_TASK=$name"; then echo "$name" >> twice; fi
    fi
    mkdir -p "locks/$name"
    echo $$ > "locks/$name/pid"
    sleep 0.01 &
    case $2 in
      again) if [ ! -e "tried/$name" ]; then : > "tried/$name"; rm -r "locks/$name"; exit 1; fi ;;
      clean) echo "$name" >> cleaned ;;
    esac
    wait
    rm -r "locks/$name"
    : > "done/$name"
    """

  /// A plan of tasks in layers, with retries, a pool, and tasks that always run.
  private static func plan(_ random: inout SplitMix64) -> String {
    var text = "pools: { narrow: 2 }\ntasks:\n"
    for index in 0..<tasks {
      var keys = "run: [./task, t\(index), \(index % 7 == 3 ? "again" : "plain")]"
      if index % 7 == 3 { keys += ", retries: { limit: 2, backoff: 1ms }" }
      if index % 5 == 1 { keys += ", pool: narrow" }
      if index >= 8 {
        let after = Set((0..<2).map { _ in Int.random(in: index - 8..<index, using: &random) })
        keys += ", after: [\(after.sorted().map { "t\($0)" }.joined(separator: ", "))]"
      }
      text += "  t\(index): { \(keys) }\n"
    }
    for index in 0..<3 {
      text +=
        "  c\(index): { run: [./task, c\(index), clean], always: true, after: t\(60 * index) }\n"
    }
    return text
  }

  /// A folder in which no task has run.
  private func fresh(_ random: inout SplitMix64) -> Sandbox {
    let sandbox = Sandbox(plan: Self.plan(&random), named: "headway.yaml")
    sandbox.installProgram(Self.script, at: "task")
    for folder in ["locks", "tried", "done"] { sandbox.makeFolder(folder) }
    return sandbox
  }

  /// Whether a run has begun; one that was killed while it wrote its header has not.
  private func hasRun(_ sandbox: Sandbox) -> Bool {
    folderEntries("\(sandbox.path)/.headway/runs").contains {
      sandbox.read(".headway/runs/\($0)/run.json").hasSuffix("\n")
    }
  }

  /// Starts a run, or goes on with one that was killed.
  private func start(_ sandbox: Sandbox) -> RunningTool {
    RunningTool(
      [hasRun(sandbox) ? "resume" : "run", "-j4", "--ui", "plain"], in: sandbox)
  }

  /// Kills some or all processes of a run at a random moment, unless it ends before.
  private func killSome(_ tool: RunningTool, _ random: inout SplitMix64) {
    pauseAtRandom(upTo: Self.longest, using: &random)
    let all = [tool.runner, tool.supervisor, tool.pid].filter { $0 > 0 }
    let chosen =
      Bool.random(using: &random) ? all : [all[Int.random(in: all.indices, using: &random)]]
    // None of them sees that another one has died.
    for pid in chosen { kill(pid, SIGSTOP) }
    for pid in chosen { kill(pid, SIGKILL) }
  }

  @Test func `A run that is killed again and again never runs a task twice at once, and succeeds`()
    throws
  {
    var random = SplitMix64(seed: 20)
    var sandbox = fresh(&random)
    var kills = 0
    while kills < Self.kills {
      let tool = start(sandbox)
      killSome(tool, &random)
      kills += 1
      let end = tool.end()
      // A refusal would never end.
      try #require(end != .code(69), "after \(kills) kills: \(tool.text)")
      #expect(sandbox.read("twice") == "", "after \(kills) kills")
      if folderEntries("\(sandbox.path)/done").count == Self.tasks + 3 {
        finish(sandbox, after: kills)
        sandbox = fresh(&random)
      }
    }
    finish(sandbox, after: kills)
  }

  /// Goes on until the run has succeeded, and checks what it has done.
  private func finish(_ sandbox: Sandbox, after kills: Int) {
    let last = start(sandbox)
    let end = last.end()
    #expect(end == .code(0), "after \(kills) kills: \(last.text.suffix(2_000))")
    #expect(folderEntries("\(sandbox.path)/done").count == Self.tasks + 3)
    #expect(folderEntries("\(sandbox.path)/locks") == [])
    #expect(sandbox.read("twice") == "")
    #expect(sandbox.survivors() == [])
  }
}
