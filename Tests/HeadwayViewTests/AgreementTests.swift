import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import HeadwayText
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The tenth promise of the bar: the same numbers everywhere.
///
/// That the history keeps the numbers of the JSON lines too is in `RunForecastTests`.
struct AgreementTests {
  /// Plays four tasks, one after the other; `look` is called once a second, right after a forecast.
  private func play(_ look: (inout Rehearsal, RunForecast, Duration) -> Void) {
    let names = ["generate", "compile", "link", "test"]
    let seconds = [8, 12, 5, 20]
    let sample = sample(names, expected: seconds.map { .seconds($0) }) { graph in
      for index in 1..<4 { graph.addDependency(of: TaskID(index), on: TaskID(index - 1)) }
    }
    var run = Rehearsal(sample, style: .gray, columns: 100)
    var now = 0
    run.play(0, .runStarted(tasks: 4, workers: 1))
    for index in names.indices {
      run.play(Double(now), .taskStarted(TaskID(index), attempt: 1))
      for _ in 0..<seconds[index] - 1 {
        for tenth in 1...10 {
          // A forecast a second and ten frames: the bars glide in between.
          run.draw(Double(now) + Double(tenth) / 10, forecasts: tenth == 10)
        }
        now += 1
        guard let forecast = run.forecast else {
          Issue.record("no forecast")
          return
        }
        look(&run, forecast, .seconds(now))
      }
      now += 1
      run.play(
        Double(now),
        .taskEnded(TaskID(index), .succeeded, attempts: 1, ran: .seconds(seconds[index])))
    }
  }

  @Test func `10. The screen, the lines and the JSON show the same numbers`() throws {
    var looks = 0
    play { run, forecast, now in
      looks += 1
      #expect(forecast.time == now)
      // The bar glides to the forecast, and the percentage is that of the bar.
      let percent = Int(forecast.fraction * 100)
      #expect((percent - 1...percent + 1).contains { run.screen.text.contains(" \($0)%  ") })
      let words = RemainingText.long(forecast.shown)
      #expect(run.screen.text.contains(words))

      var update = RunUpdate()
      update.snapshot = RunSnapshot(run.forecaster.state, forecast)
      var line: [UInt8] = []
      var lines = LineRenderer(run.description, style: .gray)
      lines.update(update, into: &line)
      lines.frame(at: max(now, .seconds(30)), size: run.size, into: &line)
      #expect(String(decoding: line, as: UTF8.self).hasSuffix("done, \(words)\n"))

      let event = RunEvent(time: now, kind: .forecast(forecast))
      update.events = [RunUpdate.Event(event, run.forecaster.state)]
      line = []
      var json = JSONRenderer(run.description)
      json.update(update, into: &line)
      let part = (forecast.fraction * 1e6).rounded() / 1e6
      #expect(String(decoding: line, as: UTF8.self).contains("\"fraction\":\(part),"))
    }
    #expect(looks > 30)
  }

  @Test func `The row of a task and the header come from one forecast`() throws {
    play { run, forecast, now in
      // One task runs at a time, and the last one is all that is left of the run.
      guard now > .seconds(26), let active = run.forecaster.state.active.first,
        let left = forecast[active]?.remaining?.median
      else { return }
      #expect(forecast.tasks.map(\.id) == [active])
      let rows = run.screen.text.split(separator: "\n")
      let row = rows.last { $0.contains("test") } ?? ""
      let usual = run.description.usual(active) ?? .zero
      let isLate = now - run.forecaster.state.tasks[active.index].latestStart > usual
      #expect(isLate || row.hasSuffix(RemainingText.long(.about(left.roundedToSeconds))), "\(row)")
    }
  }
}
