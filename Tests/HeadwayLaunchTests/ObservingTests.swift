import DocumentedPages
import HeadwayLaunch
import HeadwayRun
import Testing

/// The examples of the page about logs, metrics and traces, with stand-ins for swift-log, swift-metrics and
/// swift-distributed-tracing that have the same names and parameters.
struct ObservingTests {
  @Test func `Every example of the page stands in these tests`() throws {
    let missing = try DocumentedPages(of: "HeadwayLaunch")
      .examplesNotRun(of: "ObservingARun", in: "ObservingTests")
    #expect(missing.isEmpty)
  }

  /// A graph with a task that fails once, one that fails, and one that is skipped.
  private func graph(_ inside: @escaping @Sendable () -> Void = {}) -> LaunchGraph {
    LaunchGraph {
      PlannedTask("connect") { context in
        inside()
        if context.attempt == 1 { throw Mishap(description: "refused") }
      }
      .retries(1, backoff: .zero)
      PlannedTask("load", .immediate { _ in throw Mishap(description: "no data") })
        .after("connect")
      PlannedTask("show") { _ in }.after("load")
    }
  }
}

// MARK: - Logging

extension ObservingTests {
  /// A logger with the shape of that of swift-log, which keeps its messages.
  struct Logger: Sendable {
    typealias Message = String
    typealias MetadataValue = String
    typealias Metadata = [String: MetadataValue]

    enum Level: String {
      case debug, info, warning, error
    }

    let messages = Box<[String]>([])

    func log(level: Level, _ message: Message, metadata: Metadata? = nil) {
      // A duration is never the same.
      let details = (metadata ?? [:]).sorted { $0.key < $1.key }
        .map { $0.key == "task.duration" ? $0.key : "\($0.key)=\($0.value)" }
      messages.change {
        $0.append(([level.rawValue, message] + details).joined(separator: " "))
      }
    }

    func debug(_ message: Message, metadata: Metadata? = nil) {
      log(level: .debug, message, metadata: metadata)
    }

    func warning(_ message: Message, metadata: Metadata? = nil) {
      log(level: .warning, message, metadata: metadata)
    }
  }

  func log(_ events: some AsyncSequence<RunEvent, Never>, to logger: Logger) async {
    for await event in events {
      switch event.kind {
      case .taskStarted(let task, let attempt):
        logger.debug(
          "task started", metadata: ["task.name": "\(task.name)", "task.attempt": "\(attempt)"])
      case .taskRetrying(let task, let attempt, let delay, let outcome):
        logger.warning(
          "task failed and will be retried",
          metadata: [
            "task.name": "\(task.name)", "task.attempt": "\(attempt)", "task.delay": "\(delay)",
            "task.outcome": "\(outcome.kind.rawValue)",
          ])
      case .taskEnded(let task, let outcome, let attempts, let duration):
        logger.log(
          level: outcome.isFailure ? .error : .info, "task ended",
          metadata: [
            "task.name": "\(task.name)", "task.attempts": "\(attempts)",
            "task.duration": "\(duration)", "task.outcome": "\(outcome.kind.rawValue)",
          ])
      case .missed(let count, _):
        logger.warning("events are missing", metadata: ["events.missed": "\(count)"])
      default: break
      }
    }
  }

  @Test func `A run is logged`() async throws {
    let graph = graph()
    let logger = Logger()
    let launcher = try Launcher(graph, name: "start")
    let events = launcher.events()
    async let logging: Void = log(events, to: logger)
    let result = await launcher.run()
    await logging
    #expect(!result.isSuccess)
    #expect(
      logger.messages.value == [
        "debug task started task.attempt=1 task.name=connect",
        "warning task failed and will be retried task.attempt=2 task.delay=0.0 seconds "
          + "task.name=connect task.outcome=failed",
        "debug task started task.attempt=2 task.name=connect",
        "info task ended task.attempts=2 task.duration task.name=connect task.outcome=succeeded",
        "debug task started task.attempt=1 task.name=load",
        "error task ended task.attempts=1 task.duration task.name=load task.outcome=failed",
        "info task ended task.attempts=0 task.duration task.name=show task.outcome=skipped",
      ])
  }
}

// MARK: - Metrics

extension ObservingTests {
  /// What is recorded by metrics with the shape of those of swift-metrics; each test has its own.
  @TaskLocal static var recorded = Box<[String]>([])

  /// Writes down a value.
  private static func record(_ label: String, _ dimensions: [(String, String)], _ value: String) {
    let details = dimensions.map { " \($0.0)=\($0.1)" }.joined()
    recorded.change { $0.append("\(label)\(details) \(value)") }
  }

  struct Counter {
    let label: String
    var dimensions: [(String, String)] = []

    func increment() { ObservingTests.record(label, dimensions, "+1") }
  }

  struct Gauge {
    let label: String
    var dimensions: [(String, String)] = []

    func record(_ value: some BinaryInteger) {
      ObservingTests.record(label, dimensions, "\(value)")
    }
  }

  struct Timer {
    let label: String
    var dimensions: [(String, String)] = []

    func record(duration: Duration) {
      #expect(duration > .zero)
      ObservingTests.record(label, dimensions, "time")
    }
  }

  func measure(_ events: some AsyncSequence<RunEvent, Never>) async {
    let active = Gauge(label: "launch.tasks.active")
    var state = RunState(taskCount: 0)
    for await event in events {
      state.apply(event)
      active.record(state.active.count)
      switch event.kind {
      case .taskRetrying(let task, _, _, _):
        Counter(label: "launch.task.retries", dimensions: [("task", task.name)]).increment()
      case .taskEnded(let task, let outcome, let attempts, let duration):
        Counter(label: "launch.tasks", dimensions: [("outcome", outcome.kind.rawValue)]).increment()
        guard attempts > 0 else { continue }
        Timer(label: "launch.task.duration", dimensions: [("task", task.name)])
          .record(duration: duration)
      case .runEnded:
        Timer(label: "launch.duration").record(duration: event.time)
      default: break
      }
    }
  }

  @Test func `A run is measured`() async throws {
    let graph = graph()
    let recorded = Box<[String]>([])
    try await Self.$recorded.withValue(recorded) {
      let launcher = try Launcher(graph, name: "start")
      let events = launcher.events(beginningWithState: true)
      async let measuring: Void = measure(events)
      let result = await launcher.run()
      await measuring
      #expect(!result.isSuccess)
    }
    #expect(recorded.value.contains("launch.tasks.active 1"))
    #expect(recorded.value.last { $0.hasPrefix("launch.tasks.active") } == "launch.tasks.active 0")
    // How many of them the first event covers depends on who is faster.
    let others: Set = [
      "launch.task.retries task=connect +1", "launch.tasks outcome=succeeded +1",
      "launch.task.duration task=connect time", "launch.tasks outcome=failed +1",
      "launch.task.duration task=load time", "launch.tasks outcome=skipped +1",
      "launch.duration time",
    ]
    #expect(others.isSuperset(of: recorded.value.filter { !$0.contains("active") }))
    #expect(recorded.value.last == "launch.duration time")
  }
}

// MARK: - Tracing

extension ObservingTests {
  /// The context of a span, with the shape of that of swift-service-context.
  struct ServiceContext: Sendable {
    @TaskLocal static var current: ServiceContext?
    static let topLevel = ServiceContext(path: [])

    /// The names of the spans around this one, and its own.
    let path: [String]
  }

  /// What swift-distributed-tracing defines.
  enum Tracing {
    protocol Span: Sendable {
      var context: ServiceContext { get }
      var attributes: SpanAttributes { get nonmutating set }

      func setStatus(_ status: SpanStatus)
      func recordError(_ error: any Error)
      func end()
    }
  }

  struct SpanAttributes: Sendable {
    private(set) var values: [String: String] = [:]

    subscript(name: String) -> (any CustomStringConvertible)? {
      get { values[name] }
      set { values[name] = newValue?.description }
    }
  }

  struct SpanStatus: Sendable {
    enum Code: Sendable {
      case error
    }

    let code: Code
  }

  enum InstrumentationSystem {
    static let tracer = Tracer()
  }

  /// A tracer that keeps the spans that have ended.
  struct Tracer: Sendable {
    let ended = Box<[String]>([])

    func startSpan(_ name: String, context: ServiceContext) -> any Tracing.Span {
      RecordedSpan(name, context, ended)
    }
  }

  final class RecordedSpan: Tracing.Span {
    let context: ServiceContext
    private let ended: Box<[String]>
    private let state = Box((attributes: SpanAttributes(), facts: [String]()))

    init(_ name: String, _ parent: ServiceContext, _ ended: Box<[String]>) {
      context = ServiceContext(path: parent.path + [name])
      self.ended = ended
    }

    var attributes: SpanAttributes {
      get { state.value.attributes }
      set { state.change { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { state.change { $0.facts.append("\(status.code)") } }
    func recordError(_ error: any Error) { state.change { $0.facts.append("\(error)") } }

    func end() {
      let values = attributes.values.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      let facts = values + state.value.facts
      ended.change {
        $0.append("\(context.path.joined(separator: " > ")): \(facts.joined(separator: " "))")
      }
    }
  }

  func withSpan<Result>(
    _ name: String, _ operation: (any Tracing.Span) async throws -> Result
  ) async throws -> Result {
    let span = InstrumentationSystem.tracer.startSpan(
      name, context: ServiceContext.current ?? .topLevel)
    defer { span.end() }
    return try await ServiceContext.$current.withValue(span.context) { try await operation(span) }
  }

  struct SpanTracer: LaunchTracer {
    /// The span in which the launcher is created.
    let parent = ServiceContext.current ?? .topLevel

    func startSpan(for attempt: LaunchContext) -> any Tracing.Span {
      let span = InstrumentationSystem.tracer.startSpan(attempt.task.name, context: parent)
      span.attributes["launch.attempt"] = attempt.attempt
      return span
    }

    func withSpan(_ span: any Tracing.Span, _ body: () -> Void) {
      ServiceContext.$current.withValue(span.context) { body() }
    }

    func withSpan(_ span: any Tracing.Span, _ body: () async -> Void) async {
      await ServiceContext.$current.withValue(span.context) { await body() }
    }

    func endSpan(_ span: any Tracing.Span, outcome: Outcome, error: (any Error)?) {
      span.attributes["launch.outcome"] = outcome.kind.rawValue
      if let error { span.recordError(error) }
      if outcome.isFailure { span.setStatus(SpanStatus(code: .error)) }
      span.end()
    }
  }

  @Test func `A run is traced, and a task runs inside the span of its attempt`() async throws {
    let paths = Box<[[String]?]>([])
    let graph = graph {
      let path = ServiceContext.current?.path
      paths.change { $0.append(path) }
    }
    let result = try await withSpan("start") { span in
      var options = LauncherOptions()
      options.tracer = SpanTracer()
      let result = try await Launcher(graph, options: options).run()
      if !result.isSuccess { span.setStatus(SpanStatus(code: .error)) }
      return result
    }
    #expect(!result.isSuccess)
    #expect(paths.value == [["start", "connect"], ["start", "connect"]])
    #expect(
      InstrumentationSystem.tracer.ended.value == [
        "start > connect: launch.attempt=1 launch.outcome=failed refused error",
        "start > connect: launch.attempt=2 launch.outcome=succeeded",
        "start > load: launch.attempt=1 launch.outcome=failed no data error",
        "start: error",
      ])
  }
}
