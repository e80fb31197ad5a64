import HeadwayCollections
import HeadwayLaunch
import HeadwayRun
import Testing

/// What tasks return, and who gets it.
struct TaskOutputTests {
  @Test func `A task gets what the tasks before it have returned`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let path = graph.add("settings") {
        try await launch.sleep(2)
        return "shop.db"
      }
      let size = graph.add("measure", after: path) { path in path.utf8.count }
      let text = graph.add("describe", after: path, size) { context, path, size in
        "\(context.task.name): \(path) has \(size)"
      }
      let result = try await launch.launcher(graph).run()
      return (result, result[text], result[size])
    }
    #expect(result.0.isSuccess && result.0.duration == .seconds(2))
    #expect(result.1 == "describe: shop.db has 7" && result.2 == 7)
  }

  @Test func `The output of an optional task is optional`() async throws {
    var graph = LaunchGraph()
    let cache = graph.addOptional("cache") { () -> Int in throw Mishap(description: "full") }
    let theme = graph.addOptional("theme", after: cache) { context, cache in
      cache == nil ? "plain" : context.task.name
    }
    let both = graph.add("show", after: cache, theme) { cache, theme -> [String?] in
      [cache.map(String.init), theme]
    }
    let result = try await Launcher(graph).run()
    #expect(result.isSuccess)
    #expect(result[both] == [nil, "plain"])
    #expect(result[cache] == nil && result[theme] == "plain")
  }

  @Test func `A task that always runs gets what there is`() async throws {
    var graph = LaunchGraph()
    let good = graph.add("good") { 1 }
    let bad = graph.add("bad") { () -> Int in throw Mishap(description: "no") }
    let never = graph.add("never", after: bad) { $0 }
    let all = graph.add(
      "close", after: good.ifSucceeded, bad.ifSucceeded, never.ifSucceeded,
      settings: TaskSettings(alwaysRuns: true)
    ) { [$0, $1, $2] }
    let options = LauncherOptions(workers: 1, policy: .keepGoing)
    let result = try await Launcher(graph, options: options).run()
    #expect(result[all] == [1, nil, nil])
    #expect(result[bad] == nil && result[never] == nil)
    #expect(result["never"]?.outcome == .skipped(.needs(bad.task)))
  }

  @Test func `Who needs an output that is missing fails and says so`() async throws {
    var graph = LaunchGraph()
    let bad = graph.add("bad") { () -> Int in throw Mishap(description: "no") }
    graph.add("close", after: bad, settings: TaskSettings(alwaysRuns: true)) { print($0) }
    let result = try await Launcher(graph).run()
    let error = result["close"]?.error as? MissingOutput
    #expect(error?.task == bad.task)
    #expect(
      error?.description
        == "task 'bad' did not succeed, so it has no output: pass ifSucceeded of its output, which is nil then"
    )
  }

  @Test func `The output is that of the attempt that succeeded`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(retries: RetryPolicy(limit: 2, backoff: .seconds(1)))
      let number = graph.add("number", settings: settings) { context in
        if context.attempt < 3 { throw Mishap(description: "again") }
        return context.attempt
      }
      let result = try await launch.launcher(graph).run()
      return result[number]
    }
    #expect(result == 3)
  }

  @Test func `What is returned after the time limit is nobody's`() throws {
    let result = try withVirtualLaunch { launch in
      var graph = LaunchGraph()
      let settings = TaskSettings(timeout: .seconds(1), grace: .seconds(5))
      let late = graph.addOptional("late", settings: settings) {
        // It ends within its grace, but too late.
        try? await launch.sleep(9)
        return 1
      }
      let next = graph.add("next", after: late) { $0 ?? 0 }
      let result = try await launch.launcher(graph).run()
      return (result["late"]?.outcome, result[late], result[next])
    }
    #expect(result.0?.isSuccess == false)
    #expect(result.1 == nil && result.2 == 0)
  }

  @Test func `A graph can run twice, and each result has its own outputs`() async throws {
    let count = Box(0)
    var graph = LaunchGraph()
    let number = graph.add("count") {
      count.change { $0 += 1 }
      return count.value
    }
    let first = try await Launcher(graph).run()
    let second = try await Launcher(graph).run()
    #expect(first[number] == 1 && second[number] == 2)
  }

  @Test(.timeLimit(.minutes(5)))
  func `Outputs are released with the launcher and the result`() async throws {
    final class Resource: Sendable {}
    weak let resource: Resource?
    do {
      var graph = LaunchGraph()
      let made = graph.add("make") { Resource() }
      let result = try await Launcher(graph).run()
      resource = result[made]
      #expect(resource != nil)
    }
    // The thread that ran the task may still hold the attempt for a moment.
    while resource != nil { await Task.yield() }
  }

  @Test func `Outputs are those of what was added and not of others`() async throws {
    var graph = LaunchGraph()
    let number = graph.add("number") { 1 }
    let group = graph.add("group", after: [number.task])
    let text = graph.add("text", after: number) { "\($0)" }
    graph.addDependency(of: text.task, on: group)
    let result = try await Launcher(graph).run()
    #expect(result[text] == "1" && result[number] == 1)
    // The result of a graph without outputs has none.
    var other = LaunchGraph()
    other.add("nothing")
    #expect(try await Launcher(other).run()[number] == nil)
  }

  @Test(arguments: 0..<20)
  func `The sums of random graphs are right`(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    var graph = LaunchGraph()
    var outputs: [TaskOutput<Int>] = []
    var expected: [Int] = []
    for place in 0..<200 {
      guard place > 2 else {
        outputs.append(graph.add("\(place)") { place })
        expected.append(place)
        continue
      }
      let chosen = (0..<3).map { _ in Int.random(in: 0..<place, using: &random) }
      let (first, second, third) = (outputs[chosen[0]], outputs[chosen[1]], outputs[chosen[2]])
      let sum: TaskOutput<Int> =
        switch place % 3 {
        case 0: graph.add("\(place)", after: first) { $0 &+ 1 }
        case 1:
          graph.add("\(place)", after: first, second) { first, second in
            await Task.yield()
            return first &+ second
          }
        default: graph.addBlocking("\(place)", after: first, second, third) { $0 &+ $1 &+ $2 }
        }
      outputs.append(sum)
      expected.append(
        chosen.prefix(place % 3 + 1).reduce(place % 3 == 0 ? 1 : 0) { $0 &+ expected[$1] })
    }
    let result = try await Launcher(graph, options: LauncherOptions(workers: 4)).run()
    #expect(outputs.map { result[$0] } == expected)
  }
}
