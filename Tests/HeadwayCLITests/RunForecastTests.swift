import Foundation
import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import HeadwayState
import ProcessFixtures
import Testing

/// What `headway run` forecasts, against what came of it.
struct RunForecastTests {
  /// A plan of some two seconds for two workers.
  private static let plan = """
    name: release
    workers: 2
    tasks:
      fetch: { run: sleep 0.6 }
      compile:
        run: sleep 0."$part"
        after: fetch
        matrix: { part: [3, 4, 5, 6] }
      link: { run: sleep 0.5, after: [compile] }
    """

  /// A run as its events told it.
  private struct Course {
    /// The forecasts.
    var forecasts: [(time: Duration, forecast: RunForecast)] = []
    /// How long it took.
    var total = Duration.zero
    /// How long it was to take, as its last line has it.
    var predicted: Duration?
  }

  /// The last line of a run.
  private struct Ending: Decodable {
    /// How long the run was to take.
    let predicted: Double?
  }

  /// Runs the plan.
  private func run(in sandbox: Sandbox) throws -> Course {
    let result = RunningTool.run(["run", "plan.yaml", "--ui", "json"], in: sandbox)
    #expect(result.end == .code(0), "\(result.text)")
    var course = Course()
    let lines = result.text.split(separator: "\n").map { Data($0.utf8) }
    for line in lines {
      let event = try JSONDecoder().decode(RunEvent.self, from: line)
      switch event.kind {
      case .forecast(let forecast): course.forecasts.append((event.time, forecast))
      case .runEnded:
        course.total = event.time
        let ending = try JSONDecoder().decode(Ending.self, from: line)
        course.predicted = ending.predicted.map { .seconds($0) }
      default: break
      }
    }
    return course
  }

  // How far off forecasts are, RepeatedRunForecastTests measure on virtual time.
  @Test func `The first run has a forecast without a remaining time, and later runs have one`()
    throws
  {
    let sandbox = Sandbox(plan: Self.plan)
    let courses = [
      try run(in: sandbox), try run(in: sandbox), try run(in: sandbox),
    ]
    for course in courses {
      // How many there are depends on what one costs on this machine; ForecastEmitterTests test when they come.
      #expect(!course.forecasts.isEmpty)
      let fractions = course.forecasts.map(\.forecast.fraction)
      #expect(zip(fractions, fractions.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(fractions.allSatisfy { $0 < 1 })
    }
    #expect(courses[0].forecasts.first?.forecast.shown == .unknown)
    #expect(courses[0].predicted == nil)
    for course in courses.dropFirst() {
      #expect(course.forecasts.first?.forecast.shown != .unknown)
      // No task takes less than its sleep, so the whole takes no less than what lies on the longest path.
      #expect(try #require(course.predicted) > .seconds(1))
    }
    try expectKept(courses, in: sandbox)
  }

  /// Expects that the history of the runs says what their events told.
  private func expectKept(_ courses: [Course], in sandbox: Sandbox) throws {
    let store = HistoryStore(
      path: "\(sandbox.path)/.headway/\(HistoryStore.fileName)", creates: false)
    let runs = store.history(of: "release").runs.reversed()
    #expect(runs.count == 3)
    for (run, course) in zip(runs, courses) {
      #expect(run.total == course.total && run.outcome == .succeeded)
      #expect(run.records.count == 6 && run.records.allSatisfy { $0.outcome == .succeeded })
      #expect(!run.forecasts.isEmpty)
      for kept in run.forecasts {
        let told = try #require(course.forecasts.first { $0.time == kept.at }?.forecast)
        #expect(abs(told.fraction - kept.fraction) < 1e-6)
        // Both are rounded to the nanosecond, in their own ways.
        let apart = (told.remaining?.median ?? .zero) - (kept.remaining?.median ?? .zero)
        #expect(apart < .microseconds(1) && apart > .microseconds(-1))
        #expect((told.remaining == nil) == (kept.remaining == nil))
      }
    }
  }

  /// What stands in the way of a history, and what is said of it.
  private static let troubles: [(name: String, bytes: String, line: String)] = [
    ("damaged", "SQLite format 3\0" + String(repeating: "x", count: 4_000), "was damaged"),
    ("foreign", "this is no database, and none of ours", "history.sqlite"),
  ]

  @Test(arguments: troubles.map(\.name))
  func `A history that cannot be used costs a line and nothing else`(name: String) throws {
    let trouble = try #require(Self.troubles.first { $0.name == name })
    let sandbox = Sandbox(plan: "tasks: { a: { run: touch made } }")
    sandbox.makeFolder(".headway")
    sandbox.write(trouble.bytes, to: ".headway/history.sqlite")
    let result = RunningTool.run(["run", "plan.yaml", "--ui", "quiet"], in: sandbox)
    #expect(result.end == .code(0) && sandbox.has("made"))
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 1, "\(result.text)")
    #expect(lines.first?.contains(trouble.line) == true, "\(result.text)")
  }

  @Test func `A renamed plan keeps its history`() throws {
    let tasks = "tasks: { a: { run: sleep 0.2 }, b: { run: sleep 0.1 }, c: { run: sleep 0.3 } }"
    let sandbox = Sandbox(plan: "name: old\n\(tasks)")
    _ = RunningTool.run(["run", "plan.yaml", "--ui", "quiet"], in: sandbox)
    sandbox.write("name: new\n\(tasks)", to: "plan.yaml")
    let result = RunningTool.run(["run", "plan.yaml", "--ui", "plain"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text.contains("using the history of the similar plan 'old'"), "\(result.text)")
    #expect(result.text.contains("predicted)"), "\(result.text)")
  }
}
