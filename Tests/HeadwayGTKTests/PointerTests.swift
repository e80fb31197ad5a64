#if GTK
  import CGTK
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// The mouse: promises 6, 7 and 8 of `WhatThisBarPromises`.
    @MainActor
    struct PointerTests {
      /// The callbacks of a bar.
      final class Log {
        /// The dragged values.
        var dragged: [Double] = []
        /// The committed values.
        var committed: [Double] = []
        /// The beginnings and ends of drags.
        var dragging: [Bool] = []
      }

      /// A window with a bar of 400 points from 0 to 100, and its callbacks.
      private func window(_ change: (inout ProgressBar) -> Void = { _ in }) throws -> (
        TestWindow, Log
      ) {
        var model = ProgressBar(range: 0...100, unitsPerSecond: 1)
        change(&model)
        let window = try TestWindow(model)
        let bar = window.bar
        let log = Log()
        bar.onDrag = { log.dragged.append($0) }
        bar.onCommit = { log.committed.append($0) }
        bar.onDragging = { log.dragging.append($0) }
        bar.setValue(25)
        return (window, log)
      }

      /// The value that is shown.
      private func shown(_ window: TestWindow) -> Double {
        window.bar.bar.shown(at: window.bar.now)
      }

      @Test func `A report during a drag moves nothing, and the release commits once`() throws {
        let (window, log) = try window()
        defer { window.close() }
        try window.move(x: 200, y: 6)
        try window.press()
        #expect(window.bar.bar.isDragging && log.dragging == [true])
        try window.move(x: 300, y: 6)
        let middle = { window.bar.drawing.last.map { $0.rect.x + $0.rect.width / 2 } ?? .nan }
        let before = middle()
        window.bar.report(26)
        try window.frames(3) { #expect(abs(middle() - before) < 0.01) }
        try window.release()
        #expect(log.committed.count == 1 && log.dragging == [true, false])
        let chosen = try #require(log.committed.first)
        #expect(abs(chosen - 75) <= 0.25)
        // Held until the source agrees.
        window.bar.report(27)
        try window.frames(3) { #expect(shown(window) == chosen) }
        window.bar.report(chosen)
        #expect(!window.bar.bar.isSeekPending && window.bar.requestsFrames)
      }

      @Test func `A press anywhere in the hit area jumps, and the ends can be reached`() throws {
        let (window, log) = try window()
        defer { window.close() }
        let area = window.bar.bar.layout.hitArea
        #expect(area.width == 420 && area.height == Double(window.bar.size.height))
        for (x, y, value) in [
          (area.x + 1, area.y + 1, 0), (area.x + area.width - 1, area.y + area.height - 1, 100),
          (200, area.y + 1, 50), (200, area.y + area.height - 1, 50), (0, 6, 0), (399, 6, 100),
        ] as [(Double, Double, Double)] {
          try window.move(x: x, y: y)
          try window.press()
          #expect(abs(shown(window) - value) <= 0.25, "pressed at \(x), \(y)")
          try window.release()
        }
        // The second press in the middle has chosen what was chosen already.
        #expect(log.committed.count == 5)
        #expect(log.committed.suffix(2) == [0, 100], "the first and the last pixel")
      }

      @Test(arguments: [(BarLayout.Precision.fine, 24), (.coarse, 44)])
      func `A bar without margins has the minimum hit area`(
        precision: BarLayout.Precision, least: Int
      ) throws {
        let (window, log) = try window {
          $0.layout.margins = BarLayout.Margins(extent: 0)
          $0.layout.precision = precision
          var style = BarStyle()
          style.dotSize = 0
          style.hoverDotSize = 0
          style.dragDotSize = 0
          $0.setStyle(style, at: 0)
        }
        defer { window.close() }
        #expect(window.bar.size.height == least)
        try window.move(x: 210, y: window.bar.bar.layout.hitArea.y + 1)
        let track = try #require(window.bar.drawing.first { $0.part == .track }?.rect)
        #expect(track.height == 4, "the drawing is as thin as before")
        try window.press()
        try window.release()
        #expect(log.committed == [50])
      }

      @Test func `A drag continues outside the window`() throws {
        let (window, log) = try window()
        defer { window.close() }
        try window.move(x: 200, y: 6)
        try window.press()
        try window.move(x: 100, y: 400)
        #expect(abs(shown(window) - 25) <= 0.25)
        try window.move(x: 700, y: 500)
        #expect(shown(window) == 100)
        try window.release()
        #expect(log.committed == [100])
      }

      @Test func `Escape cancels a drag and restores the value`() throws {
        let (window, log) = try window()
        defer { window.close() }
        try window.focus()
        try window.move(x: 200, y: 6)
        try window.press()
        try window.move(x: 300, y: 6)
        #expect(abs(shown(window) - 75) <= 0.25)
        try window.key("Escape")
        #expect(shown(window) == 25 && !window.bar.bar.isDragging)
        try window.move(x: 350, y: 6)
        try window.release()
        #expect(shown(window) == 25 && log.committed.isEmpty && log.dragging == [true, false])
      }

      @Test(arguments: [2, 3])
      func `Other buttons do not drag`(button: Int) throws {
        let (window, log) = try window()
        defer { window.close() }
        try window.move(x: 200, y: 6)
        try window.press(button)
        try window.move(x: 300, y: 6)
        try window.release(button)
        #expect(shown(window) == 25 && log.dragging.isEmpty && log.committed.isEmpty)
      }

      @Test func `A second finger cancels a drag`() throws {
        let (window, log) = try window()
        defer { window.close() }
        try window.move(x: 200, y: 6)
        try window.press()
        window.bar.secondFinger()
        #expect(shown(window) == 25)
        try window.move(x: 300, y: 6)
        try window.release()
        #expect(shown(window) == 25 && log.committed.isEmpty && log.dragging == [true, false])
      }

      @Test func `A tap of a finger commits once and ends its drag`() throws {
        let (window, log) = try window()
        defer { window.close() }
        let point = (x: window.bar.origin.x + 300, y: window.bar.origin.y + 6)
        #expect(window.bar.wentDown(x: point.x, y: point.y, with: .touch))
        #expect(shown(window) == 25, "it may want to scroll")
        window.bar.wentUp(x: point.x, y: point.y, with: .touch)
        #expect(abs(shown(window) - 75) <= 0.25)
        #expect(log.committed.count == 1 && log.dragging == [true, false])
      }

      @Test(arguments: [(BarPointer.mouse, 29.5), (.pen, 29.5), (.touch, 25)])
      func `A finger grips the dot from further away than a mouse`(
        pointer: BarPointer, value: Double
      ) throws {
        let (window, log) = try window()
        defer { window.close() }
        // The middle of the dot is at 100: half of 24 points reach to 112, and half of 44 to 122.
        let point = (x: window.bar.origin.x + 118, y: window.bar.origin.y + 6)
        let height = window.bar.sizeRequest
        #expect(window.bar.wentDown(x: point.x, y: point.y, with: pointer))
        window.bar.wentUp(x: point.x, y: point.y, with: pointer)
        #expect(abs(shown(window) - value) <= 0.01)
        // Who only grips the dot chooses nothing.
        #expect(log.committed.count == (pointer == .touch ? 0 : 1))
        #expect(window.bar.sizeRequest == height, "the window moves under the finger")
        #expect(window.bar.bar.layout.precision == .fine)
      }

      @Test func `With only a touch screen the hit area is larger`() {
        let (touch, pointer) = (GDK_SEAT_CAPABILITY_TOUCH, GDK_SEAT_CAPABILITY_POINTER)
        let both = GdkSeatCapabilities(touch.rawValue | pointer.rawValue)
        #expect(BarWidget.precision(of: touch) == .coarse)
        #expect(BarWidget.precision(of: pointer) == .fine)
        #expect(BarWidget.precision(of: both) == .fine, "as a page takes it")
        #expect(BarWidget.precision(of: GDK_SEAT_CAPABILITY_NONE) == .fine)
      }

      @Test func `The model and the widget agree on whether the bar is disabled`() throws {
        let (window, _) = try window { $0.isDisabled = true }
        defer { window.close() }
        let widget = unsafe window.bar.widget
        let parent = unsafe gtk_widget_get_parent(widget)
        let isSensitive = { unsafe gtk_widget_is_sensitive(widget) != 0 }
        #expect(!isSensitive() && window.bar.bar.isDisabled, "the model says so at first")
        let dimmed = try window.picture()
        window.bar.update { bar, _ in bar.isDisabled = false }
        #expect(isSensitive())
        try window.settle()
        #expect(try window.picture() != dimmed, "it is seen, too")
        window.bar.update { bar, _ in bar.isDisabled = true }
        #expect(!isSensitive())
        // What the window does in between, such as with a pointer that comes by, does not undo it.
        try window.move(x: 200, y: 6)
        #expect(window.bar.bar.isDisabled)
        window.bar.update { bar, _ in bar.isDisabled = false }
        unsafe gtk_widget_set_sensitive(parent, 0)
        #expect(window.bar.bar.isDisabled, "it is dimmed with what is around it")
        unsafe gtk_widget_set_sensitive(parent, 1)
        #expect(!window.bar.bar.isDisabled && isSensitive())
      }

      @Test func `A hovering pointer enlarges the dot and drags nothing`() throws {
        let (window, log) = try window()
        defer { window.close() }
        let dot = { window.bar.drawing.first { $0.part == .dot }?.rect.width ?? 0 }
        #expect(dot() == 12)
        try window.move(x: 300, y: 6)
        try window.wait("a larger dot") { dot() == 16 }
        try window.wait("rest") { !window.bar.requestsFrames }
        try window.move(x: 700, y: 500)
        try window.wait("a dot at rest") { dot() == 12 }
        #expect(shown(window) == 25 && log.dragged.isEmpty)
      }

      @Test func `The wheel changes the value only if it is accepted`() throws {
        let (window, log) = try window()
        defer { window.close() }
        try window.move(x: 200, y: 6)
        try window.press(4)
        try window.release(4)
        #expect(shown(window) == 25 && log.committed.isEmpty)
        window.bar.update { bar, _ in bar.acceptsWheel = true }
        for button in [4, 4, 5] {
          try window.press(button)
          try window.release(button)
        }
        #expect(log.committed == [26, 27, 26])
      }

      @Test func `A bar that is removed during a drag cancels it`() throws {
        let (window, log) = try window()
        defer { window.close() }
        try window.move(x: 200, y: 6)
        try window.press()
        unsafe gtk_widget_set_visible(window.bar.widget, 0)
        #expect(!window.bar.bar.isDragging && log.dragging == [true, false])
        try Display.run("xdotool", "mouseup", "1")
        #expect(log.committed.isEmpty)
      }

      @Test(arguments: ["isReadOnly", "isDisabled", "isDraggable"])
      func `A bar that is not draggable is not dragged`(flag: String) throws {
        let (window, log) = try window()
        defer { window.close() }
        window.bar.update { bar, now in
          switch flag {
          case "isReadOnly": bar.isReadOnly = true
          case "isDraggable": bar.changeStyle(at: now) { $0.isDraggable = false }
          default: break
          }
        }
        if flag == "isDisabled" { unsafe gtk_widget_set_sensitive(window.bar.widget, 0) }
        try window.move(x: 200, y: 6)
        try window.press()
        try window.move(x: 300, y: 6)
        try window.release()
        #expect(shown(window) == 25 && log.dragging.isEmpty && log.committed.isEmpty)
      }
    }
  }
#endif
