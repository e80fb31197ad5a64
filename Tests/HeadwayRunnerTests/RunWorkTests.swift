import HeadwayFiles
import HeadwayPlan
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// The commands of a run, and what decides whether a task is up to date.
struct RunWorkTests {
  /// The work of a plan with one task.
  private func work(
    _ task: Plan.Task, state: StateFolder, environment: EnvironmentBlock = EnvironmentBlock()
  ) -> RunWork {
    RunWork(
      plan: Plan(name: "p", workers: nil, pools: [], tasks: [task]), state: state,
      environment: environment)
  }

  @Test func `A task of a run inside another run belongs to both`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    let environment = EnvironmentBlock()
    environment.set("HEADWAY_TASK_ID", "outer.3")
    let request = try #require(
      work(.make("a"), state: state, environment: environment)
        .request(for: Attempt(task: TaskID(0), number: 2)))
    let variables = Dictionary(request.variables.map { ($0.name, $0.value) }) { $1 }
    let identity = "outer.3/\(state.run).0"
    #expect(
      variables == [
        "HEADWAY_TASK": "a", "HEADWAY_ATTEMPT": "2",
        "HEADWAY_TASK_ID": identity,
      ])
    // Each of the two runs finds its own task.
    let entry = Array("HEADWAY_TASK_ID=\(identity)".utf8)
    let outer = Orphans(identity: "outer", taskCount: 4)
    let inner = Orphans(identity: "outer.3/\(state.run)", taskCount: 1)
    #expect(outer.task(inEnvironment: entry)?.index == 3)
    #expect(inner.task(inEnvironment: entry)?.index == 0)
  }

  @Test func `A task whose directory has changed is not up to date`() throws {
    let state = try StateFolder(existing: LoopRun.noState, plan: "p")
    func command(directory: String?) throws -> String {
      let task = Plan.Task.make("a") {
        $0.inputs = ["in"]
        $0.directory = directory
      }
      let subject = try #require(work(task, state: state).subject(of: TaskID(0)))
      return try #require(ContentsRecord.state(of: subject)).command
    }
    let without = try command(directory: nil)
    #expect(try command(directory: "debug") != command(directory: "release"))
    #expect(try command(directory: "debug") != without)
    #expect(try command(directory: ".") == without)
  }

  @Test func `A task without inputs, or without a command, always runs`() throws {
    let state = try StateFolder(existing: LoopRun.noState, plan: "p")
    #expect(work(.make("a"), state: state).subject(of: TaskID(0)) == nil)
    let group = Plan.Task.make("a") {
      $0.inputs = ["in"]
      $0.command = nil
    }
    #expect(work(group, state: state).subject(of: TaskID(0)) == nil)
    #expect(work(group, state: state).request(for: Attempt(task: TaskID(0), number: 1)) == nil)
  }
}
