#if !hasFeature(Embedded)
  internal import HeadwayLock

  /// A bar with a clock and a lock, for programs that report from one thread and draw from another.
  ///
  /// It holds a ``ProgressBar`` and tells it the time. Whoever draws takes a copy and works alone:
  ///
  /// ```swift
  /// let bar = LiveBar(ProgressBar(range: 0...240, unitsPerSecond: 1))
  /// bar.setValue(120, duration: 2) { finished in print(finished ? "there" : "interrupted") }
  /// let (picture, now) = bar.look()
  /// let place = picture.dotCenter(at: now)
  /// ```
  ///
  /// Nothing runs of itself: what has ended is found when somebody looks, reports or calls `advance()`. Completions and
  /// observers are called once the lock is left, on the thread that made the call, completions in the order in which
  /// their transitions ended. Safe from any thread. A look costs a lock and a copy of some hundred bytes; a change
  /// allocates only for completions.
  public final class LiveBar: Sendable {
    /// A function that is told whether a transition came to its end.
    public typealias Completion = @Sendable (_ finished: Bool) -> Void

    /// What the lock protects.
    private struct State {
      /// The bar.
      var bar: ProgressBar
      /// Who waits for the end of a transition.
      var completions: [BarTransition: Completion] = [:]
      /// Who is told of what happened.
      var observers: [@Sendable (BarEvent) -> Void] = []
    }

    /// The bar and who waits for it.
    private let state: Guarded<State>
    /// The clock, in seconds.
    private let clock: @Sendable () -> Double

    /// Creates a live bar.
    ///
    /// - Parameters:
    ///   - bar: The bar.
    ///   - clock: Tells the time in seconds and never goes back; nil for one that stands still while the machine sleeps,
    ///     and begins now.
    public init(_ bar: ProgressBar, clock: (@Sendable () -> Double)? = nil) {
      state = Guarded(State(bar: bar))
      self.clock = clock ?? Self.suspendingClock()
    }

    /// A clock that stands still while the machine sleeps.
    private static func suspendingClock() -> @Sendable () -> Double {
      let clock = SuspendingClock()
      let start = clock.now
      return {
        let (seconds, attoseconds) = start.duration(to: clock.now).components
        return Double(seconds) + Double(attoseconds) * 1e-18
      }
    }

    // MARK: Looking

    /// What the source said last.
    public var reported: Double { look().bar.reported }

    /// What is seen now.
    public var shown: Double {
      let (bar, now) = look()
      return bar.shown(at: now)
    }

    /// A copy of the bar to draw, and the time to draw it at.
    ///
    /// - Returns: The bar and the time of its clock, in seconds.
    public func look() -> (bar: ProgressBar, now: Double) {
      let now = clock()
      return (
        change { bar, _ in
          bar.advance(to: now)
          return bar
        }, now
      )
    }

    // MARK: Changing

    /// Changes the bar.
    ///
    /// - Parameter body: Changes the bar at the time of its clock, in seconds; called inside the lock, so it must not call
    ///   this object.
    /// - Returns: What `body` returns.
    @discardableResult
    public func update<Result>(_ body: (inout ProgressBar, _ now: Double) -> Result) -> Result {
      let now = clock()
      return change { bar, _ in
        bar.advance(to: now)
        return body(&bar, now)
      }
    }

    /// Moves evenly to a value in a given time, and tells how that ended.
    ///
    /// - Parameters:
    ///   - value: The value; see `ProgressBar.setValue(_:duration:at:)`.
    ///   - duration: For how many seconds.
    ///   - completion: Called once: with true when the value was reached, with false when something else came between.
    public func setValue(_ value: Double, duration: Double, completion: @escaping Completion) {
      let now = clock()
      change { bar, completions in
        bar.advance(to: now)
        completions[bar.setValue(value, duration: duration, at: now)] = completion
      }
    }

    /// Finds what has ended by now, and calls those who wait for it.
    public func advance() { _ = look() }

    /// Tells a function of every `BarEvent` from now on, for as long as the bar lives; reports and pauses are none.
    ///
    /// - Parameter observer: Called on whatever thread found the event, outside of the lock.
    public func observe(_ observer: @escaping @Sendable (BarEvent) -> Void) {
      state.withLock { $0.observers.append(observer) }
    }

    /// Changes the bar and who waits for it, and tells outside of the lock what happened.
    @discardableResult
    private func change<Result>(
      _ body: (inout ProgressBar, inout [BarTransition: Completion]) -> Result
    ) -> Result {
      let (result, events, completions, observers) = state.withLock { state in
        let result = body(&state.bar, &state.completions)
        let events = state.bar.takeEvents()
        let completions = events.map { event -> (Completion, Bool)? in
          guard case .transitionEnded(let end) = event else { return nil }
          return state.completions.removeValue(forKey: end.transition).map { ($0, end.isFinished) }
        }
        return (result, events, completions, state.observers)
      }
      for (index, event) in events.enumerated() {
        if let (completion, isFinished) = completions[index] { completion(isFinished) }
        for observer in observers { observer(event) }
      }
      return result
    }
  }
#endif
