#if GTK
  import CGTK
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// The cost of a bar at rest, and its lifetime.
    @MainActor
    struct LifeTests {
      /// A state in which nothing moves.
      enum Rest: CaseIterable {
        /// It is paused in the middle of a glide.
        case paused
        /// The end was reported.
        case finished
        /// Its widget is not mapped.
        case unmapped
        /// A seek is pending.
        case held
        /// It is paused and indeterminate.
        case pausedIndeterminate
      }

      /// Whether the process would sleep: no timer runs and no event is ready.
      private func sleeps() -> Bool {
        let context = unsafe g_main_context_default()
        guard unsafe g_main_context_pending(context) == 0,
          unsafe g_main_context_acquire(context) != 0
        else { return false }
        defer { unsafe g_main_context_release(context) }
        var (priority, timeout): (gint, gint) = (0, 0)
        unsafe g_main_context_prepare(context, &priority)
        unsafe g_main_context_query(context, .max, &timeout, nil, 0)
        return timeout < 0
      }

      /// Handles events until the process sleeps.
      private func waitForSleep(_ window: TestWindow) throws {
        let end = ContinuousClock.now + .seconds(60)
        while !sleeps() {
          try #require(ContinuousClock.now < end, "a timer runs on")
          g_main_context_iteration(nil, 1)
        }
      }

      @Test(arguments: Rest.allCases)
      func `At rest the process sleeps without frames and timers`(rest: Rest) throws {
        try #require(Display.isReady)
        let window = try TestWindow(
          BarWidget(ProgressBar(range: 0...100, unitsPerSecond: 1)), width: 420)
        defer { window.close() }
        let bar = window.bar
        bar.report(10)
        try window.frames(5)
        #expect(bar.requestsFrames && !sleeps(), "it moves, and that is seen here")
        switch rest {
        case .paused: bar.pause()
        case .finished: bar.setValue(100)
        case .unmapped: unsafe gtk_widget_set_visible(bar.widget, 0)
        case .held: bar.update { bar, now in _ = bar.press(.right, at: now) }
        case .pausedIndeterminate:
          bar.update { bar, _ in bar.isIndeterminate = true }
          bar.pause()
        }
        #expect(!bar.requestsFrames)
        try waitForSleep(window)
        let frames = bar.frames
        #expect(bar.tick == 0 && bar.postponed == 0)
        // What the source goes on to say of it wakes nobody either, but for one last word to a voice.
        if rest == .unmapped {
          for value in 11...14 { bar.report(Double(value)) }
          #expect(bar.tick == 0 && bar.postponed == 0, "a timer for what nobody is shown")
          try waitForSleep(window)
          #expect(bar.frames == frames)
        }
      }

      @Test func `A bar that is shown again is announced at once, and right in its first frame`()
        throws
      {
        try #require(Display.isReady)
        let window = try TestWindow(
          BarWidget(ProgressBar(range: 0...100, unitsPerSecond: 1)), width: 420)
        defer { window.close() }
        let bar = window.bar
        unsafe gtk_widget_set_visible(bar.widget, 0)
        bar.setValue(20)
        bar.setValue(70)
        unsafe gtk_widget_set_visible(bar.widget, 1)
        try window.frames(1)
        let dot = try #require(bar.drawing.last { $0.part == .dot }?.rect)
        #expect(abs(dot.x + dot.width / 2 - 0.7 * bar.bar.layout.length) < 0.01)
        try window.wait("the voice") { bar.announced?.value == 70 }
      }

      // MARK: After its end

      /// Creates a bar with all callbacks, uses it, and releases it.
      private func liveAndDie(in box: UnsafeMutablePointer<GtkBox>?) -> Weak {
        let bar = BarWidget(ProgressBar(range: 0...100, unitsPerSecond: 1))
        bar.label = "Position"
        bar.onCommit = { [unowned bar] in bar.setValue($0) }
        bar.addShapes = { drawing, _, _ in drawing.reserveCapacity(8) }
        unsafe gtk_box_append(box, bar.widget)
        bar.report(10)
        bar.animate(to: 20, over: .seconds(100)) { _ in }
        _ = bar.wentDown(x: 100, y: 10, with: .mouse)
        bar.followsTheme = true
        unsafe gtk_box_remove(box, bar.widget)
        return Weak(bar: bar, listener: bar.settingsSignal)
      }

      /// A weak reference to a bar, and its connection.
      struct Weak {
        weak var bar: BarWidget?
        /// Its signal handler for the settings of the desktop.
        let listener: gulong
      }

      /// The callback in which a bar is destroyed.
      enum Moment: CaseIterable {
        /// The beginning of a drag.
        case dragBegins
        /// A commit.
        case chosen
        /// A completion, in a frame.
        case changed
      }

      @Test(arguments: Moment.allCases)
      func `A bar may be destroyed in a callback`(moment: Moment) throws {
        try #require(Display.isReady)
        let window = try TestWindow(BarWidget(), width: 420)
        defer { window.close() }
        let box = unsafe UnsafeMutableRawPointer(gtk_widget_get_parent(window.bar.widget))?
          .assumingMemoryBound(to: GtkBox.self)
        let weak = unsafe makeBar(in: box, thrownAway: moment)
        try window.wait("its place") { (weak.bar?.drawing.isEmpty ?? true) == false }
        let row = "\(window.bar.size.height + 4 + (weak.bar?.size.height ?? 0) / 2)"
        try Display.run("xdotool", "mousemove", "100", row, "mousedown", "1", "mouseup", "1")
        try window.wait("its end") { weak.bar == nil }
        try window.settle()
      }

      /// Creates a bar that removes itself from a box.
      private func makeBar(
        in box: UnsafeMutablePointer<GtkBox>?, thrownAway moment: Moment
      ) -> Weak {
        let bar = BarWidget(ProgressBar(range: 0...100))
        unsafe gtk_box_append(box, bar.widget)
        let remove = { [unowned bar] in
          if unsafe gtk_widget_get_parent(bar.widget) != nil {
            unsafe gtk_box_remove(box, bar.widget)
          }
        }
        switch moment {
        case .dragBegins: bar.onDragging = { if $0 { remove() } }
        case .chosen: bar.onCommit = { _ in remove() }
        case .changed:
          bar.onCommit = { [unowned bar] _ in
            bar.animate(to: 50, over: .milliseconds(100)) { _ in remove() }
          }
        }
        return Weak(bar: bar, listener: bar.settingsSignal)
      }

      @Test func `A thousand bars leave no memory behind`() throws {
        try #require(Display.isReady)
        let window = try TestWindow(BarWidget(), width: 420)
        defer { window.close() }
        let box = unsafe UnsafeMutableRawPointer(gtk_widget_get_parent(window.bar.widget))?
          .assumingMemoryBound(to: GtkBox.self)
        let settings = unsafe UnsafeMutableRawPointer(gtk_settings_get_default())
        func thousand() throws {
          var last: [Weak] = []
          for _ in 0..<1000 { last.append(unsafe liveAndDie(in: box)) }
          #expect(last.allSatisfy { $0.bar == nil })
          #expect(
            last.allSatisfy {
              unsafe $0.listener != 0 && g_signal_handler_is_connected(settings, $0.listener) == 0
            }, "the settings of the desktop would call what is gone")
          last = []
          try window.settle()
        }
        // What GTK makes once, such as styles and the caches of types, grows in some of the rounds, and messages may still be on
        // their way to the accessibility bus, which another process reads: on a busy machine for seconds. A leak grows in every
        // round, so two rounds in a row without growth show that there is none.
        let limit = 1000 * 30
        var grown: [Int] = []
        try thousand()
        var memory = Int(hw_memory_in_use())
        repeat {
          try thousand()
          let now = Int(hw_memory_in_use())
          grown.append(now - memory)
          memory = now
        } while grown.count < 20 && (grown.count < 2 || grown.suffix(2).contains { $0 >= limit })
        #expect(
          grown.suffix(2).allSatisfy { $0 < limit },
          "bytes that are left, after each further thousand bars: \(grown)")
      }
    }
  }
#endif
