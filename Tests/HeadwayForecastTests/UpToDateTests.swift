import HeadwayRun
import Testing

@testable import HeadwayForecast

/// What the forecast expects of tasks that may be up to date.
struct UpToDateTests {
  /// A graph of tasks that may be up to date, each with the tasks before it.
  private func graph(_ after: [[Int]], kinds: [String] = []) -> ForecastInput {
    let tasks = after.indices.map { index in
      var task = ForecastInput.Task(
        name: "t\(index)", kind: kinds.indices.contains(index) ? kinds[index] : "kind \(index)")
      task.mayBeUpToDate = true
      return task
    }
    let edges = after.indices.flatMap { index in
      after[index].map { TaskGraph.Edge(before: $0, after: index) }
    }
    return ForecastInput(tasks: tasks, edges: edges)
  }

  /// A run in which some tasks took ten seconds each and the others were up to date.
  private func run(of graph: ForecastInput, _ ran: Set<Int>) -> DurationHistory.Run {
    let tasks = graph.tasks.enumerated()
    var run = DurationHistory.Run(
      samples: tasks.filter { ran.contains($0.offset) }.map {
        DurationHistory.Sample(
          name: $0.element.name, kind: $0.element.kind, duration: .seconds(10))
      })
    run.upToDate = tasks.filter { !ran.contains($0.offset) }.map {
      DurationHistory.Task(name: $0.element.name, kind: $0.element.kind)
    }
    return run
  }

  /// Runs in each of which some tasks ran, after one in which all of them did.
  private func history(of graph: ForecastInput, _ runs: [Set<Int>]) -> DurationHistory {
    DurationHistory(
      runs: [run(of: graph, Set(graph.tasks.indices))] + runs.map { run(of: graph, $0) })
  }

  /// A history in which a task is a group: it ends at once in every run.
  private func grouping(_ task: Int, _ history: DurationHistory) -> DurationHistory {
    var history = history
    for index in history.runs.indices {
      history.runs[index].samples.removeAll { $0.name == "t\(task)" }
      history.runs[index].upToDate.removeAll { $0.name == "t\(task)" }
      history.runs[index].samples.append(
        DurationHistory.Sample(name: "t\(task)", kind: "kind \(task)", duration: .zero))
    }
    return history
  }

  /// The remaining seconds before the first start.
  private func remaining(
    _ graph: ForecastInput, _ runs: [Set<Int>], workers: Int = 1, changed: Set<Int> = [],
    unchanged: Set<Int> = []
  ) throws -> Double {
    var forecast = GraphForecast(graph, workers: workers, history: history(of: graph, runs))
    for task in changed { forecast.found(task, changed: true, at: .zero) }
    for task in unchanged { forecast.found(task, changed: false, at: .zero) }
    let answer = forecast.forecast(at: .zero)
    return try #require(answer.remaining).median / .seconds(1)
  }

  @Test func `Tasks whose files have not changed take no time, and those with a change all of it`()
    throws
  {
    let free = graph([[], [], [], []])
    #expect(try remaining(free, [], changed: [0, 1, 2, 3]) > 35)
    let two = try remaining(free, [], changed: [1, 3], unchanged: [0, 2])
    #expect(abs(two - 20) < 4, "\(two)")
    #expect(try remaining(free, [], unchanged: [0, 1, 2, 3]) == 0)
    // That it always ran before does not matter once its files are known.
    let always = [Set<Int>](repeating: [0, 1, 2, 3], count: 10)
    #expect(try remaining(free, always, unchanged: [0, 1, 2, 3]) == 0)
  }

  @Test func `A run in which nothing is left to do is over, without a range`() throws {
    let free = graph([[], [0], [1]])
    var forecast = GraphForecast(free, workers: 2, history: history(of: free, [[0], []]))
    for task in 0..<3 { forecast.found(task, changed: false, at: .zero) }
    for now in [Duration.zero, .milliseconds(1), .seconds(2)] {
      let answer = forecast.forecast(at: now)
      #expect(answer.remaining == RemainingTime(low: .zero, median: .zero, high: .zero))
      #expect(answer.fraction == (now > .zero ? 1 : 0))
    }
  }

  @Test func `What a changed task drags along is expected to run, and what is beside it is not`()
    throws
  {
    // Two chains of three, side by side.
    let two = graph([[], [0], [1], [], [3], [4]])
    let (all, none) = (Set(0..<6), Set<Int>())
    let runs = [all, all, all, none, none]
    let before = try remaining(two, runs, unchanged: all)
    #expect(before == 0)
    let behind = try remaining(two, runs, changed: [0], unchanged: all.subtracting([0]))
    #expect(abs(behind - 30) < 5, "\(behind)")
    let last = try remaining(two, runs, changed: [2], unchanged: all.subtracting([2]))
    #expect(abs(last - 10) < 2, "\(last)")
  }

  @Test func `A task that is seldom affected by what runs before it is not expected to run`()
    throws
  {
    // The generator runs each time and writes the same file.
    let chain = graph([[], [0]])
    let same = try remaining(
      chain, [Set<Int>](repeating: [0], count: 10), changed: [0], unchanged: [1])
    #expect(same < 13, "\(same)")
    let other = try remaining(
      chain, [Set<Int>](repeating: [0, 1], count: 10), changed: [0], unchanged: [1])
    #expect(other > 17, "\(other)")
  }

  @Test func `What runs follows what has run, and what has run to no effect drags nothing along`()
    throws
  {
    let chain = graph([[], [0]])
    /// The remaining seconds after the first task has ended.
    func rest(_ outcome: Outcome.Kind, started: Bool) throws -> Double {
      var forecast = GraphForecast(
        chain, workers: 1, history: history(of: chain, [[0, 1], [0, 1], [0, 1]]))
      for task in 0..<2 { forecast.found(task, changed: false, at: .zero) }
      if started { forecast.start(0, at: .zero) }
      forecast.end(0, outcome, at: .seconds(10))
      let answer = forecast.forecast(at: .seconds(10))
      return try #require(answer.remaining).median / .seconds(1)
    }
    #expect(try rest(.succeeded, started: true) > 7)
    #expect(try rest(.upToDate, started: true) == 0)
    #expect(try rest(.upToDate, started: false) == 0)
    #expect(try rest(.doneEarlier, started: false) == 0)
  }

  @Test func `A task that has started runs, whatever was found before`() throws {
    let chain = graph([[], [0]])
    var forecast = GraphForecast(
      chain, workers: 1, history: history(of: chain, [[0, 1], [0, 1], [0, 1]]))
    for task in 0..<2 { forecast.found(task, changed: false, at: .zero) }
    #expect(forecast.forecast(at: .zero).remaining?.median == .zero)
    forecast.start(0, at: .zero)
    // The rest of its own time, and that of the one behind it.
    let answer = forecast.forecast(at: .seconds(5))
    let rest = try #require(answer.remaining).median / .seconds(1)
    #expect(rest > 12 && rest < 18, "\(rest)")
  }

  @Test func `What was always up to date is expected to be, more so with each run`() throws {
    let many = graph([[Int]](repeating: [], count: 40))
    var last = Double.infinity
    for count in [0, 1, 2, 5, 20] {
      let seconds = try remaining(many, [Set<Int>](repeating: [], count: count))
      #expect(seconds < last, "after \(count) runs: \(seconds)")
      last = seconds
    }
    #expect(last < 40, "a tenth of all tasks: \(last)")
    // One change of everything is not forgotten, and not taken for the rule.
    let changed = try remaining(
      many, [Set<Int>](repeating: [], count: 20) + [Set(0..<40)])
    #expect(changed > last && changed < 80, "\(changed)")
    var always = 0.0
    for count in [0, 1, 2, 5, 20] {
      let seconds = try remaining(many, [Set<Int>](repeating: Set(0..<40), count: count))
      #expect(seconds > always, "after \(count) runs: \(seconds)")
      always = seconds
    }
    #expect(always > 350, "\(always)")
  }

  @Test func `A task is judged by its own runs first, and a new one by those of its kind`() throws {
    let kinds = [String](repeating: "cc", count: 8) + [String](repeating: "test", count: 8)
    let both = graph([[Int]](repeating: [], count: 16), kinds: kinds)
    // All compilations were up to date but the first one, which somebody works on; the tests always ran.
    let tests = Set(8..<16)
    let known = history(of: both, [Set<Int>](repeating: tests.union([0]), count: 12))
    let forecast = GraphForecast(both, workers: 1, history: known)
    let changes = forecast.upToDate.changes
    #expect(changes[0] > 0.8)
    #expect((1..<8).allSatisfy { changes[$0] < 0.3 })
    #expect(tests.allSatisfy { changes[$0] > 0.9 })
    var larger = both
    for kind in ["cc", "test", "docs"] {
      var task = ForecastInput.Task(name: "new", kind: kind)
      task.mayBeUpToDate = true
      larger.tasks.append(task)
    }
    let grown = GraphForecast(larger, workers: 1, history: known).upToDate.changes
    #expect(grown[16] < 0.4 && grown[17] > 0.8, "\(grown[16]), \(grown[17])")
    #expect(grown[18] == Float(ForecastParameters().changeProbability))
    // A new task changes nothing for the others.
    #expect(Array(grown[..<16]) == Array(changes))
  }

  @Test func `A task that another one drags along is not taken for one whose own files change`()
    throws
  {
    let chain = graph([[], [0]])
    let known = history(
      of: chain, [Set<Int>](repeating: [0, 1], count: 6) + [Set<Int>](repeating: [], count: 6))
    let forecast = GraphForecast(chain, workers: 1, history: known)
    let (changes, consequences) = (forecast.upToDate.changes, forecast.upToDate.consequences)
    #expect(changes[1] < 0.2, "\(changes[1])")
    #expect(consequences[1] > 0.9, "\(consequences[1])")
    #expect(changes[0] > 0.4 && changes[0] < 0.7, "\(changes[0])")
  }

  @Test func `A group passes on what has run before it, and takes no part otherwise`() throws {
    // Two steps, a group of both, and one that waits for the group.
    var tree = graph([[], [], [0, 1], [2]])
    tree.tasks[2].isGroup = true
    let known = grouping(2, history(of: tree, [Set<Int>](repeating: [0, 3], count: 5)))
    /// The remaining time once one of the steps has ended, and the group with it.
    func rest(ran: Bool) throws -> Double {
      var forecast = GraphForecast(tree, workers: 1, history: known)
      for task in 0..<4 { forecast.found(task, changed: false, at: .zero) }
      if ran { forecast.start(0, at: .zero) }
      forecast.end(0, ran ? .succeeded : .upToDate, at: .seconds(10))
      forecast.end(1, .upToDate, at: .seconds(10))
      forecast.end(2, .succeeded, at: .seconds(10))
      let answer = forecast.forecast(at: .seconds(10))
      return try #require(answer.remaining).median / .seconds(1)
    }
    #expect(try rest(ran: true) > 7)
    #expect(try rest(ran: false) == 0)
  }

  /// The remaining seconds of a task, two groups and a task behind them, if the first one has changed.
  private func behindGroups(_ runs: [Set<Int>]) throws -> Double {
    var chain = graph([[], [2], [0], [1]])
    for group in 1...2 { chain.tasks[group].isGroup = true }
    let known = grouping(1, grouping(2, history(of: chain, runs)))
    var forecast = GraphForecast(chain, workers: 1, history: known)
    forecast.found(0, changed: true, at: .zero)
    forecast.found(3, changed: false, at: .zero)
    let answer = forecast.forecast(at: .zero)
    return try #require(answer.remaining).median / .seconds(1)
  }

  @Test func `What is behind a group is judged as if it were behind its tasks`() throws {
    // The first task writes what the last one reads, in some runs of many, or the same files as before.
    let idle = [Set<Int>](repeating: [], count: 10)
    let affected = try behindGroups([Set<Int>](repeating: [0, 3], count: 3) + idle)
    let same = try behindGroups([Set<Int>](repeating: [0], count: 10))
    #expect(affected > 17 && same < 13, "\(affected), \(same)")
  }

  @Test func `A look at a task that always runs, has ended or does not exist changes nothing`()
    throws
  {
    var mixed = graph([[], [], []])
    mixed.tasks[0].mayBeUpToDate = false
    let known = history(of: mixed, [[0, 1, 2]])
    var forecast = GraphForecast(mixed, workers: 1, history: known)
    forecast.end(2, .skipped, at: .zero)
    forecast.found(1, changed: true, at: .zero)
    let before = forecast.forecast(at: .zero)
    for task in [0, 2, 3, -1, .max] { forecast.found(task, changed: false, at: .zero) }
    #expect(forecast.forecast(at: .zero) == before)
    #expect(try #require(before.remaining).median > .seconds(16))
    // A plan without such tasks does not ask at all.
    for index in mixed.tasks.indices { mixed.tasks[index].mayBeUpToDate = false }
    var plain = GraphForecast(mixed, workers: 1, history: known)
    let all = plain.forecast(at: .zero)
    for task in 0..<3 { plain.found(task, changed: false, at: .zero) }
    #expect(plain.forecast(at: .zero) == all && plain.upToDate.isEmpty)
  }

  @Test func `A task that is added to the run may be up to date too`() throws {
    let plain = chains(1, of: 2)
    let known = HeadwayForecastTests.history(of: plain, runs: 3) { _ in 10 }
    var forecast = GraphForecast(plain, workers: 1, history: known)
    var task = ForecastInput.Task(name: "new", kind: "work")
    task.mayBeUpToDate = true
    let new = forecast.add(task, at: .zero)
    forecast.found(new, changed: true, at: .zero)
    let with = try #require(forecast.forecast(at: .zero).remaining).median / .seconds(1)
    #expect(abs(with - 30) < 4, "\(with)")
    var other = GraphForecast(plain, workers: 1, history: known)
    other.found(other.add(task, at: .zero), changed: false, at: .zero)
    let without = try #require(other.forecast(at: .zero).remaining).median / .seconds(1)
    #expect(abs(without - 20) < 3, "\(without)")
  }

  @Test func `A first run without a look expects some tasks, and with looks exactly those`() throws
  {
    // No history but hints.
    var hinted = graph([[Int]](repeating: [], count: 10))
    for index in hinted.tasks.indices { hinted.tasks[index].hint = .seconds(10) }
    var forecast = GraphForecast(hinted, workers: 1)
    let before = try #require(forecast.forecast(at: .zero).remaining).median / .seconds(1)
    for task in 0..<10 { forecast.found(task, changed: true, at: .zero) }
    let all = try #require(forecast.forecast(at: .zero).remaining).median / .seconds(1)
    var idle = GraphForecast(hinted, workers: 1)
    for task in 1..<10 { idle.found(task, changed: false, at: .zero) }
    idle.found(0, changed: true, at: .zero)
    let one = try #require(idle.forecast(at: .zero).remaining).median / .seconds(1)
    #expect(one < before && before < all, "\(one), \(before), \(all)")
    #expect(all > 6 * one)
  }
}
