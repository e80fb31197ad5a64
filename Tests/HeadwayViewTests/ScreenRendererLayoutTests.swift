import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The rows of the live region.
struct ScreenRendererLayoutTests {
  /// A renderer of a run after events that all happened at its beginning.
  private func renderer(
    _ description: RunDescription, _ events: [RunEvent.Kind], _ forecast: RunForecast? = nil
  ) -> ScreenRenderer {
    var renderer = ScreenRenderer(description, style: .gray)
    var state = RunState(taskCount: description.names.count)
    var update = RunUpdate()
    for kind in events {
      let event = RunEvent(time: .zero, kind: kind)
      state.apply(event)
      update.events.append(RunUpdate.Event(event, state))
    }
    update.snapshot = RunSnapshot(state, forecast)
    var bytes: [UInt8] = []
    renderer.update(update, into: &bytes)
    return renderer
  }

  /// The row of the only task.
  private func taskRow(_ run: Rehearsal) -> Substring {
    run.screen.text.split(separator: "\n").last { $0.contains("build") } ?? ""
  }

  /// Draws a frame after a forecast in which the only task has a fraction.
  private func draw(
    _ run: inout Rehearsal, _ seconds: Double, forecast time: Double, _ fraction: Double?,
    isReported: Bool = false
  ) {
    var forecast = RunForecast(fraction: 0, shown: .unknown, remaining: nil)
    forecast.time = .milliseconds(Int(time * 1000))
    var task = RunForecast.Task(0, fraction: fraction)
    task.isReported = isReported
    forecast.tasks = [task]
    run.play(time, .forecast(forecast))
    run.draw(seconds, forecasts: false)
  }

  /// The bar of the only task: `full` of its cells, or `moving`.
  private func bar(_ run: Rehearsal) -> String {
    let cells = taskRow(run).filter { "━╸╺─".contains($0) }
    let filled = cells.prefix { $0 == "━" }.count
    return cells.first == "━" ? "\(filled * 10 / max(cells.count, 1))0%" : "moving"
  }

  @Test func `After a program of a task its bar is not full while the task goes on`() {
    var run = Rehearsal(sample(["build"]), style: .gray)
    run.play(0, .runStarted(tasks: 1, workers: 1))
    run.play(0, .taskStarted(0, attempt: 1))
    draw(&run, 2, forecast: 2, 0.95, isReported: true)
    #expect(bar(run) == "90%", "\(taskRow(run))")
    // The task may end with its program; only the next forecast says that it goes on.
    draw(&run, 2.2, forecast: 2, nil)
    #expect(bar(run) == "90%", "\(taskRow(run))")
    draw(&run, 4.3, forecast: 4, nil)
    #expect(bar(run) == "moving", "\(taskRow(run))")
    // An estimate that is behind what was reported would take the bar back.
    draw(&run, 6.3, forecast: 6, 0.5)
    #expect(bar(run) == "moving", "\(taskRow(run))")
    draw(&run, 9, forecast: 9, 0.96)
    #expect(bar(run) == "90%", "\(taskRow(run))")
  }

  // MARK: The header

  @Test(arguments: [
    (68, "0 of 1 · 4s · first run, no estimate yet"), (67, "0/1 · 4s · first run, no estimate yet"),
  ])
  func `The header has the longest facts that fit`(columns: Int, facts: String) {
    var run = Rehearsal(sample(["fetch"]), style: .gray, columns: columns)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(4, forecasts: false)
    let header = run.screen.text.split(separator: "\n").first ?? ""
    #expect(header.hasPrefix("release") && header.hasSuffix("  \(facts)"), "\(header)")
  }

  @Test func `A paused run says so in place of the remaining time`() {
    var run = Rehearsal(sample(["build"], expected: [.seconds(10)]), style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(4)
    #expect(!run.screen.text.contains("paused"))
    run.play(4, .runPaused)
    run.draw(4)
    #expect(run.screen.text.contains("0 of 1 · 4s · paused\n"))
    run.renderer.show(.active)
    run.draw(4)
    #expect(run.screen.text.contains("0 of 1 · 4s · paused, Space resumes"))
    run.renderer.show(.waiting)
    run.draw(4)
    #expect(run.screen.text.contains("0/1 · 4s · paused, Tab and Space resume"))
    run.play(4, .runResumed)
    run.draw(4.5)
    #expect(!run.screen.text.contains("paused"))
  }

  @Test(
    arguments: [
      [], [.runEnding(.cancelled)], [.runEnding(.deadline(.seconds(1)))],
    ] as [[RunEvent.Kind]])
  func `The bar of a run moves between two forecasts unless the run is ending`(
    ending: [RunEvent.Kind]
  ) {
    let left = RemainingTime(low: .seconds(10), median: .seconds(10), high: .seconds(10))
    var renderer = renderer(
      RunDescription(name: "release", names: ["build"]), [.taskStarted(0, attempt: 1)] + ending,
      RunForecast(fraction: 0.5, shown: .about(.seconds(10)), remaining: left))
    _ = renderer.regionRows(at: .zero)
    #expect(renderer.percent(at: .zero) == 50)
    #expect((renderer.percent(at: .seconds(4)) > 50) == ending.isEmpty)
  }

  // MARK: Keys

  @Test func `The region says which keys there are`() {
    var run = Rehearsal(sample(["build"], tails: [0: "one\n"]), style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    func last() -> Substring? { run.screen.text.split(separator: "\n").last }
    run.renderer.show(.waiting)
    run.draw(1)
    #expect(last() == "  │ one")
    run.draw(2)
    #expect(last() == "  Tab for keys: Space pause · Tab next task · d detach")
    run.renderer.show(.active)
    run.draw(3)
    #expect(last() == "  Space pause · Tab next task · d detach · Esc done")
    run.renderer.show(.ignoring)
    run.draw(4)
    #expect(last() == "  unknown key; ignored up to Enter")
    run.renderer.show(.kept)
    run.draw(5)
    #expect(last() == "  your input waits for the shell")
    run.renderer.show(.off)
    run.draw(6)
    #expect(last() == "  │ one")
  }

  @Test func `A small terminal has no row for keys until they are asked for`() {
    var run = Rehearsal(sample(["build"]), style: .gray, columns: 20, rows: 8)
    run.play(0, .taskStarted(0, attempt: 1))
    run.renderer.show(.waiting)
    run.draw(5)
    #expect(run.screen.text == "release 26% 0/1\n• build      5s")
    run.renderer.show(.active)
    run.draw(6)
    #expect(run.screen.text.hasSuffix("\n  Space pause · Ta…"))
  }

  // MARK: Tasks

  @Test func `A task of milliseconds has no remaining time and no usual one`() {
    var run = Rehearsal(sample(["build"], expected: [.milliseconds(30)]), style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(0.3)
    #expect(taskRow(run).hasSuffix("   0s"), "\(taskRow(run))")
    run.draw(1.5)
    #expect(taskRow(run).hasSuffix("   1s  usually 30ms"), "\(taskRow(run))")
  }

  @Test(arguments: [(7, "limit in 3s", false), (9, "limit in 1s", true)])
  func `A time limit is highlighted once four fifths of it have passed`(
    seconds: Int, words: String, isHighlighted: Bool
  ) {
    let description = RunDescription(
      name: "release", names: ["build"], timeouts: [.seconds(10)])
    var renderer = renderer(description, [.taskStarted(0, attempt: 1)])
    let row = renderer.regionRows(at: .seconds(seconds)).last ?? Row()
    #expect(text(of: [row]).hasSuffix("\(words)\n"))
    let textStyle = isHighlighted ? TextStyle.warning : .dim
    #expect(row.cells.suffix(words.count).allSatisfy { $0.textStyle == textStyle })
  }

  @Test func `The chosen task has a row if there are too many tasks`() {
    let names = (0..<70).map { "shard \($0)" }
    var run = Rehearsal(sample(names), style: .ascii, columns: 60, rows: 16)
    for place in 0..<64 { run.play(0, .taskStarted(TaskID(place), attempt: 1)) }
    run.renderer.press(UInt8(ascii: "9"))
    run.draw(2)
    let rows = run.screen.text.split(separator: "\n")
    #expect(
      rows.dropFirst().dropLast().map { $0.prefix(9) }.suffix(2) == ["* shard 4", "> shard 8"])
    #expect(rows.last == "  ... and 58 more running")
  }

  @Test func `A new attempt has no remaining time before the next forecast`() {
    var run = Rehearsal(sample(["build"], expected: [.seconds(10)]), style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(5)
    #expect(taskRow(run).contains("left"))
    run.play(5, .taskRetrying(0, attempt: 2, delay: .zero, because: .failed(.exited(code: 1))))
    run.play(5.5, .taskStarted(0, attempt: 2))
    run.draw(5.6, forecasts: false)
    #expect(taskRow(run).hasSuffix("   5s  attempt 2"), "\(taskRow(run))")
  }

  @Test func `The bar of a new attempt begins at its start`() {
    var run = Rehearsal(sample(["build"], expected: [.seconds(10)]), style: .gray)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(5)
    #expect(taskRow(run).contains("━━━"))
    run.play(5, .taskRetrying(0, attempt: 2, delay: .zero, because: .failed(.exited(code: 1))))
    run.play(5, .taskStarted(0, attempt: 2))
    run.draw(5.125)
    #expect(taskRow(run).contains("attempt 2") && !taskRow(run).contains("━"), "\(taskRow(run))")
  }
}
