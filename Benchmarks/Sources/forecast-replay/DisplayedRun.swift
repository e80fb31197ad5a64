import HeadwayForecast
import HeadwayLaunch
import HeadwayRun

/// What people see of a run: the forecasts of a `RunForecaster` at the times at which `headway run` makes them.
///
/// As in a run that is watched, there is a forecast at its beginning, after each event, and at intervals of a fiftieth of
/// the remaining time, at most a second; there are at most ten a second. In a run that takes longer than 100 seconds there are at most as many as in that time, ten
/// times as many as are scored.
struct DisplayedRun {
  /// A forecast.
  struct Frame {
    /// When it was made, in seconds.
    var time: Double
    /// The forecast.
    var forecast: RunForecast
  }

  /// The forecasts during the run, in order.
  private(set) var frames: [Frame] = []
  /// The fraction after the end of the run.
  private(set) var last = 0.0
  /// When the first task ended that did some work, in seconds; the end of the run if none did.
  private(set) var firstEnd: Double
  /// The run that is shown.
  let schedule: Schedule

  /// The minimum interval between two forecasts, in seconds.
  private static let minimum = 0.1
  /// The maximum interval, in seconds.
  private static let maximum = 1.0
  /// The interval as a part of the remaining time.
  private static let part = 50
  /// The maximum number of minimum intervals in a run.
  private static let count = 1000.0

  /// Simulates and forecasts a run.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - history: The earlier runs, as a run gets them.
  init(_ run: CaseRun, history: DurationHistory) {
    let mayBeUpToDate = Set(run.tasks.indices.filter { run.tasks[$0].work != .always })
    var forecaster = RunForecaster(
      run.graph(), workers: run.workers, history: history, mayBeUpToDate: mayBeUpToDate,
      processors: run.processors)
    let expected = run.tasks.indices.map { forecaster.expected(TaskID($0)) }
    schedule = Schedule(run, expected: expected)
    firstEnd = schedule.length
    let stretch = max(1, schedule.length / (Self.count * Self.minimum))
    var earliest = 0.0
    var next = 0.0
    var looks = schedule.looks[...]
    forecaster.isLooking = !looks.isEmpty
    for event in schedule.events {
      let time = event.time / .seconds(1)
      while true {
        let lookTime = looks.first?.time ?? .infinity
        if lookTime < min(next, time), let look = looks.popFirst() {
          forecaster.found(TaskID(look.task), changed: look.isChanged, at: .seconds(look.time))
          next = min(next, max(look.time, earliest))
          // A forecast is due once all files were looked at.
          if looks.isEmpty {
            forecaster.isLooking = false
            next = look.time
          }
          continue
        }
        guard next < time else { break }
        let forecast = forecaster.forecast(at: .seconds(next))
        frames.append(Frame(time: next, forecast: forecast))
        earliest = next + stretch * Self.minimum
        let interval = forecast.remaining.map { $0.median / .seconds(Self.part) }
        next = max(earliest, next + stretch * min(interval ?? Self.maximum, Self.maximum))
      }
      forecaster.receive(event)
      switch event.kind {
      case .runStarted:
        // The first forecast comes before the first task.
        frames.append(Frame(time: time, forecast: forecaster.forecast(at: event.time)))
        earliest = time + stretch * Self.minimum
        next = earliest
      case .taskEnded(_, _, let attempts, _) where attempts > 0:
        firstEnd = min(firstEnd, time)
        next = min(next, max(time, earliest))
      default: next = min(next, max(time, earliest))
      }
    }
    last = forecaster.forecast(at: .seconds(schedule.length)).fraction
  }

  /// The latest forecasts at times in ascending order.
  func shown(at times: [Double]) -> [RunForecast] {
    var place = 0
    return times.map { time in
      while place + 1 < frames.count, frames[place + 1].time <= time { place += 1 }
      return frames[place].forecast
    }
  }

  /// Some of the forecasts beside the actual remaining time, as the history of a run keeps them.
  ///
  /// A run records its first forecast, and then others at intervals of a hundredth of the elapsed time, at least one
  /// second and at most ten. Of these, up to eight are used, evenly spaced from 5 % of the run on.
  var misses: [DurationHistory.Miss] {
    var recorded: [Frame] = []
    var due = 0.0
    for frame in frames where frame.time >= due {
      recorded.append(frame)
      due = frame.time + min(max(frame.time / 100, 1), 10)
    }
    var rest = recorded.filter { $0.forecast.remaining != nil }[...]
    return (0..<8).compactMap { step in
      let time = schedule.length * (0.05 + 0.95 * Double(step) / 8)
      rest = rest.drop { $0.time < time }
      guard let frame = rest.popFirst(), let told = frame.forecast.remaining else { return nil }
      return DurationHistory.Miss(
        predicted: told, actual: .seconds(schedule.length - frame.time))
    }
  }
}

extension DurationHistory {
  /// The history that `headway run` has after some runs.
  ///
  /// - Parameters:
  ///   - runs: The recorded runs, the oldest first.
  ///   - workers: The number of workers of all of them.
  ///   - sharesProcessors: Whether their tasks shared processors.
  init(_ runs: [Trace.Run], workers: Int, sharesProcessors: Bool = false) {
    self.init()
    for run in runs {
      var made = CaseRun(run, workers: workers)
      if sharesProcessors { made.shareProcessors() }
      let displayed = DisplayedRun(made, history: self)
      let samples = made.tasks.enumerated().map { index, task in
        var sample = Sample(name: task.name, kind: task.kind, duration: .seconds(task.seconds))
        guard sharesProcessors else { return sample }
        let start = displayed.schedule.starts[index]
        sample.duration = .seconds(displayed.schedule.ends[index] - start)
        sample.start = .seconds(start)
        sample.cpuTime = task.computes ? .seconds(task.seconds) : .zero
        return sample
      }
      var record = Run(samples: samples, workers: workers, misses: displayed.misses)
      record.processors = made.processors
      self.runs.append(record)
    }
  }
}
