import HeadwayRun
import Testing

/// An event at 1.5 seconds and the line that tells it, letter by letter: the promise of the format.
///
/// A line here never changes but by more fields.
struct GoldenLine: Sendable, CustomTestStringConvertible {
  /// What happened.
  let kind: RunEvent.Kind
  /// The line without its first two fields.
  private let rest: String
  /// The fields that an encoder does not know of.
  let onlyPrinted: [String]
  /// What the attempt used that has ended.
  private let usage: ResourceUsage?

  /// The event.
  var event: RunEvent { RunEvent(time: .milliseconds(1500), kind: kind, usage: usage) }

  /// Creates a line.
  private init(
    _ kind: RunEvent.Kind, _ rest: String, onlyPrinted: [String] = [], usage: ResourceUsage? = nil
  ) {
    self.usage = usage
    self.kind = kind
    self.rest = rest
    self.onlyPrinted = onlyPrinted
  }

  /// The line.
  var line: String {
    #"{"event":"\#(kind.name.rawValue)","time":1.500\#(rest.isEmpty ? "" : ",")\#(rest)}"#
  }

  /// The line, as the name of the test.
  var testDescription: String { line }

  /// A task.
  private static let fetch = TaskID(0, name: "fetch")
  /// Another one.
  private static let lint = TaskID(1, name: "lint")

  /// The lines.
  static var all: [GoldenLine] { events + outcomes + reasons + forecasts + [state] }

  /// An event of each kind, but for those about outcomes, reasons and states.
  private static var events: [GoldenLine] {
    [
      GoldenLine(
        .runStarted(tasks: 5, workers: 2), #""version":2,"tasks":5,"workers":2,"plan":"release""#,
        onlyPrinted: ["plan"]),
      GoldenLine(.taskStarted(fetch, attempt: 1), #""task":"fetch","id":0,"attempt":1"#),
      GoldenLine(.taskPlaced(lint, host: "build1"), #""task":"lint","id":1,"host":"build1""#),
      GoldenLine(
        .workersWaiting(
          RunEvent.WorkersWaiting(
            count: 4, reason: "JobHeldUser", start: .seconds(720),
            advice: "scontrol release 17 lets it start", places: 64)),
        #""workers":4,"reason":"JobHeldUser","start":720.000,"advice":"scontrol release 17 lets it start","places":64"#
      ),
      GoldenLine(
        .taskReady(lint, attempt: 1, after: .milliseconds(300)),
        #""task":"lint","id":1,"attempt":1,"after":0.300"#),
      GoldenLine(
        .taskOverdue(lint, attempt: 2, limit: .milliseconds(200)),
        #""task":"lint","id":1,"attempt":2,"limit":0.200"#),
      GoldenLine(
        .taskRetrying(lint, attempt: 2, delay: .seconds(3), because: .failed(.exited(code: 7))),
        #""task":"lint","id":1,"attempt":2,"delay":3.000,"#
          + #""outcome":"failed","failure":"exited","code":7"#),
      GoldenLine(
        .taskRetrying(lint, attempt: 3, delay: .zero, because: .cancelled),
        #""task":"lint","id":1,"attempt":3,"delay":0.000,"outcome":"cancelled","cpu_time":0.004"#,
        usage: ResourceUsage(cpuTime: .milliseconds(4))),
      GoldenLine(
        .taskEnded(fetch, .succeeded, attempts: 1, ran: .seconds(2)),
        #""task":"fetch","id":0,"outcome":"succeeded","attempts":1,"ran":2.000,"#
          + #""cpu_time":3.250,"peak_memory":734003200"#,
        usage: ResourceUsage(cpuTime: .milliseconds(3250), peakMemory: 734_003_200)),
      GoldenLine(.taskAdded(lint), #""task":"lint","id":1"#),
      GoldenLine(.taskExtended(lint, by: .seconds(60)), #""task":"lint","id":1,"by":60.000"#),
      GoldenLine(.taskReportedAgain(lint), #""task":"lint","id":1"#),
      GoldenLine(.runPaused, ""), GoldenLine(.runResumed, ""),
      GoldenLine(.runHeld(by: lint), #""task":"lint","id":1"#),
      GoldenLine(.runProceeding, ""), GoldenLine(.queueEmptied, ""),
      GoldenLine(
        .runEnded,
        #""succeeded":0,"up_to_date":0,"failed":0,"timed_out":0,"cancelled":0,"skipped":0,"#
          + #""lost":0,"done_earlier":0"#,
        onlyPrinted: [
          "succeeded", "up_to_date", "failed", "timed_out", "cancelled", "skipped", "lost",
          "done_earlier",
        ]),
    ]
  }

  /// A task that ended in each way.
  private static var outcomes: [GoldenLine] {
    let fields: [(Outcome, String)] = [
      (.succeeded, #""outcome":"succeeded""#),
      (.skipped(.upToDate), #""outcome":"up_to_date""#),
      (.skipped(.doneEarlier), #""outcome":"up_to_date","earlier":true"#),
      (.failed(.exited(code: 3)), #""outcome":"failed","failure":"exited","code":3"#),
      (.failed(.signalled(number: 9)), #""outcome":"failed","failure":"signalled","signal":9"#),
      (
        .failed(.notStarted(reason: "no \"x\"\t\u{1}")),
        #""outcome":"failed","failure":"not_started","reason":"no \"x\"\t\u0001""#
      ),
      (
        .failed(.threw("too late")),
        #""outcome":"failed","failure":"threw","reason":"too late""#
      ),
      (.timedOut(limit: .seconds(30)), #""outcome":"timed_out","limit":30.000"#),
      (.cancelled, #""outcome":"cancelled""#),
      (.skipped(.needs(lint)), #""outcome":"skipped","needs":"lint","needs_id":1"#),
      (.skipped(.condition), #""outcome":"skipped","condition":false"#),
      (.skipped(.stopped(by: lint)), #""outcome":"skipped","stopped_by":"lint","stopped_by_id":1"#),
      (.skipped(.removed), #""outcome":"skipped","removed":true"#),
      (.lost, #""outcome":"lost""#),
    ]
    return fields.map { outcome, text in
      GoldenLine(
        .taskEnded(fetch, outcome, attempts: 1, ran: .nanoseconds(1_234_567_890)),
        #""task":"fetch","id":0,"# + text + #","attempts":1,"ran":1.23456789"#)
    }
  }

  /// A forecast of each form.
  private static var forecasts: [GoldenLine] {
    let remaining = RemainingTime(
      low: .milliseconds(11_500), median: .seconds(14), high: .seconds(21))
    let range = #""remaining":14.000,"low":11.500,"high":21.000"#
    let late = RunForecast.LateTask(task: lint, elapsed: .seconds(190), usual: .seconds(40))
    return [
      GoldenLine(
        .forecast(RunForecast(fraction: 0)), #""fraction":0.0,"says":"unknown""#),
      GoldenLine(
        .forecast(
          RunForecast(fraction: 0.421_875, shown: .about(.seconds(14)), remaining: remaining)),
        #""fraction":0.421875,"# + range + #","says":"about","about":14.000"#),
      GoldenLine(
        .forecast(
          RunForecast(
            fraction: 0.5, shown: .between(.seconds(120), .seconds(300)), remaining: remaining)),
        #""fraction":0.5,"# + range + #","says":"between","from":120.000,"to":300.000"#),
      GoldenLine(
        .forecast(RunForecast(fraction: 0.9, shown: .late, remaining: remaining, late: late)),
        #""fraction":0.9,"# + range
          + #","says":"late","late":"lint","late_id":1,"elapsed":190.000,"usual":40.000"#),
    ]
  }

  /// A run that ends early for each reason.
  private static var reasons: [GoldenLine] {
    [
      GoldenLine(.runEnding(.failure(lint)), #""reason":"failure","task":"lint","id":1"#),
      GoldenLine(.runEnding(.cancelled), #""reason":"cancelled""#),
      GoldenLine(.runEnding(.cancelledImmediately), #""reason":"killed""#),
      GoldenLine(.runEnding(.deadline(.seconds(90))), #""reason":"deadline","limit":90.000"#),
    ]
  }

  /// A listener that lost events of a run in which tasks stand everywhere.
  private static var state: GoldenLine {
    var status = RunState(taskCount: 5)
    let events: [RunEvent.Kind] = [
      .runStarted(tasks: 5, workers: 3),
      .taskStarted(fetch, attempt: 1), .taskEnded(fetch, .succeeded, attempts: 1, ran: .seconds(1)),
      .taskStarted(lint, attempt: 1),
      .taskStarted(TaskID(2, name: "probe"), attempt: 1),
      .taskOverdue(TaskID(2, name: "probe"), attempt: 1, limit: .seconds(1)),
      .taskStarted(TaskID(3, name: "load"), attempt: 1),
      .taskReady(TaskID(3, name: "load"), attempt: 1, after: .zero),
      .taskRetrying(
        TaskID(3, name: "load"), attempt: 2, delay: .seconds(2),
        because: .failed(.exited(code: 1))),
      .runEnding(.cancelledImmediately), .runPaused, .runHeld(by: lint),
      .taskReady(lint, attempt: 1, after: .seconds(1)), .runEnded,
    ]
    for (second, kind) in events.enumerated() {
      status.apply(RunEvent(time: .seconds(second), kind: kind))
    }
    return GoldenLine(
      .missed(12, status),
      #""events":12,"status":{"tasks":["#
        + #"{"phase":"ended","outcome":"succeeded","#
        + #""attempts":1,"first_start":1.000,"latest_start":1.000,"ran":1.000},"#
        + #"{"phase":"running","#
        + #""attempts":1,"first_start":3.000,"latest_start":3.000,"ran":0.000,"ready":true},"#
        + #"{"phase":"overdue","#
        + #""attempts":1,"first_start":4.000,"latest_start":4.000,"ran":0.000},"#
        + #"{"phase":"backing_off","until":10.000,"#
        + #""attempts":1,"first_start":6.000,"latest_start":6.000,"ran":0.000,"was_ready":true},"#
        + #"{"phase":"waiting","#
        + #""attempts":0,"first_start":0.000,"latest_start":0.000,"ran":0.000}],"#
        + #""active":[{"task":"lint","id":1},{"task":"probe","id":2},{"task":"load","id":3}],"#
        + #""counts":{"succeeded":1,"up_to_date":0,"failed":0,"timed_out":0,"cancelled":0,"#
        + #""skipped":0,"lost":0,"done_earlier":0},"workers":3,"ending":{"reason":"killed"},"paused":true,"#
        + #""held_by":"lint","held_by_id":1,"total":13.000}"#)
  }
}
