import Glibc
import HeadwaySystem
import Testing

/// Which signals are requests of their own to end the run, and which only repeat one.
struct EndRequestTests {
  /// A signal, when it comes, and whether it is a request of its own.
  struct Signal: Sendable {
    let number: Int32
    let milliseconds: Int64
    let isFromTerminal: Bool
    let isNew: Bool

    static func sent(_ number: Int32, at milliseconds: Int64, isNew: Bool) -> Self {
      Signal(number: number, milliseconds: milliseconds, isFromTerminal: false, isNew: isNew)
    }

    static func fromTerminal(_ number: Int32, at milliseconds: Int64, isNew: Bool) -> Self {
      Signal(number: number, milliseconds: milliseconds, isFromTerminal: true, isNew: isNew)
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let signals: [Signal]

    init(_ description: String, _ signals: Signal...) {
      testDescription = description
      self.signals = signals
    }
  }

  @Test(arguments: [
    Case(
      "timeout sends one to the process and one to its group",
      .sent(SIGTERM, at: 0, isNew: true), .sent(SIGTERM, at: 19, isNew: false)),
    Case("sent again", .sent(SIGTERM, at: 0, isNew: true), .sent(SIGTERM, at: 20, isNew: true)),
    Case(
      "a second request counts from the first signal, not from its repetition",
      .sent(SIGTERM, at: 0, isNew: true), .sent(SIGTERM, at: 15, isNew: false),
      .sent(SIGTERM, at: 25, isNew: true)),
    Case("of another kind", .sent(SIGTERM, at: 0, isNew: true), .sent(SIGINT, at: 0, isNew: true)),
    Case(
      "a key that is pressed twice",
      .fromTerminal(SIGINT, at: 0, isNew: true), .fromTerminal(SIGINT, at: 1, isNew: true)),
    Case(
      "a key, which two programs pass on",
      .fromTerminal(SIGINT, at: 0, isNew: true), .sent(SIGINT, at: 400, isNew: false),
      .sent(SIGINT, at: 999, isNew: false), .sent(SIGINT, at: 1_000, isNew: true)),
    Case(
      "two keys, each of which a program passes on",
      .fromTerminal(SIGINT, at: 0, isNew: true), .sent(SIGINT, at: 1, isNew: false),
      .fromTerminal(SIGINT, at: 2, isNew: true), .sent(SIGINT, at: 3, isNew: false)),
    Case(
      "a terminal that is closed, and the SIGHUP of the shell before",
      .sent(SIGHUP, at: 0, isNew: true), .fromTerminal(SIGHUP, at: 10_000, isNew: false)),
    Case(
      "a terminal that is closed, and the SIGHUP of the shell after it",
      .fromTerminal(SIGHUP, at: 0, isNew: true), .sent(SIGHUP, at: 10_000, isNew: false)),
    Case(
      "a terminal that is closed between the SIGHUP of two shells",
      .sent(SIGHUP, at: 0, isNew: true), .fromTerminal(SIGHUP, at: 10, isNew: false),
      .sent(SIGHUP, at: 10_000, isNew: false)),
    Case(
      "SIGHUP sent again", .sent(SIGHUP, at: 0, isNew: true), .sent(SIGHUP, at: 20, isNew: true)),
    Case(
      "the end of a session by systemd",
      .sent(SIGTERM, at: 0, isNew: true), .sent(SIGHUP, at: 1, isNew: false)),
    Case(
      "the end of a session whose terminal is closed later",
      .sent(SIGTERM, at: 0, isNew: true), .fromTerminal(SIGHUP, at: 500, isNew: false),
      .sent(SIGHUP, at: 600, isNew: false)),
    Case(
      "the end of a session whose terminal is closed first",
      .fromTerminal(SIGHUP, at: 0, isNew: true), .sent(SIGTERM, at: 19, isNew: false)),
    Case(
      "the end after a terminal was closed",
      .fromTerminal(SIGHUP, at: 0, isNew: true), .sent(SIGTERM, at: 20, isNew: true)),
    Case(
      "the end at once after the end of a session",
      .sent(SIGTERM, at: 0, isNew: true), .fromTerminal(SIGHUP, at: 1, isNew: false),
      .sent(SIGTERM, at: 20, isNew: true)),
  ])
  func `A signal is a request of its own unless it repeats one`(example: Case) {
    var requests = EndRequests()
    for signal in example.signals {
      let next = EndRequest(
        number: signal.number, isFromTerminal: signal.isFromTerminal,
        milliseconds: 100 + signal.milliseconds)
      #expect(requests.add(next) == signal.isNew, "\(signal)")
    }
  }
}
