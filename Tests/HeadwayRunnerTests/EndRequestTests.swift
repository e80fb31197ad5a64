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
    var isKey = false
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
      testDescription: "a key that is pressed twice", first: SIGINT, second: SIGINT, isKey: true,
      milliseconds: 1, isNew: true),
    Case(
      testDescription: "a key, which a program sends on", first: SIGINT, second: SIGINT,
      milliseconds: 1, isNew: false),
    Case(
      testDescription: "a terminal that is closed, of which the shell tells later", first: SIGHUP,
      second: SIGHUP, milliseconds: 10_000, isNew: false),
    Case(
      testDescription: "the end after a terminal was closed", first: SIGHUP, second: SIGTERM,
      milliseconds: 1, isNew: true),
  ])
  func `A signal is a request of its own unless it repeats the last one`(example: Case) {
    var previous = hw_request(number: example.first, is_key: false, milliseconds: 100)
    var next = hw_request(
      number: example.second, is_key: example.isKey, milliseconds: 100 + example.milliseconds)
    #expect(unsafe hw_is_new_request(&previous, &next) == example.isNew)
  }
}
