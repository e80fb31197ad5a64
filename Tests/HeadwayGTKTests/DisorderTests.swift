#if GTK
  import CGTK
  import HeadwayBar
  import HeadwayCollections
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// Random sequences of reports, input, calls and window events.
    @MainActor
    struct DisorderTests {
      /// The callbacks of a bar.
      final class Log {
        /// Whether a drag is in progress.
        var isDragging = false
        /// Callbacks in the wrong order.
        var errors: [String] = []
        /// The number of started transitions.
        var asked = 0
        /// The number of completions.
        var told = 0
      }

      /// Values of a source or a program.
      private static let values: [Double] = [
        0, 1, 50, 99.9, 100, -5, 1e18, 1e300, .nan, .infinity, -.infinity,
      ]

      /// A duration for a value: a hundredth in seconds, or the longest one.
      private static func duration(_ value: Double) -> Duration {
        abs(value) <= 1e18
          ? .seconds(abs(value) / 100) : Duration(secondsComponent: .max, attosecondsComponent: 0)
      }

      /// Makes a random call of a source or a program.
      private func change(_ bar: BarWidget, _ log: Log, _ generator: inout SplitMix64) {
        let value = Self.values.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1: bar.report(value)
        case 2: bar.setValue(value)
        case 3:
          log.asked += 1
          bar.animate(to: value, over: Self.duration(value)) { _ in log.told += 1 }
        case 4: bar.bar.isPaused ? bar.resume() : bar.pause()
        case 5: bar.removeAnimation()
        case 6: bar.reset()
        case 7: bar.update { $0.setRange(from: 0, to: value, at: $1) }
        case 8: bar.update { bar, _ in bar.isIndeterminate.toggle() }
        case 9: bar.update { bar, _ in bar.isReadOnly.toggle() }
        case 10:
          bar.update { bar, now in
            bar.changeStyle(over: .milliseconds(100), at: now) { $0.dotSize = value }
          }
        default: bar.update { $0.setRange(from: 0, to: 100, at: $1) }
        }
      }

      /// Makes a random input or window event.
      private func act(_ bar: BarWidget, _ generator: inout SplitMix64) {
        let widget = unsafe bar.widget
        let point = (
          x: Double.random(in: -20...440, using: &generator),
          y: Double.random(in: -5...40, using: &generator)
        )
        let pointer = [BarPointer.mouse, .touch, .pen].randomElement(using: &generator) ?? .mouse
        switch Int.random(in: 0..<9, using: &generator) {
        case 0, 1: _ = bar.wentDown(x: point.x, y: point.y, with: pointer)
        case 2: bar.wentUp(x: point.x, y: point.y, with: pointer)
        case 3: bar.update { _ = $0.pointerMoved(x: point.x, y: point.y, at: $1) }
        case 4:
          let key = [BarKey.escape, .right, .end].randomElement(using: &generator) ?? .end
          bar.update { _ = $0.press(key, at: $1) }
        case 5:
          unsafe gtk_widget_set_visible(widget, gtk_widget_get_visible(widget) == 0 ? 1 : 0)
        case 6: unsafe gtk_widget_set_sensitive(widget, bar.bar.isDisabled ? 1 : 0)
        case 7:
          let isRight = unsafe gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL
          unsafe gtk_widget_set_direction(widget, isRight ? GTK_TEXT_DIR_LTR : GTK_TEXT_DIR_RTL)
        default: unsafe gtk_widget_set_size_request(widget, Int32(abs(point.x)), Int32(point.y + 5))
        }
      }

      @Test(arguments: 1...6)
      func `In any order of events, the bar and its window agree`(seed: Int) throws {
        try #require(Display.isReady)
        var generator = SplitMix64(seed: UInt64(seed))
        let log = Log()
        let bar = BarWidget(ProgressBar(range: 0...100, unitsPerSecond: 1))
        let window = try TestWindow(bar, width: 420)
        bar.onDragging = { isDragging in
          if isDragging == log.isDragging { log.errors.append("dragging is \(isDragging) twice") }
          log.isDragging = isDragging
        }
        bar.onDrag = { value in if !log.isDragging { log.errors.append("\(value) undragged") } }
        for step in 0..<400 {
          if Bool.random(using: &generator) {
            change(bar, log, &generator)
          } else {
            act(bar, &generator)
          }
          if step % 5 == 0 { while g_main_context_iteration(nil, 0) != 0 {} }
          let isMapped = unsafe gtk_widget_get_mapped(bar.widget) != 0
          #expect(isMapped || (bar.tick == 0 && bar.postponed == 0), "step \(step)")
          #expect(log.isDragging == bar.bar.isDragging, "step \(step)")
          let isSensitive = unsafe gtk_widget_is_sensitive(bar.widget) != 0
          #expect(bar.bar.isDisabled != isSensitive, "step \(step)")
          let shown = bar.bar.shown(at: bar.now)
          #expect(bar.bar.range.contains(shown), "\(shown) in step \(step)")
          try #require(log.errors.isEmpty, "\(log.errors) in step \(step)")
        }
        // Each change has told its end once, the last one when something else comes.
        bar.removeAnimation()
        bar.update { $0.setValue(0, at: $1) }
        #expect(log.told == log.asked && bar.completions.isEmpty && log.asked > 5)
        window.close()
      }
    }
  }
#endif
