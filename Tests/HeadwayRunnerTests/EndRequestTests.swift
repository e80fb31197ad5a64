import CSpawn
import Glibc
import Testing

/// Which signals ask once more for the end of a run.
struct EndRequestTests {
  /// A signal after another one, and whether it is a request of its own.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: Int32
    let second: Int32
    var areFromTerminal = (first: false, second: false)
    let milliseconds: Int64
    let isNew: Bool
  }

  @Test(arguments: [
    Case(
      testDescription: "the first one", first: 0, second: SIGTERM, milliseconds: 0, isNew: true),
    Case(
      testDescription: "timeout sends one to the process and one to its group", first: SIGTERM,
      second: SIGTERM, milliseconds: 19, isNew: false),
    Case(
      testDescription: "sent again", first: SIGTERM, second: SIGTERM, milliseconds: 20, isNew: true),
    Case(
      testDescription: "of another kind", first: SIGTERM, second: SIGINT, milliseconds: 0,
      isNew: true),
    Case(
      testDescription: "a key that is pressed twice", first: SIGINT, second: SIGINT,
      areFromTerminal: (true, true), milliseconds: 1, isNew: true),
    Case(
      testDescription: "a key, which a program sends on", first: SIGINT, second: SIGINT,
      areFromTerminal: (true, false), milliseconds: 1, isNew: false),
    Case(
      testDescription: "a terminal that is closed, after the shell told it", first: SIGHUP,
      second: SIGHUP, areFromTerminal: (false, true), milliseconds: 10_000, isNew: false),
    Case(
      testDescription: "a terminal that is closed, before the shell tells it", first: SIGHUP,
      second: SIGHUP, areFromTerminal: (true, false), milliseconds: 10_000, isNew: false),
    Case(
      testDescription: "SIGHUP sent again", first: SIGHUP, second: SIGHUP, milliseconds: 20,
      isNew: true),
    Case(
      testDescription: "the end after a terminal was closed", first: SIGHUP, second: SIGTERM,
      milliseconds: 1, isNew: true),
  ])
  func `A signal is a request of its own unless it repeats the last one`(example: Case) {
    var previous = hw_request(
      number: example.first, is_from_terminal: example.areFromTerminal.first, milliseconds: 100)
    var next = hw_request(
      number: example.second, is_from_terminal: example.areFromTerminal.second,
      milliseconds: 100 + example.milliseconds)
    #expect(unsafe hw_is_new_request(&previous, &next) == example.isNew)
  }
}
