import DocumentedPages
import Testing

/// The examples and names of tests that the documentation quotes.
struct DocumentedNamesTests {
  private let pages = DocumentedPages(of: "HeadwayTime")

  @Test(arguments: ["HeadwayTime", "GivingBlockingCallsADeadline"])
  func `A test runs every example`(name: String) throws {
    let missing = try pages.examplesNotRun(of: name, in: "DocumentationTests")
    #expect(missing.isEmpty)
  }

  @Test func `A test runs every example of the page about dispatch timers`() throws {
    let missing = try pages.examplesNotRun(
      of: "ComingFromDispatchTimers", in: "ComingFromDispatchTimersTests")
    #expect(missing.isEmpty)
  }

  @Test(arguments: [
    // DispatchSource, DispatchSourceTimer and DispatchSourceProtocol
    "makeTimerSource", "flags", "queue", "strict", "schedule", "deadline", "wallDeadline",
    "repeating", "leeway", "scheduleOneshot", "scheduleRepeating", "interval", "setEventHandler",
    "setCancelHandler", "setRegistrationHandler", "setTarget", "activate", "resume", "suspend",
    "cancel", "isCancelled", "handle", "mask", "data",
    // DispatchQueue and DispatchWorkItem
    "asyncAfter", "DispatchWorkItem", "perform", "wait", "timeout", "wallTimeout", "notify",
    // DispatchTime, DispatchWallTime and DispatchTimeInterval
    "DispatchTime", "now", "distantFuture", "uptimeNanoseconds", "DispatchWallTime", "timespec",
    "DispatchTimeInterval", "seconds", "milliseconds", "microseconds", "nanoseconds", "never",
    // Timer
    "scheduledTimer", "withTimeInterval", "repeats", "block", "fire", "fireAt", "target",
    "selector", "invocation", "userInfo", "fireDate", "timeInterval", "tolerance", "invalidate",
    "isValid", "publish", "RunLoop",
    // Task and Clock
    "sleep", "until",
  ])
  func `Every member of dispatch timers, Timer and sleep has a row`(name: String) throws {
    #expect(try pages.namesInRows(of: "ComingFromDispatchTimers").contains(name))
  }
}
