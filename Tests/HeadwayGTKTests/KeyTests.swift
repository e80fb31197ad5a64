#if GTK
  import CGTK
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// Keys: promise 10 of `WhatThisBarPromises`.
    @MainActor
    struct KeyTests {
      /// A window with a bar at 50 of 100 that has the focus.
      private func window(_ change: (inout ProgressBar) -> Void = { _ in }) throws -> TestWindow {
        var model = ProgressBar(range: 0...100, unitsPerSecond: 1)
        change(&model)
        let isVertical = model.layout.direction == .upwards
        let window = try TestWindow(
          model, width: isVertical ? nil : 420, height: isVertical ? 420 : nil)
        window.bar.setValue(50)
        try window.focus()
        return window
      }

      /// The values after each of several keys.
      private func values(_ keys: [String], in window: TestWindow) throws -> [Double] {
        try keys.map { key in
          try window.key(key)
          return window.bar.bar.shown(at: window.bar.now)
        }
      }

      @Test func `Arrow keys move one step, page keys ten, Home and End to the ends`() throws {
        let window = try window()
        defer { window.close() }
        let keys = ["Right", "Up", "Left", "Down", "Page_Up", "Page_Down", "Home", "End"]
        #expect(try values(keys, in: window) == [51, 52, 51, 50, 60, 50, 0, 100])
      }

      @Test func `Each key commits once`() throws {
        let window = try window()
        defer { window.close() }
        var chosen: [Double] = []
        window.bar.onCommit = { chosen.append($0) }
        _ = try values(["KP_Right", "KP_Left"], in: window)
        #expect(chosen == [51, 50])
      }

      @Test func `Digits go to tenths only if they are accepted`() throws {
        let window = try window()
        defer { window.close() }
        #expect(try values(["3"], in: window) == [50])
        window.bar.update { bar, _ in bar.acceptsDigits = true }
        #expect(try values(["3", "KP_9", "0"], in: window) == [30, 90, 0])
      }

      @Test func `From right to left, arrow keys and drawing are mirrored`() throws {
        let window = try window()
        defer { window.close() }
        unsafe gtk_widget_set_direction(window.bar.widget, GTK_TEXT_DIR_RTL)
        #expect(try values(["Left", "Right", "Up"], in: window) == [51, 50, 51])
        let dot = try #require(window.bar.drawing.last { $0.part == .dot }?.rect)
        #expect(abs(dot.x + dot.width / 2 - 196) < 0.01)
        try window.move(x: 100, y: 6)
        try window.press()
        try window.release()
        #expect(abs(window.bar.bar.shown(at: window.bar.now) - 75) <= 0.25)
      }

      @Test func `A vertical bar grows upwards, for keys and the mouse`() throws {
        let window = try window { $0.layout.direction = .upwards }
        defer { window.close() }
        #expect(window.bar.size.height == 420 && window.bar.size.width < 60)
        #expect(try values(["Up", "Right", "Down"], in: window) == [51, 52, 51])
        try window.move(x: 6, y: 100)
        try window.press()
        try window.release()
        #expect(abs(window.bar.bar.shown(at: window.bar.now) - 75) <= 0.25)
      }

      @Test func `A disabled bar ignores all keys`() throws {
        let window = try window()
        defer { window.close() }
        unsafe gtk_widget_set_sensitive(window.bar.widget, 0)
        #expect(window.bar.bar.isDisabled)
        #expect(try values(["Right", "End", "Home"], in: window) == [50, 50, 50])
        unsafe gtk_widget_set_sensitive(window.bar.widget, 1)
        unsafe gtk_widget_grab_focus(window.bar.widget)
        #expect(try values(["Right"], in: window) == [51])
      }

      @Test func `A key with Control belongs to the window`() throws {
        let window = try window()
        defer { window.close() }
        #expect(try values(["ctrl+Right", "alt+End"], in: window) == [50, 50])
      }

      @Test func `A bar that cannot be changed is not focusable`() throws {
        let window = try window()
        defer { window.close() }
        #expect(unsafe gtk_widget_get_focusable(window.bar.widget) != 0)
        window.bar.update { bar, _ in bar.isReadOnly = true }
        #expect(unsafe gtk_widget_get_focusable(window.bar.widget) == 0)
      }
    }
  }
#endif
