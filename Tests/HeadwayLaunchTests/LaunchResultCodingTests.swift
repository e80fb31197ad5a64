import Foundation
import HeadwayCollections
import HeadwayRun
import Testing

@testable import HeadwayLaunch

/// The results of tasks as JSON, there and back.
struct LaunchResultCodingTests {
  private func encode(_ value: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(value)
  }

  private func object(_ data: Data) throws -> NSMutableDictionary {
    let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    return NSMutableDictionary(dictionary: try #require(object))
  }

  /// A run of random tasks that end in all ways, with its result and its events.
  private func run(seed: UInt64) throws -> (result: LaunchResult, events: [RunEvent]) {
    try withVirtualLaunch(seed: seed) { launch in
      var random = SplitMix64(seed: seed)
      var graph = LaunchGraph()
      var ids: [TaskID] = []
      for number in 0..<12 {
        let after = ids.filter { _ in Int.random(in: 0..<5, using: &random) == 0 }
        let seconds = Int.random(in: 0...9, using: &random)
        let fails = Int.random(in: 0..<4, using: &random) == 0
        let settings = TaskSettings(
          timeout: .seconds(7),
          retries: RetryPolicy(limit: number % 2, backoff: .milliseconds(1_234)),
          isOptional: Int.random(in: 0..<3, using: &random) == 0)
        ids.append(
          graph.add("task \(number)", after: after, settings: settings) { _ in
            try await launch.sleep(seconds)
            if fails { throw Mishap(description: "no \"\(number)\"") }
          })
      }
      let launcher = try launch.launcher(
        graph, workers: 3, policy: seed.isMultiple(of: 2) ? .keepGoing : .stop,
        deadline: seed.isMultiple(of: 3) ? .seconds(20) : nil)
      let events = launcher.events()
      let result = await launcher.run()
      var all: [RunEvent] = []
      for await event in events { all.append(event) }
      return (result, all)
    }
  }

  @Test(arguments: 0..<(40 as UInt64))
  func `A result has the fields of the event about the end, and comes back`(seed: UInt64) throws {
    let (result, events) = try run(seed: seed)
    for event in events {
      guard case .taskEnded(let id, _, _, _) = event.kind else { continue }
      let task = result.tasks[id.index]
      let data = try encode(task)
      let fields = try object(data)
      #expect(fields["optional"] as? Bool == (task.isOptional ? true : nil))
      fields["optional"] = nil
      fields["event"] = "task_ended"
      #expect(fields == (try object(encode(event))))

      let back = try JSONDecoder().decode(LaunchResult.Task.self, from: data)
      #expect(back.id == task.id && back.name == task.name && back.outcome == task.outcome)
      #expect(back.isOptional == task.isOptional && back.attempts == task.attempts)
      #expect(back.began == task.began && back.ended == task.ended && back.error == nil)
      #expect(try encode(back) == data)
      // An event about the end is a result, too.
      let read = try JSONDecoder().decode(LaunchResult.Task.self, from: encode(event))
      #expect(read.outcome == task.outcome && read.began == task.began && !read.isOptional)
    }
    #expect(result.tasks.count == 12)
  }

  @Test(arguments: [
    (#"{"task":"a","id":0,"outcome":"succeeded","attempts":1,"ran":1}"#, "time"),
    (#"{"time":1,"task":"a","id":-1,"outcome":"succeeded","attempts":1,"ran":1}"#, "id"),
    (#"{"time":1,"task":"a","id":0,"outcome":"won","attempts":1,"ran":1}"#, "outcome"),
    (#"{"time":1,"task":"a","id":0,"outcome":"failed","attempts":1,"ran":1}"#, "failure"),
    (#"{"time":1,"task":"a","id":0,"outcome":"succeeded","attempts":-1,"ran":1}"#, "attempts"),
    (#"{"time":1,"task":"a","id":0,"outcome":"succeeded","attempts":1,"ran":2}"#, "ran"),
    (#"{"time":1,"task":"a","id":0,"outcome":"succeeded","attempts":1,"ran":-1}"#, "ran"),
    (
      #"{"time":1,"task":"a","id":0,"outcome":"succeeded","attempts":1,"ran":0,"optional":1}"#,
      "optional"
    ),
  ])
  func `A result that is wrong is an error that says where`(text: String, field: String) throws {
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(LaunchResult.Task.self, from: Data(text.utf8))
    }
    #expect("\(error)".contains(field))
  }

  @Test func `A failure policy is its name`() throws {
    let names = ["stop", "keep_going", "fail_fast", "hold"]
    #expect(FailurePolicy.allCases.map(\.rawValue) == names)
    #expect(
      try JSONDecoder().decode([FailurePolicy].self, from: encode(names)) == FailurePolicy.allCases)
  }
}
