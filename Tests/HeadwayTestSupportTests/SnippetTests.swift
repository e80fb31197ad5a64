import HeadwayTestSupport
import Testing

/// The examples beside the declarations, and one of the page.
struct SnippetTests {
  /// Waits for half a minute.
  private func work(_ clock: VirtualClock) async throws -> String {
    try await clock.sleep(for: .seconds(30))
    return "done"
  }

  @Test func `A task that is no child runs on virtual time, too`() throws {
    let outcome = try withVirtualTime { clock in
      let task = Task(executorPreference: StepExecutor.current) { try await work(clock) }
      return try await task.value
    }
    #expect(outcome == "done")
  }

  @Test func `A task runs until it waits`() async throws {
    @Sendable func fetch() async throws -> Int { 7 }
    let executor = StepExecutor()
    let task = Task(executorPreference: executor) { try await fetch() }
    executor.drain()  // runs until the task waits for something
    #expect(try await task.value == 7)
  }

  @Test func `A clock advances when it is told to`() {
    let clock = VirtualClock()
    let start = clock.now
    clock.advance(by: .seconds(90))
    let passed = start.duration(to: clock.now)  // 90 seconds
    #expect(passed == .seconds(90))
  }

  @Test func `An instant is a distance from zero`() {
    let begin: VirtualClock.Instant = .zero
    let later = begin.advanced(by: .seconds(90))
    let offset = later.offset  // 90 seconds
    #expect(offset == .seconds(90))
  }

  @Test func `A run that cannot go on says so`() throws {
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    let never = VirtualClock.Instant.last.advanced(by: .seconds(1))
    do {
      try withVirtualTime { clock in try await clock.sleep(until: never) }
    } catch let error as VirtualTimeError {
      show("\(error)")  // says where the run is stuck and what to do
    }
    #expect(lines.count == 1)
  }

  @Test func `A screen is compared as text`() {
    var screen = TerminalScreen(columns: 20, rows: 3)
    screen.write("fetch\r\nunpack")
    let text = screen.text  // "fetch\nunpack"
    #expect(text == "fetch\nunpack")
  }

  @Test func `The cursor has a place`() {
    var screen = TerminalScreen(columns: 20, rows: 3)
    screen.write("fetch\r\nunpack")
    let place: TerminalScreen.Place = screen.cursor  // row 1, column 6
    #expect(place.row == 1 && place.column == 6)
  }
}
