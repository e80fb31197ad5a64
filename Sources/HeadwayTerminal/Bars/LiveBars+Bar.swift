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

    /// Adds to how much is done; threads may do so at the same time.
    ///
    /// - Parameter count: The units that were done since the last report.
    public func complete(_ count: Double = 1) {
      bars.change { board, now in board.complete(count, of: id, at: now) }
    }

    /// Sets the number of units once it is known, or when it changes.
    ///
    /// Does nothing for a bar with a model of its own.
    ///
    /// - Parameter total: The number of units, nil if unknown.
    public func setTotal(_ total: Double?) {
      bars.change { board, now in board.setTotal(total, of: id, at: now) }
    }

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
    ///   - total: The number of units, nil if unknown; NaN and negative numbers count as 0.
    ///   - completed: The units that are already done; they do not count as speed.
    ///   - kind: The kind of work; units of work on files are shown as bytes.
    /// - Returns: The bar, which ends with this one at the latest.
    public func add(
      _ label: String, total: Double? = 1, completed: Double = 0, kind: WorkKind = .work
    ) -> Bar {
      bars.add(label, total, completed, kind, in: id)
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
    /// - Parameters:
    ///   - outcome: How it ended.
    ///   - note: A text for that line; without one it has the count and the mean speed of counted work.
    public func end(_ outcome: BarBoard.Outcome = .succeeded, note: String = "") {
      bars.change { board, now in board.end(id, outcome, note: note, at: now) }
    }
  }
}
