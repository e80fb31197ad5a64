#if GTK
  public import CGTK
  public import HeadwayBar

  /// A bar as a GTK 4 widget, which draws a `ProgressBar` and passes input to it.
  ///
  /// ```
  ///   frame clock ── time ─▶ ┌── BarWidget ──┐ ◀─ pointer, keys, wheel ── window
  ///                          │  ProgressBar  │
  ///   snapshot ◀── shapes ── └───────┬───────┘ ── value, text ──▶ assistive technology
  ///                                  └─▶ onDrag, onCommit, onTransitionEnd
  /// ```
  ///
  /// ```swift
  /// let seek = BarWidget(ProgressBar(range: 0...240, unitsPerSecond: 1))
  /// unsafe gtk_box_append(box, seek.widget)
  /// seek.onCommit = { seconds in player.seek(to: seconds) }
  /// seek.report(12)  // four times a second or more rarely
  /// ```
  ///
  /// Positions, colors and hit testing come from the model. The widget decides only when to draw: it requests frames only
  /// while something moves and the widget is mapped, so a bar that is paused, finished or hidden costs nothing.
  ///
  /// The hit area lies inside the widget: the widget is larger than the drawing by the margins of the bar's layout, and
  /// requests at least the minimum size of a target. The direction of the value follows the text direction; set
  /// `layout.direction` to `.upwards` for a vertical bar. `gtk_widget_set_sensitive` and the model's `isDisabled` follow
  /// each other.
  ///
  /// The widget and this object keep each other alive as long as a window or the program holds one of them.
  ///
  /// Use it on the main thread only, as all of GTK.
  @safe @MainActor
  public final class BarWidget {
    /// The GTK widget, which never changes.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// The bar that is shown; change it with `update(_:)`.
    public internal(set) var bar: ProgressBar

    /// Called with each value during a drag.
    public var onDrag: ((Double) -> Void)?
    /// Called with the value that a person has chosen, by a drag, a key, the wheel or assistive technology.
    public var onCommit: ((Double) -> Void)?
    /// Called with true when a drag begins, and with false when it ends or is cancelled.
    public var onDragging: ((Bool) -> Void)?
    /// Called when a transition has ended, after its completion.
    public var onTransitionEnd: ((BarTransitionEnd) -> Void)?

    /// Adds shapes with the part `.custom` to a drawing, at any index, before it is drawn.
    ///
    /// It receives the drawing, the bar and the time. Animation and gestures ignore these shapes.
    public var addShapes: ((inout [BarShape], ProgressBar, Duration) -> Void)? {
      didSet { unsafe gtk_widget_queue_draw(widget) }
    }
    /// Draws a custom shape into a `GtkSnapshot`, in the coordinates of the drawing.
    ///
    /// If it is nil, custom shapes are drawn as rectangles with rounded corners.
    public var drawShape: ((BarShape, OpaquePointer) -> Void)? {
      didSet { unsafe gtk_widget_queue_draw(widget) }
    }

    /// The accessible name of the bar, such as "Seek".
    public var label: String? { didSet { updateLabel() } }
    /// Formats a value for assistive technology; nil leaves the number.
    public var describe: ((BarAnnouncement) -> String?)? = BarWidget.percent {
      didSet { updateDescription() }
    }
    /// Whether the colors of track, fill and dot follow the theme.
    public var followsTheme: Bool = false { didSet { if followsTheme { applyThemeColors() } } }

    /// The icons of the dot by their numbers.
    var icons: [Int: Picture] = [:]
    var completions: [BarTransition: (Bool) -> Void] = [:]
    /// Events that were not passed to the program yet.
    var pendingEvents: [BarEvent] = []
    /// Whether a callback runs, so that further events have to wait.
    var isDispatching = false
    /// Whether `onDragging` was called with true and not yet with false.
    var isDragReported = false
    /// The identifier of the tick callback, or 0.
    var tick: guint = 0
    /// The time of the last frame.
    var drawnTime: Duration?
    /// The number of frames that were drawn.
    var frames = 0
    /// The shapes of the last frame.
    var drawing: [BarShape] = []
    /// The latest announcement to assistive technology.
    var announced: BarAnnouncement?
    /// Whether the value of the `GtkRange` is being set to an announced one.
    var isAnnouncing = false
    /// The event source of a postponed announcement, or 0.
    var postponed: guint = 0
    /// The allocated size, in points.
    var size = (width: 0, height: 0)
    /// The origin of the drawing in the widget, in points.
    var origin = (x: 0.0, y: 0.0)
    /// The size request of the last measurement.
    var sizeRequest: SizeRequest
    var dragGesture: OpaquePointer?
    /// The point of the last press, in points of the widget.
    var pressPoint = (x: 0.0, y: 0.0)
    /// Whether the widget has the keyboard focus and shows it.
    var hasFocus = false
    /// The signal handler for settings of the desktop.
    var settingsSignal: gulong = 0
    /// This object, while others hold the widget.
    var keptAlive: BarWidget?
    /// The clock of tests; nil for the frame clock.
    let clock: (() -> Duration)?

    /// Creates a widget for a bar; GTK must be initialized.
    ///
    /// Its accessibility role, slider or progress bar, is the one that the bar has when the widget is put into a window.
    ///
    /// - Parameter bar: The bar; the widget sets the size of its layout.
    public convenience init(_ bar: ProgressBar = ProgressBar()) { self.init(bar, clock: nil) }

    /// Creates a widget with a clock of its own, for tests.
    package init(_ bar: ProgressBar, clock: (() -> Duration)?) {
      self.bar = bar
      self.clock = clock
      sizeRequest = SizeRequest(bar)
      unsafe widget = hw_bar_widget_new(BarWidgetClass.type)
      attach()
      addControllers()
      followAssistiveTechnology()
      followSettings()
      followDirection()
      followPrecision()
      addStyleSheet()
      if bar.isDisabled { updateSensitivity() }
      announce()
    }

    isolated deinit {
      detach()
    }

    // MARK: Time

    /// The time of the frame clock, which stops while the machine sleeps.
    public var now: Duration {
      if let clock { return clock() }
      if let frames = unsafe gtk_widget_get_frame_clock(widget) {
        return .microseconds(unsafe gdk_frame_clock_get_frame_time(frames))
      }
      return .microseconds(g_get_monotonic_time())
    }

    // MARK: Changes

    /// Changes the bar, redraws it and calls the callbacks.
    ///
    /// ```swift
    /// seek.update { bar, now in bar.report(12, at: now) }
    /// ```
    ///
    /// - Parameter change: Changes the bar, and receives the time.
    /// - Returns: The result of `change`.
    @discardableResult
    public func update<Result>(_ change: (inout ProgressBar, Duration) -> Result) -> Result {
      let now = now
      let wasDisabled = bar.isDisabled
      let result = change(&bar, now)
      if bar.isDisabled != wasDisabled { updateSensitivity() }
      changed(at: now)
      return result
    }

    /// Updates layout, frames, announcements and callbacks after a change.
    func changed(at now: Duration) {
      followDirection()
      let new = SizeRequest(bar)
      if new != sizeRequest {
        sizeRequest = new
        unsafe gtk_widget_queue_resize(widget)
      }
      place()
      bar.advance(to: now)
      unsafe gtk_widget_set_focusable(widget, bar.isAdjustable ? 1 : 0)
      unsafe gtk_widget_queue_draw(widget)
      requestFrames(at: now)
      announce(at: now)
      dispatchEvents()
    }

    /// Calls the callbacks for pending events, in order.
    func dispatchEvents() {
      pendingEvents += bar.takeEvents()
      guard !isDispatching else { return }
      isDispatching = true
      defer { isDispatching = false }
      while !pendingEvents.isEmpty {
        let event = pendingEvents.removeFirst()
        switch event {
        case .dragBegan:
          isDragReported = true
          onDragging?(true)
        case .dragged(let value): onDrag?(value)
        case .committed(let value):
          onCommit?(value)
          reportDragEnd()
        case .dragCancelled: reportDragEnd()
        case .transitionEnded(let end):
          completions.removeValue(forKey: end.transition)?(end.isFinished)
          onTransitionEnd?(end)
        }
      }
    }

    /// Reports the end of a drag if its beginning was reported; a key commits a value without a drag.
    private func reportDragEnd() {
      guard isDragReported else { return }
      isDragReported = false
      onDragging?(false)
    }
  }
#endif
