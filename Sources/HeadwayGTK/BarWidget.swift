#if GTK
  public import CGTK
  public import HeadwayBar

  /// A bar in a window of GTK 4: a widget that draws what a `ProgressBar` says, and tells it what a person does.
  ///
  /// ```
  ///   frame clock ── time ─▶ ┌── BarWidget ──┐ ◀─ pointer, keys, wheel ── window
  ///                          │  ProgressBar  │
  ///   snapshot ◀── shapes ── └───────┬───────┘ ── value, words ──▶ assistive technology
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
  /// It computes no place, colour or hit of its own: all of that is the model's. What is its own is when to draw: it asks
  /// the frame clock for frames only while something moves and it is mapped, so that a bar that is paused, finished or
  /// hidden costs nothing. No timer moves anything.
  ///
  /// The hit area lies inside of the widget: the widget is larger than the drawing by the margins of the bar's layout, and
  /// asks for at least the least size of a target. The direction of the value follows the direction of text; set
  /// `layout.direction` to `.upwards` for a vertical bar. `gtk_widget_set_sensitive` and the model's `isDisabled` follow each
  /// other.
  ///
  /// The widget and this object keep each other alive as long as a window or you hold one of them.
  ///
  /// All of it belongs to the main thread, on which GTK runs.
  @safe @MainActor
  public final class BarWidget {
    /// The widget, for GTK's own functions; it stays the same.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// What is shown; `update(_:)` changes it.
    public internal(set) var bar: ProgressBar

    /// Called with each value that a drag passes.
    public var onDrag: ((Double) -> Void)?
    /// Called with the value that a person has chosen, once for each drag, key or turn of the wheel.
    public var onCommit: ((Double) -> Void)?
    /// Called when a drag begins, with true, and when it is over, with false, whether it was called off or not.
    public var onDragging: ((Bool) -> Void)?
    /// Called when a change that was to take a time has ended; also told to the completion of that change.
    public var onTransitionEnd: ((BarTransitionEnd) -> Void)?

    /// Adds parts of your own to a drawing before it is drawn: shapes with the part `.own`, anywhere in the list.
    ///
    /// It gets the drawing, the bar and the time in seconds, and neither animation nor gestures know of it.
    public var addShapes: ((inout [BarShape], ProgressBar, Double) -> Void)? {
      didSet { unsafe gtk_widget_queue_draw(widget) }
    }
    /// Draws an own part: it gets the shape and a snapshot in the coordinates of the drawing.
    ///
    /// Nil draws own parts as what they are, rectangles with round corners.
    public var drawShape: ((BarShape, OpaquePointer) -> Void)? {
      didSet { unsafe gtk_widget_queue_draw(widget) }
    }

    /// What assistive technology calls the bar, such as "Seek"; nil for nothing.
    public var label: String? { didSet { tellLabel() } }
    /// Puts a value in words for assistive technology; nil leaves the number.
    public var describe: ((BarAnnouncement) -> String?)? = BarWidget.percent {
      didSet { tellAgain() }
    }
    /// Whether track, fill and dot take their colours from the theme, and follow it.
    public var followsTheme: Bool = false { didSet { if followsTheme { takeThemeColors() } } }

    /// The pictures that dots can show, by their number.
    var icons: [Int: Picture] = [:]
    /// What is called when changes end, by their names.
    var completions: [BarTransition: (Bool) -> Void] = [:]
    /// What happened and is not told yet.
    var untold: [BarEvent] = []
    /// Whether something is being told, and what happens meanwhile waits for its turn.
    var isTelling = false
    /// Whether the beginning of a drag was told and its end was not.
    var isToldDragging = false
    /// The number of the tick callback, 0 for none.
    var tick: guint = 0
    /// The time of the frame that was drawn last, in seconds.
    var drawnTime: Double?
    /// How many frames were drawn.
    var frames = 0
    /// The shapes of the frame that was drawn last.
    var drawing: [BarShape] = []
    /// What was told to assistive technology last.
    var told: BarAnnouncement?
    /// The source of events that tells what was too early to tell, 0 for none.
    var later: guint = 0
    /// The size that was allocated, in points.
    var size = (width: 0, height: 0)
    /// Where the drawing lies in the widget, in points.
    var origin = (x: 0.0, y: 0.0)
    /// What was asked for at the last measuring, which tells whether to ask again.
    var demand: Demand
    /// What recognizes drags.
    var dragGesture: OpaquePointer?
    /// Where the pointer went down, in points of the widget.
    var pressPoint = (x: 0.0, y: 0.0)
    /// Whether the widget has the focus of the keyboard, and shows it.
    var hasFocus = false
    /// The connection to the settings of the desktop.
    var settingsSignal: gulong = 0
    /// This object, held by itself while others hold the widget.
    var keptAlive: BarWidget?
    /// The clock of tests, in seconds; nil for the one of the frames.
    let clock: (() -> Double)?

    /// Creates a widget for a bar; GTK must have been initialized.
    ///
    /// For assistive technology it is a slider or a progress bar, as the model announces it when it is put into a window.
    ///
    /// - Parameter bar: What is shown at first; the widget sets the size in its layout.
    public convenience init(_ bar: ProgressBar = ProgressBar()) { self.init(bar, clock: nil) }

    /// Creates a widget with a clock of its own, for tests.
    ///
    /// - Parameters:
    ///   - bar: What is shown at first.
    ///   - clock: Tells the time in seconds; nil for the clock of the frames.
    package init(_ bar: ProgressBar, clock: (() -> Double)?) {
      self.bar = bar
      self.clock = clock
      demand = Demand(bar)
      unsafe widget = hw_bar_widget_new(BarWidgetClass.type)
      attach()
      addControllers()
      followSettings()
      followDirection()
      followPrecision()
      addLooks()
      if bar.isDisabled { dim() }
      announce()
    }

    isolated deinit {
      detach()
    }

    // MARK: Time

    /// The time in seconds, as `update(_:)` hands it on: that of the frame clock, which stands still while the machine
    /// sleeps.
    public var now: Double {
      if let clock { return clock() }
      if let frames = unsafe gtk_widget_get_frame_clock(widget) {
        return Double(unsafe gdk_frame_clock_get_frame_time(frames)) / 1_000_000
      }
      return Double(g_get_monotonic_time()) / 1_000_000
    }

    // MARK: Changes

    /// Changes the bar, and shows and tells what follows from that.
    ///
    /// ```swift
    /// seek.update { bar, now in bar.report(12, at: now) }
    /// ```
    ///
    /// - Parameter change: Changes the bar, and gets the time in seconds.
    /// - Returns: What the change returns.
    @discardableResult
    public func update<Result>(_ change: (inout ProgressBar, Double) -> Result) -> Result {
      let now = now
      let wasDisabled = bar.isDisabled
      let result = change(&bar, now)
      if bar.isDisabled != wasDisabled { dim() }
      settle(at: now)
      return result
    }

    /// Draws the layout, asks for frames and tells what happened, after something has changed.
    func settle(at now: Double) {
      followDirection()
      let new = Demand(bar)
      if new != demand {
        demand = new
        unsafe gtk_widget_queue_resize(widget)
      }
      place()
      bar.advance(to: now)
      unsafe gtk_widget_set_focusable(widget, bar.isAdjustable ? 1 : 0)
      unsafe gtk_widget_queue_draw(widget)
      askForFrames(at: now)
      announce(at: now)
      tell()
    }

    /// Tells what happened, in the order in which it happened.
    func tell() {
      untold += bar.takeEvents()
      guard !isTelling else { return }
      isTelling = true
      defer { isTelling = false }
      while !untold.isEmpty {
        let event = untold.removeFirst()
        switch event {
        case .dragBegan:
          isToldDragging = true
          onDragging?(true)
        case .dragged(let value): onDrag?(value)
        case .committed(let value):
          onCommit?(value)
          tellDragIsOver()
        case .dragCancelled: tellDragIsOver()
        case .transitionEnded(let end):
          completions.removeValue(forKey: end.transition)?(end.isFinished)
          onTransitionEnd?(end)
        }
      }
    }

    /// Tells that a drag is over where its beginning was told; a key chooses a value without one.
    private func tellDragIsOver() {
      guard isToldDragging else { return }
      isToldDragging = false
      onDragging?(false)
    }
  }
#endif
