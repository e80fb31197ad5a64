internal import HeadwayBar
public import HeadwayProgress

/// Bars of counted work, which say beside the bar how much is done, how fast, and how long the rest takes.
extension BarBoard {
  /// Adds a bar for counted work below the others, or below the nested bars of its parent.
  ///
  /// - Parameters:
  ///   - label: The text before the bar; control characters are removed.
  ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. 0 of 0 units are complete. Of a
  ///     total of at most 1 only the percentage and the remaining time are shown.
  ///   - completed: The units that are already done, such as the part of a resumed download; they do not count as speed.
  ///   - kind: The kind of work; units of work on files are shown as bytes.
  ///   - parent: The bar that it is nested in, nil for none; a bar that has ended counts as none.
  ///   - now: The time since the creation of the board.
  /// - Returns: The identifier of the bar.
  /// - Complexity: O(bars).
  public mutating func add(
    _ label: String, total: Double?, completed: Double = 0, kind: WorkKind = .work,
    in parent: ID? = nil, at now: Duration
  ) -> ID {
    let work = CountedWork(kind, total: total, completed: completed, at: now)
    var bar = ProgressBar(source: .forecast)
    bar.isReadOnly = true
    bar.show(work, at: now)
    return add(label, bar, work: work, in: parent, at: now)
  }

  /// Reports how much of counted work is done; does nothing if the bar has ended.
  ///
  /// Neither the count nor the bar steps back.
  ///
  /// - Parameters:
  ///   - value: All units that are done; NaN and infinite numbers change nothing.
  ///   - rate: The units done in a second, at which the bar glides to the value and beyond it until the next report. With
  ///     nil the bar shows exactly what is done.
  ///   - id: The bar.
  ///   - now: The time since the creation of the board.
  public mutating func report(
    _ value: Double, rate: Double? = nil, of id: ID, at now: Duration
  ) {
    change(id) { $0.report(value, rate: rate, at: now) }
  }

  /// Adds to how much of counted work is done; does nothing if the bar has ended.
  ///
  /// - Parameters:
  ///   - count: The units that were done since the last report.
  ///   - id: The bar.
  ///   - now: The time since the creation of the board.
  public mutating func complete(_ count: Double = 1, of id: ID, at now: Duration) {
    change(id) { $0.report($0.completed + count, rate: nil, at: now) }
  }

  /// Adds units that took no work to how much of counted work is done, such as files that were up to date.
  ///
  /// They do not count as speed, so the remaining time is that of the others. Does nothing if the bar has ended or has a model
  /// of its own.
  ///
  /// - Parameters:
  ///   - count: The units that were skipped since the last report; only a finite number above 0 has an effect.
  ///   - id: The bar.
  ///   - now: The time since the creation of the board.
  public mutating func skip(_ count: Double = 1, of id: ID, at now: Duration) {
    change(id) { entry in
      entry.work?.skip(count, at: now)
      if let work = entry.work { entry.bar.show(work, at: now) }
    }
  }

  /// Sets the number of units of counted work once it is known, or when it changes.
  ///
  /// Does nothing if the bar has ended or has a model of its own.
  ///
  /// - Parameters:
  ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown.
  ///   - id: The bar.
  ///   - now: The time since the creation of the board.
  public mutating func setTotal(_ total: Double?, of id: ID, at now: Duration) {
    change(id) { entry in
      entry.work?.setTotal(total)
      if let work = entry.work { entry.bar.show(work, at: now) }
    }
  }

  /// Begins again from 0 with another total, for the next attempt or the next file; see ``reset(_:at:)``.
  ///
  /// - Parameters:
  ///   - id: The bar.
  ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. It does not change a bar with a
  ///     model of its own.
  ///   - now: The time since the creation of the board.
  /// - Complexity: O(bars).
  public mutating func reset(_ id: ID, total: Double?, at now: Duration) {
    reset(id, at: now)
    setTotal(total, of: id, at: now)
  }

  /// Stops a bar where it is, and the clock of its work, or lets both go on.
  ///
  /// - Parameters:
  ///   - isPaused: Whether the work is paused.
  ///   - id: The bar.
  ///   - now: The time since the creation of the board.
  public mutating func setPaused(_ isPaused: Bool, of id: ID, at now: Duration) {
    change(id) { entry in
      if isPaused { entry.bar.pause(at: now) } else { entry.bar.resume(at: now) }
      entry.work?.setPaused(isPaused, at: now)
    }
  }
}

extension BarBoard.Entry {
  /// The units that are done.
  var completed: Double { work?.completed ?? (bar.isIndeterminate ? 0 : bar.reported) }

  /// Reports the units that are done.
  mutating func report(_ value: Double, rate: Double?, at now: Duration) {
    work?.report(value, at: now)
    // Without a total there is nothing to show but the count, and a bar of nothing is full.
    guard value.isFinite, work.map({ $0.total ?? 0 > 0 }) ?? true else { return }
    if let rate {
      bar.report(value, rate: rate, at: now)
    } else {
      bar.setValue(max(value, bar.shown(at: now)), at: now)
    }
  }

  /// Begins again from 0.
  mutating func reset(at now: Duration) {
    (facts, start, printed, saidSilence) = ([], now, PrintedBar(start: now), nil)
    let isIndeterminate = bar.isIndeterminate
    bar.reset(at: now)
    // Only the caller knows whether the progress of its own model is known.
    (bar.isIndeterminate, isChanged) = (isIndeterminate, false)
    work?.reset(at: now)
    if let work { bar.show(work, at: now) }
    forgetRows()
  }
}

extension ProgressBar {
  /// Shows the total and the count of work without an animation from the previous ones, which are not true any more.
  fileprivate mutating func show(_ work: CountedWork, at now: Duration) {
    guard let total = work.total else {
      isIndeterminate = true
      return
    }
    isIndeterminate = false
    let usual = reducesMotion
    reducesMotion = true
    // An empty range has no full bar, but 0 of 0 is complete.
    setRange(from: 0, to: total > 0 ? total : 1, at: now)
    setValue(total > 0 ? work.completed : 1, at: now)
    reducesMotion = usual
  }
}
