public import HeadwayBar
public import HeadwayProgress

extension LiveBars {
  /// A handle of a bar; it retains the bars.
  ///
  /// ```swift
  /// func load(_ files: [String], on bar: LiveBars.Bar) {
  ///   for file in files.reporting(to: bar) { open(file) }
  /// }
  /// ```
  public struct Bar: Sendable {
    let bars: LiveBars
    let id: BarBoard.ID

    // MARK: Counted work

    /// Reports how much is done; neither the count nor the bar steps back.
    ///
    /// - Parameters:
    ///   - value: All units that are done; NaN and infinite numbers change nothing.
    ///   - rate: The number of units done in a second, at which the bar glides to the value and beyond it until the next
    ///     report. With nil the bar shows exactly what is done.
    public func report(_ value: Double, rate: Double? = nil) {
      bars.change { board, now in board.report(value, rate: rate, of: id, at: now) }
    }

    /// Reports how much is done, with an integer; neither the count nor the bar steps back.
    ///
    /// - Parameters:
    ///   - value: All units that are done.
    ///   - rate: The number of units done in a second, nil to show exactly what is done.
    @inlinable
    public func report(_ value: some BinaryInteger, rate: Double? = nil) {
      report(Double(value), rate: rate)
    }

    /// Adds to how much is done; threads may do so at the same time.
    ///
    /// - Parameter count: The units that were done since the last report.
    public func complete(_ count: Double = 1) {
      bars.change { board, now in board.complete(count, of: id, at: now) }
    }

    /// Adds an integer to how much is done; threads may do so at the same time.
    ///
    /// - Parameter count: The units that were done since the last report.
    @inlinable
    public func complete(_ count: some BinaryInteger) { complete(Double(count)) }

    /// Adds units that took no work to how much is done, such as files that were up to date.
    ///
    /// ```swift
    /// func update(_ files: [String], on bar: LiveBars.Bar) {
    ///   for file in files {
    ///     if isUpToDate(file) { bar.skip() } else { build(file); bar.complete() }
    ///   }
    /// }
    /// ```
    ///
    /// They do not count as speed, so the remaining time is that of the others.
    ///
    /// - Parameter count: The units that were skipped since the last report; only a finite number above 0 has an effect.
    public func skip(_ count: Double = 1) {
      bars.change { board, now in board.skip(count, of: id, at: now) }
    }

    /// Adds an integer of units that took no work; see ``skip(_:)``.
    ///
    /// - Parameter count: The units that were skipped since the last report.
    @inlinable
    public func skip(_ count: some BinaryInteger) { skip(Double(count)) }

    /// Sets the number of units once it is known, or when it changes.
    ///
    /// Does nothing for a bar with a model of its own.
    ///
    /// - Parameter total: The number of units; nil, NaN, infinite and negative numbers mean unknown.
    public func setTotal(_ total: Double?) {
      bars.change { board, now in board.setTotal(total, of: id, at: now) }
    }

    /// Sets the number of units to an integer once it is known, or when it changes.
    ///
    /// - Parameter total: The number of units; nil and negative numbers mean unknown.
    @inlinable
    public func setTotal(_ total: (some BinaryInteger)?) { setTotal(total.map { Double($0) }) }

    /// Begins again from 0, for the next attempt or the next file; the total stays.
    ///
    /// ```swift
    /// let fetch = bars.add("fetch", total: sizes[0], kind: .file(.downloading))
    /// for (name, size) in zip(names, sizes) {
    ///   fetch.reset(total: size)
    ///   fetch.setFacts(name)
    ///   download(name) { received in fetch.complete(received) }
    ///   fetch.end()
    /// }
    /// ```
    ///
    /// Speed, remaining time and elapsed time begin again, a pause ends, and the texts of `setFacts` are removed. The label
    /// and the nested bars stay. A bar that has ended, also with its parent, is added again below the others, or below the
    /// nested bars of its parent; it must be one of the last 256 that ended, otherwise nothing happens.
    public func reset() { bars.change { board, now in board.reset(id, at: now) } }

    /// Begins again from 0 with another total, for the next attempt or the next file; see ``reset()``.
    ///
    /// - Parameter total: The number of units; nil, NaN, infinite and negative numbers mean unknown. It does not change a bar
    ///   with a model of its own.
    public func reset(total: Double?) {
      bars.change { board, now in board.reset(id, total: total, at: now) }
    }

    /// Begins again from 0 with another total, which is an integer; see ``reset()``.
    ///
    /// - Parameter total: The number of units; nil and negative numbers mean unknown.
    @inlinable
    public func reset(total: (some BinaryInteger)?) { reset(total: total.map { Double($0) }) }

    /// Stops the bar where it is, and the clock of its speed and remaining time.
    public func pause() { bars.change { board, now in board.setPaused(true, of: id, at: now) } }

    /// Continues from where the bar stopped.
    public func resume() { bars.change { board, now in board.setPaused(false, of: id, at: now) } }

    // MARK: Texts and the model

    /// Changes the text before the bar.
    public func setLabel(_ label: String) {
      bars.change { board, _ in board.setLabel(label, of: id) }
    }

    /// Changes the texts beside the bar, the most important first; counts, speed and remaining time follow them.
    public func setFacts(_ facts: String...) { setFacts(facts) }

    /// Changes the texts beside the bar, the most important first; counts, speed and remaining time follow them.
    public func setFacts(_ facts: [String]) {
      bars.change { board, _ in board.setFacts(facts, of: id) }
    }

    /// Changes the model.
    ///
    /// - Parameter change: Changes the model, and receives the time. It runs inside the lock of the bars and must not call
    ///   them.
    public func update(_ change: (inout ProgressBar, Duration) -> Void) {
      bars.change { board, now in board.update(id) { change(&$0, now) } }
    }

    // MARK: Nested bars

    /// Adds a nested bar for counted work.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of units; nil, NaN, infinite and negative numbers mean unknown. 0 of 0 units are complete.
    ///   - completed: The units that are already done; they do not count as speed.
    ///   - kind: The kind of work; units of work on files are shown as bytes.
    /// - Returns: The bar, which ends with this one at the latest.
    public func add(
      _ label: String, total: Double? = 1, completed: Double = 0, kind: WorkKind = .work
    ) -> Bar {
      bars.add(label, total, completed, kind, in: id)
    }

    /// Adds a nested bar for counted work, with integers.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - total: The number of units; nil and negative numbers mean unknown. 0 of 0 units are complete.
    ///   - completed: The units that are already done; they do not count as speed.
    ///   - kind: The kind of work; units of work on files are shown as bytes.
    /// - Returns: The bar, which ends with this one at the latest.
    @inlinable
    public func add<Count: BinaryInteger>(
      _ label: String, total: Count?, completed: Count = 0, kind: WorkKind = .work
    ) -> Bar {
      add(label, total: total.map { Double($0) }, completed: Double(completed), kind: kind)
    }

    /// Adds a nested bar with a model of its own.
    ///
    /// - Parameters:
    ///   - label: The text before the bar.
    ///   - model: The model.
    /// - Returns: The bar, which ends with this one at the latest.
    public func add(_ label: String, _ model: ProgressBar) -> Bar { bars.add(label, model, in: id) }

    // MARK: The end

    /// Ends the bar with its nested bars, and leaves a line unless it is removed; a second call does nothing.
    ///
    /// Returns when the line is on the screen, so that what the program prints next comes after it. A terminal that takes
    /// nothing holds the program up for half a second at most, and only once.
    ///
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - note: A text for that line; without one it has the count and the mean speed of counted work.
    public func end(_ outcome: BarBoard.Outcome = .succeeded, note: String = "") {
      bars.end { board, now in board.end(id, outcome, note: note, at: now) }
    }
  }
}
