import HeadwayForecast
import HeadwayLaunch
import HeadwayRun
import HeadwayTerminal
import Testing

/// The tenth promise of the bar: the same numbers everywhere.
struct AgreementTests {
  @Test func `10. All surfaces show the same numbers`() {
    let names = ["generate", "compile", "link", "test"]
    let seconds = [8, 12, 5, 20]
    let description = describe(names, expected: seconds.map { .seconds($0) }) { graph in
      for place in 1..<4 { graph.addDependency(of: TaskID(place), on: TaskID(place - 1)) }
    }
    var forecaster = description.forecaster
    var live = Rehearsal(LiveSurface(description, style: .grey), columns: 100)
    var lines = JSONSurface(description)
    var now = 0
    live.tell(0, .runStarted(tasks: 4, workers: 1))
    forecaster.receive(RunEvent(time: .zero, kind: .runStarted(tasks: 4, workers: 1)))
    for place in names.indices {
      let start = RunEvent.Kind.taskStarted(TaskID(place), attempt: 1)
      live.tell(Double(now), start)
      forecaster.receive(RunEvent(time: .seconds(now), kind: start))
      for _ in 0..<seconds[place] - 1 {
        // Both are asked at the frames of the terminal.
        for tenth in 1...10 {
          live.draw(Double(now) + Double(tenth) / 10)
          _ = forecaster.forecast(at: .milliseconds(now * 1000 + tenth * 100))
        }
        now += 1
        let forecast = forecaster.forecast(at: .seconds(now))
        // The bar glides to what is forecast, and the percentage says what the bar shows.
        let percent = Int(forecast.fraction * 100)
        #expect((percent - 1...percent + 1).contains { live.screen.text.contains(" \($0)%  ") })
        #expect(live.screen.text.contains(RemainingText.long(forecast.shown)))
        var line: [UInt8] = []
        lines.receive(RunEvent(time: .seconds(now), kind: .forecast(forecast)), into: &line)
        let part = (forecast.fraction * 1e6).rounded() / 1e6
        #expect(String(decoding: line, as: UTF8.self).contains("\"fraction\":\(part),"))
      }
      now += 1
      let end = RunEvent.Kind.taskEnded(
        TaskID(place), .succeeded, attempts: 1, ran: .seconds(seconds[place]))
      live.tell(Double(now), end)
      forecaster.receive(RunEvent(time: .seconds(now), kind: end))
    }
  }
}
