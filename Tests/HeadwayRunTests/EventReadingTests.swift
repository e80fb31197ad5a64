import Foundation
import HeadwayCollections
import HeadwayRun
import Testing

/// Lines that are no events, and numbers at the ends of their ranges.
struct EventReadingTests {
  /// A line that is wrong, the field that is, and what is said.
  struct InvalidLine: Sendable, CustomTestStringConvertible {
    /// The line without its first and its last letter.
    let line: String
    /// The path of the field.
    let field: String
    /// A part of the message.
    let message: String

    /// The line, as the name of the test.
    var testDescription: String { line }

    /// Describes a line.
    init(_ line: String, _ field: String, _ message: String) {
      self.line = line
      self.field = field
      self.message = message
    }
  }

  /// Decodes a line.
  private func decode(_ line: String) throws -> RunEvent {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(RunEvent.self, from: Data(line.utf8))
  }

  /// The path and the message of an error, nil for other errors.
  private func details(_ error: any Error) -> (field: String, message: String)? {
    guard let error = error as? DecodingError else { return nil }
    let context: DecodingError.Context
    var key: (any CodingKey)?
    switch error {
    case .typeMismatch(_, let told), .valueNotFound(_, let told), .dataCorrupted(let told):
      context = told
    case .keyNotFound(let missing, let told):
      context = told
      key = missing
    @unknown default: return nil
    }
    let path = (context.codingPath + (key.map { [$0] } ?? [])).map(\.stringValue)
    return (path.joined(separator: "."), context.debugDescription)
  }

  @Test(arguments: [
    InvalidLine(#""event":"run_danced","time":1"#, "event", "'event' must be one of run_started, "),
    InvalidLine(#""event":"run_danced","time":1"#, "event", "but is 'run_danced'"),
    InvalidLine(#""event":7,"time":1"#, "event", "String"),
    InvalidLine(#""time":1"#, "event", "event"),
    InvalidLine(#""event":"run_paused""#, "time", "time"),
    InvalidLine(#""event":"run_paused","time":"now""#, "time", "Double"),
    InvalidLine(#""event":"run_paused","time":null"#, "time", "Double"),
    InvalidLine(
      #""event":"run_paused","time":1e300"#, "time",
      "'time' must be a number of seconds from -2^63 to 2^63, but is 1e+300"),
    InvalidLine(#""event":"run_paused","time":-1e19"#, "time", "but is -1e+19"),
    InvalidLine(#""event":"run_paused","time":"nan""#, "time", "but is nan"),
    InvalidLine(#""event":"run_paused","time":"inf""#, "time", "but is inf"),
    InvalidLine(#""event":"run_paused","time":"-inf""#, "time", "but is -inf"),
    InvalidLine(#""event":"task_added","time":1,"id":0"#, "task", "task"),
    InvalidLine(#""event":"task_added","time":1,"task":"a""#, "id", "id"),
    InvalidLine(
      #""event":"task_added","time":1,"task":"a","id":-1"#, "id",
      "'id' must be from 0 to 2147483647, but is -1"),
    InvalidLine(#""event":"task_added","time":1,"task":"a","id":2147483648"#, "id", "2147483648"),
    InvalidLine(
      #""event":"task_added","time":1,"task":"a","id":0.5"#, "id",
      "'id' must be a whole number of 64 bits, but is 0.5"),
    InvalidLine(#""event":"missed","time":1,"events":1e20"#, "events", "but is 1e+20"),
    InvalidLine(#""event":"task_added","time":1,"task":"a","id":"0""#, "id", "Int"),
    InvalidLine(#""event":"task_added","time":1,"task":0,"id":0"#, "task", "String"),
    InvalidLine(
      #""event":"task_started","time":1,"task":"a","id":0,"attempt":0"#, "attempt",
      "'attempt' must be from 1 to"),
    InvalidLine(
      #""event":"task_started","time":1,"task":"a","id":0,"attempt":-4"#, "attempt", "but is -4"),
    InvalidLine(
      #""event":"task_overdue","time":1,"task":"a","id":0,"attempt":1"#, "limit", "limit"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"attempts":1,"ran":0"#, "outcome",
      "outcome"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"attempts":1,"ran":0,"outcome":"won""#,
      "outcome", "must be one of succeeded, up_to_date, failed, timed_out, cancelled, skipped, lost"
    ),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"outcome":"succeeded","attempts":-1"#,
      "attempts", "but is -1"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"outcome":"failed","code":1"#, "failure",
      "failure"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"outcome":"failed","failure":"bad""#,
      "failure", "must be one of exited, signalled, not_started, threw, but is 'bad'"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"outcome":"failed","failure":"signalled","#
        + #""signal":-9"#, "signal", "but is -9"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"outcome":"skipped""#, "removed", "removed"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"outcome":"skipped","removed":false"#,
      "removed", "must be true where 'needs' and 'stopped_by' are missing"),
    InvalidLine(
      #""event":"task_ended","time":1,"task":"a","id":0,"outcome":"skipped","needs":"b""#,
      "needs_id", "needs_id"),
    InvalidLine(#""event":"run_ending","time":1,"reason":"fun""#, "reason", "but is 'fun'"),
    InvalidLine(
      #""event":"run_started","time":0,"tasks":-1,"workers":1"#, "tasks",
      "'tasks' must be from 0 to 2147483647, but is -1"),
    InvalidLine(#""event":"run_started","time":0,"tasks":1,"workers":-1"#, "workers", "but is -1"),
    InvalidLine(
      #""event":"run_started","time":0,"version":3,"tasks":1,"workers":1"#, "version",
      "'version' is 3, but this program reads versions up to 2"),
    InvalidLine(
      #""event":"forecast","time":0,"fraction":1.5,"says":"unknown""#, "fraction",
      "'fraction' must be from 0 to 1, but is 1.5"),
    InvalidLine(
      #""event":"forecast","time":0,"fraction":-0.5,"says":"unknown""#, "fraction", "but is -0.5"),
    InvalidLine(
      #""event":"forecast","time":0,"fraction":"nan","says":"unknown""#, "fraction", "but is nan"),
    InvalidLine(#""event":"missed","time":0,"events":1"#, "status", "status"),
    InvalidLine(
      #""event":"missed","time":0,"events":1,"status":{"tasks":[{"phase":"lost"}]}"#,
      "status.tasks.Index 0.phase", "must be one of waiting, running, overdue, backing_off, ended"),
    InvalidLine(
      #""event":"missed","time":0,"events":1,"status":{"tasks":[],"active":[{"task":"a","id":3}],"#
        + #""counts":{"succeeded":0,"up_to_date":0,"failed":0,"timed_out":0,"cancelled":0,"#
        + #""skipped":0},"workers":1,"paused":false}"#,
      "status.active", "has the task with index 3, but there are 0 tasks"),
  ])
  func `A line that is wrong says what is wrong in which field`(line: InvalidLine) throws {
    let error = try #require(throws: (any Error).self) { try decode("{\(line.line)}") }
    let told = try #require(details(error))
    #expect(told.field == line.field)
    #expect(told.message.contains(line.message), "\(told.message)")
  }

  @Test(arguments: [
    "", "[]", "7", "null", #"{"event""#, #"["event"]"#, #"{"event":"run_paused","time":1e999}"#,
  ])
  func `What is no object, or no JSON, is an error`(line: String) {
    #expect(throws: DecodingError.self) { try decode(line) }
  }

  @Test func `Damaged lines are refused, or are events that come back`() throws {
    var generator = SplitMix64(seed: 11)
    let encoder = JSONEncoder()
    let letters = Array(#""0123456789-.eE{}[],:abcdefghinrstu_\"#.utf8)
    var refused = 0
    for _ in 0..<10_000 {
      var line = Array(try encoder.encode(EventExamples.random(&generator)))
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<line.count, using: &generator)
        let letter = letters.randomElement(using: &generator) ?? 0
        if generator.once(in: 3) { line.remove(at: place) } else { line[place] = letter }
      }
      do {
        let event = try JSONDecoder().decode(RunEvent.self, from: Data(line))
        let back = try JSONDecoder().decode(RunEvent.self, from: encoder.encode(event))
        // Beyond the range in which times are exact, they come back within a second.
        #expect(back.kind.name == event.kind.name)
      } catch is DecodingError {
        refused += 1
      }
    }
    #expect(refused > 1_000)
  }
}
