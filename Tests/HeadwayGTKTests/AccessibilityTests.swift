#if GTK
  import CGTK
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// Accessibility: promises 11 and 12 of `WhatThisBarPromises`.
    @MainActor
    struct AccessibilityTests {
      /// Whether an accessible property is set.
      private func knows(_ property: GtkAccessibleProperty, of window: TestWindow) -> Bool {
        unsafe gtk_test_accessible_has_property(OpaquePointer(window.bar.widget), property) != 0
      }

      /// The value of an accessible number.
      private func number(_ property: GtkAccessibleProperty, of window: TestWindow) -> Double? {
        // The answer is what is known where that is not what is expected, and so far from it nothing is.
        guard let text = unsafe hw_accessible_check_number(window.bar.widget, property, -1e30)
        else { return nil }
        defer { unsafe g_free(text) }
        return Double(unsafe String(cString: text))
      }

      /// The value of an accessible text.
      private func text(_ property: GtkAccessibleProperty, of window: TestWindow) -> String? {
        guard knows(property, of: window),
          let text = unsafe hw_accessible_check_text(window.bar.widget, property, "\u{1}")
        else { return nil }
        defer { unsafe g_free(text) }
        return unsafe String(cString: text)
      }

      @Test func `An adjustable bar is a slider with a name, a range and a value text`() throws {
        let window = try TestWindow(ProgressBar(range: 0...240, unitsPerSecond: 1))
        defer { window.close() }
        window.bar.label = "Position"
        window.bar.describe = BarWidget.time
        window.bar.update { bar, now in _ = bar.press(.home, at: now) }
        window.bar.update { bar, now in
          bar.step = 65
          _ = bar.press(.right, at: now)
        }
        let accessible = unsafe OpaquePointer(window.bar.widget)
        #expect(
          unsafe gtk_test_accessible_has_role(accessible, GTK_ACCESSIBLE_ROLE_SLIDER) != 0)
        #expect(text(GTK_ACCESSIBLE_PROPERTY_LABEL, of: window)?.contains("Position") == true)
        #expect(number(GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, of: window) == 0)
        #expect(number(GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, of: window) == 240)
        #expect(number(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window) == 65)
        #expect(
          text(GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, of: window)?
            .contains("1 minute 5 seconds of 4 minutes") == true)
      }

      @Test func `A read-only bar is a progress bar`() throws {
        var model = ProgressBar(range: 0...8)
        model.isReadOnly = true
        let window = try TestWindow(model)
        defer { window.close() }
        window.bar.setValue(4)
        let accessible = unsafe OpaquePointer(window.bar.widget)
        #expect(
          unsafe gtk_test_accessible_has_role(accessible, GTK_ACCESSIBLE_ROLE_PROGRESS_BAR) != 0)
        try window.wait("the value") { number(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window) == 4 }
        #expect(
          text(GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, of: window)?.contains("50 percent") == true)
        #expect(knows(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window))
        #expect(!window.bar.requestsFrames, "a voice needs no frames")
        window.bar.update { bar, _ in bar.isIndeterminate = true }
        #expect(!knows(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window), "nobody knows it")
        #expect(!knows(GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, of: window))
      }

      /// Whether a bar has a role.
      private func has(_ role: GtkAccessibleRole, _ bar: BarWidget) -> Bool {
        unsafe gtk_test_accessible_has_role(OpaquePointer(bar.widget), role) != 0
      }

      @Test func `The role follows the model until the bar is in a window`() throws {
        try #require(Display.isReady)
        var model = ProgressBar(range: 0...8)
        var style = BarStyle()
        style.isDraggable = false
        model.setStyle(style, at: 0)
        let shown = BarWidget(model)
        #expect(has(GTK_ACCESSIBLE_ROLE_PROGRESS_BAR, shown), "nobody can drag it")
        shown.update { bar, now in bar.changeStyle(at: now) { $0.isDraggable = true } }
        #expect(has(GTK_ACCESSIBLE_ROLE_SLIDER, shown))
        shown.update { bar, _ in bar.isReadOnly = true }
        let window = try TestWindow(shown, width: 420)
        defer { window.close() }
        #expect(has(GTK_ACCESSIBLE_ROLE_PROGRESS_BAR, shown))
        // From here on GTK keeps it, and what has changed is said in another way.
        shown.update { bar, _ in bar.isReadOnly = false }
        try window.settle()
        #expect(has(GTK_ACCESSIBLE_ROLE_PROGRESS_BAR, shown))
        #expect(text(GTK_ACCESSIBLE_PROPERTY_READ_ONLY, of: window)?.contains("false") == true)
      }

      @Test func `A bar that another surface has announced is announced here, too`() throws {
        var model = ProgressBar(range: 0...8)
        model.setValue(4, at: 0)
        #expect(model.announcement(at: 0) != nil)
        let window = try TestWindow(model)
        defer { window.close() }
        #expect(has(GTK_ACCESSIBLE_ROLE_SLIDER, window.bar))
        #expect(number(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window) == 4)
        #expect(number(GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, of: window) == 8)
      }

      @Test func `What assistive technology sets is rounded to a step, and it reads what is shown`()
        throws
      {
        var model = ProgressBar(range: 0...10)
        model.step = 2
        let window = try TestWindow(model)
        defer { window.close() }
        for (asked, chosen) in [(6.7, 6.0), (6.2, 6), (9.5, 10), (10, 10)] {
          unsafe hw_range_set(window.bar.widget, asked, 0, 10)
          #expect(window.bar.bar.shown(at: window.bar.now) == chosen, "\(asked)")
          #expect(unsafe hw_range_value(window.bar.widget) == chosen, "\(asked)")
          #expect(number(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window) == chosen, "\(asked)")
        }
      }

      @Test func `A gliding value is announced at most once a second`() throws {
        let window = try TestWindow(ProgressBar(range: 0...240, unitsPerSecond: 1))
        defer { window.close() }
        window.bar.report(10)
        var told: [Double] = []
        let start = window.bar.now.seconds
        var next = start + 0.25
        // The first value was announced before the loop, the other three within it.
        while told.count < 4 {
          try window.frames(1) {
            let value = number(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window) ?? .nan
            if told.last != value {
              told.append(value)
            }
          }
          if window.bar.now.seconds > next {
            window.bar.report(10 + window.bar.now.seconds - start)
            next += 0.25
          }
        }
        #expect(window.bar.now.seconds - start > 1.9, "\(told)")
      }

      @Test func `A chosen value is announced at once`() throws {
        let window = try TestWindow(ProgressBar(range: 0...100, unitsPerSecond: 1))
        defer { window.close() }
        try window.move(x: 200, y: 6)
        try window.press()
        try window.release()
        let value = window.bar.bar.shown(at: window.bar.now)
        #expect(abs(value - 50) <= 0.25)
        let told = try #require(number(GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, of: window))
        #expect(abs(told - value) < 0.01)
      }
    }
  }
#endif
