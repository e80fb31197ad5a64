import Foundation
import HeadwayCollections
import HeadwayLaunch
import HeadwayRun
import HeadwayView
import Testing

/// Events as lines of JSON, there and back.
struct EventCodableTests {
  /// Encodes with the fields in the order of their names.
  private func encode(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Decodes a text.
  private func decode<Value: Decodable>(_ text: String, as type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  /// Expects that a value comes back, with the names of its tasks, by which they are not compared.
  private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
    let text = try encode(value)
    let back = try decode(text, as: Value.self)
    #expect(back == value, "\(text)")
    #expect(try encode(back) == text)
  }

  /// What the surface prints for an event, without the end of the line.
  private func print(_ event: RunEvent, names: [String] = []) -> String {
    let all = (0..<EventExamples.taskCount).map { names.indices.contains($0) ? names[$0] : "" }
    var renderer = JSONRenderer(RunDescription(name: "release", names: all))
    var bytes = Array("before\n".utf8)
    var update = RunUpdate()
    update.events = [RunUpdate.Event(event, RunState(taskCount: EventExamples.taskCount))]
    renderer.update(update, into: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.hasPrefix("before\n{") && text.hasSuffix("}\n"))
    return String(text.dropFirst(7).dropLast())
  }

  @Test func `Every kind of event has an example`() {
    #expect(Set(EventExamples.kinds.map(\.name)) == Set(EventName.allCases))
  }

  @Test(arguments: EventExamples.kinds)
  func `An event comes back`(kind: RunEvent.Kind) throws {
    let event = RunEvent(time: .nanoseconds(1_234_567_891), kind: kind)
    try expectRoundTrip(event)
    let printed = print(event)
    #expect(try decode(printed, as: RunEvent.self) == event)
  }

  @Test func `The parts of events come back by themselves`() throws {
    for value in EventExamples.outcomes { try expectRoundTrip(value) }
    for value in EventExamples.failures { try expectRoundTrip(Outcome.failed(value)) }
    for value in EventExamples.skips { try expectRoundTrip(Outcome.skipped(value)) }
    for value in EventExamples.ends {
      try expectRoundTrip(RunEvent(time: .zero, kind: .runEnding(value)))
    }
    var status = EventExamples.status
    try expectRoundTrip(status)
    try expectRoundTrip(status.counts)
    for phase in EventExamples.phases {
      status.tasks[0].phase = phase
      try expectRoundTrip(status)
      try expectRoundTrip(phase)
    }
    for task in status.tasks { try expectRoundTrip(task) }
    for value in EventExamples.failures { try expectRoundTrip(value) }
    for value in EventExamples.ends { try expectRoundTrip(value) }
    for value in Outcome.Kind.allCases { try expectRoundTrip([value]) }
    for value in [EventExamples.fetch, EventExamples.lint] { try expectRoundTrip(value) }
    for kind in EventExamples.kinds {
      guard case .forecast(let forecast) = kind else { continue }
      try expectRoundTrip(forecast)
    }
  }

  @Test func `Ten thousand random events come back, encoded and printed`() throws {
    var generator = SplitMix64(seed: 7)
    for _ in 0..<10_000 {
      let event = EventExamples.random(&generator)
      let text = try encode(event)
      let back = try decode(text, as: RunEvent.self)
      #expect(back == event, "\(text)")
      #expect(try encode(back) == text)
      let printed = try decode(print(event), as: RunEvent.self)
      #expect(printed == event, "\(text)")
      #expect(try encode(printed) == text)
    }
  }

  @Test(arguments: GoldenLine.all)
  func `The format is what it was`(golden: GoldenLine) throws {
    let event = golden.event
    #expect(print(event, names: ["fetch", "lint"]) == golden.line)
    #expect(try decode(golden.line, as: RunEvent.self) == event)
    var fields = try decode(golden.line, as: [String: JSONValue].self)
    for key in golden.onlyPrinted { fields[key] = nil }
    #expect(try decode(encode(event), as: [String: JSONValue].self) == fields)
  }

  @Test func `The table holds every event, outcome, failure and reason`() {
    let lines = GoldenLine.all.map(\.line).joined(separator: "\n")
    #expect(Set(GoldenLine.all.map(\.kind.name)) == Set(EventName.allCases))
    // The name of a number only; as an outcome it is one that is up to date.
    for name in Outcome.Kind.allCases where name != .doneEarlier {
      #expect(lines.contains("\"outcome\":\"\(name.rawValue)\""))
    }
    for name in FailureName.allCases { #expect(lines.contains("\"failure\":\"\(name.rawValue)\"")) }
    for name in EndReasonName.allCases {
      #expect(lines.contains("\"reason\":\"\(name.rawValue)\""))
    }
    for name in PhaseName.allCases { #expect(lines.contains("\"phase\":\"\(name.rawValue)\"")) }
    for name in ShownRemainingName.allCases {
      #expect(lines.contains("\"says\":\"\(name.rawValue)\""))
    }
    // What only a surface with logs and optional tasks prints is held by its own test.
    let others: Set<EventKey> = [.log, .optional, .predicted, .resumes, .text]
    // The names from `nodes` on belong to progress trees and to the protocol, and are held by the tests of HeadwayRelay.
    for key in EventKey.allCases.prefix(while: { $0 != .nodes }) where !others.contains(key) {
      #expect(lines.contains("\"\(key.rawValue)\":"), "\(key)")
    }
  }

  @Test func `An encoder writes one flat object`() throws {
    let event = RunEvent(
      time: .milliseconds(1200),
      kind: .taskEnded(
        EventExamples.fetch, .skipped(.needs(EventExamples.lint)), attempts: 0, ran: .zero))
    #expect(
      try encode(event) == #"""
        {"attempts":0,"event":"task_ended","id":0,"needs":"lint \"all\"\n","needs_id":1,\#
        "outcome":"skipped","ran":0,"task":"fetch","time":1.2}
        """#)
    #expect(
      try encode(Outcome.failed(.threw("a")))
        == #"{"failure":"threw","outcome":"failed","reason":"a"}"#)
    #expect(try encode(Failure.threw("a")) == #"{"failure":"threw","reason":"a"}"#)
    #expect(try encode(TaskID(3, name: "a")) == #"{"id":3,"task":"a"}"#)
    #expect(
      try encode(RunEvent.EndReason.deadline(.milliseconds(1500)))
        == #"{"limit":1.5,"reason":"deadline"}"#)
    #expect(try encode([Outcome.Kind.timedOut]) == #"["timed_out"]"#)
  }

  @Test func `Characters that control a terminal or hide text are escaped`() {
    var line = JSONLine(names: [])
    line.begin()
    line.add(.plan, text: "a\"\\\n\u{1B}\u{7F}\u{9B}\u{202E}\u{E0001}é😀")
    line.end()
    #expect(
      String(decoding: line.bytes, as: UTF8.self)
        == #"{"plan":"a\"\\\n\u001b\u007f\u009b\u202e\udb40\udc01é😀"}"#)
  }

  @Test func `What is not known is ignored`() throws {
    let line = #"""
      {"event":"run_started","time":0,"tasks":5,"workers":2,"plan":"release","host":{"cores":[8]},"x":null}
      """#
    #expect(
      try decode(line, as: RunEvent.self)
        == RunEvent(time: .zero, kind: .runStarted(tasks: 5, workers: 2)))
  }

  @Test(arguments: [(1.5, 1.0), (-0.5, 0), (.infinity, 1), (-.infinity, 0)])
  func `A fraction that is out of range is written as the nearest one that is not`(
    fraction: Double, written: Double
  ) throws {
    let event = RunEvent(time: .zero, kind: .forecast(RunForecast(fraction: fraction)))
    let expected = RunEvent(time: .zero, kind: .forecast(RunForecast(fraction: written)))
    #expect(try decode(print(event), as: RunEvent.self) == expected)
    #expect(try decode(encode(event), as: RunEvent.self) == expected)
  }

  @Test func `A fraction that is NaN is printed as 0`() throws {
    let event = RunEvent(time: .zero, kind: .forecast(RunForecast(fraction: .nan)))
    #expect(
      try decode(print(event), as: RunEvent.self)
        == RunEvent(time: .zero, kind: .forecast(RunForecast(fraction: 0))))
  }

  @Test func `Nobody's task is printed with the name that the graph has for it`() {
    let event = RunEvent(
      time: .zero,
      kind: .taskEnded(
        TaskID(0), .skipped(.needs(TaskID(1))), attempts: 0, ran: .zero))
    let printed = print(event, names: ["fetch", "lint"])
    #expect(printed.contains(#""task":"fetch","id":0"#))
    #expect(printed.contains(#""needs":"lint","needs_id":1"#))
  }
}

/// Any JSON, to compare objects whatever the order of their fields.
enum JSONValue: Decodable, Equatable {
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }
}
