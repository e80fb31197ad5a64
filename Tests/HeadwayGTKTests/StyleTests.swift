#if GTK
  import CGTK
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// Styles in pixels: promise 16 of `WhatThisBarPromises`.
    @MainActor
    struct StyleTests {
      /// A property of the style, and a change of it.
      struct Look: Sendable, CustomStringConvertible {
        /// The name of the property.
        let description: String
        let set: @Sendable (inout BarStyle) -> Void

        /// All properties of the style.
        static let all: [Look] = [
          Look(description: "barHeight") { $0.barHeight = 10 },
          Look(description: "fillHeight") { $0.fillHeight = 8 },
          Look(description: "cornerRadius") { $0.cornerRadius = 0 },
          Look(description: "dotSize") { $0.dotSize = 18 },
          Look(description: "gap") { $0.gap = 8 },
          Look(description: "defaultColor") { $0.defaultColor = BarColor(0xE0F2E9) },
          Look(description: "inProgressColor") { $0.inProgressColor = BarColor(0x177245) },
          Look(description: "dotColor") { $0.dotColor = BarColor(0x9A1B1B) },
          Look(description: "bufferedRanges") { $0.bufferedRanges = [0...80] },
          Look(description: "bufferedColor") {
            $0.bufferedRanges = [0...80]
            $0.bufferedColor = BarColor(0x444444)
          },
          Look(description: "marks") { $0.marks = [20, 70] },
          Look(description: "markWidth and markColor") {
            $0.marks = [70]
            $0.markWidth = 6
            $0.markColor = BarColor(0xFF0000)
          },
          Look(description: "icon and iconScale") {
            $0.icon = 1
            $0.iconScale = 0.5
          },
        ]
      }

      /// A window with a bar of 200 points in the middle, and a red picture as the icon 1.
      private func window() throws -> TestWindow {
        let window = try TestWindow(ProgressBar(range: 0...100), width: 220)
        var pixel: [UInt8] = [255, 0, 0, 255]
        let bytes = unsafe g_bytes_new(&pixel, 4)
        let red = unsafe gdk_memory_texture_new(1, 1, GDK_MEMORY_R8G8B8A8, bytes, 4)
        unsafe window.bar.setIcon(red, for: 1)
        unsafe g_object_unref(UnsafeMutableRawPointer(red))
        unsafe g_bytes_unref(bytes)
        window.bar.setValue(43.3)
        try window.settle()
        return window
      }

      @Test(arguments: Look.all)
      func `A property of the style is set alone, is visible, and moves nothing`(look: Look) throws
      {
        let window = try window()
        defer { window.close() }
        let before = try window.picture()
        window.bar.update { bar, now in bar.changeStyle(at: now, look.set) }
        try window.settle()
        #expect(try window.picture() != before, "nothing of it is seen")
        try checkPlace(window)
      }

      @Test(arguments: [1e300, 1e9, Double.infinity, .nan, -1e300])
      func `Absurd lengths of style and margins do not trap`(
        length: Double
      ) throws {
        try #require(Display.isReady)
        var model = ProgressBar(range: 0...100)
        var style = BarStyle()
        (style.barHeight, style.fillHeight, style.dotSize) = (length, length, length)
        (style.hoverDotSize, style.dragDotSize) = (length, length)
        model.setStyle(style, at: 0)
        model.layout.margins = BarLayout.Margins(extent: length)
        let bar = BarWidget(model)
        for orientation in [GTK_ORIENTATION_VERTICAL, GTK_ORIENTATION_HORIZONTAL] {
          var (least, natural): (Int32, Int32) = (-1, -1)
          unsafe gtk_widget_measure(bar.widget, orientation, -1, &least, &natural, nil, nil)
          #expect((24...16_600).contains(least) && natural >= least && natural <= 16_600)
        }
      }

      @Test(arguments: Look.all)
      func `A property of the style can be animated, and the position stays`(look: Look) throws {
        let window = try window()
        defer { window.close() }
        window.bar.update { bar, now in bar.changeStyle(over: .milliseconds(300), at: now, look.set)
        }
        #expect(window.bar.requestsFrames)
        while window.bar.requestsFrames {
          try window.frames(1)
          try checkPlace(window)
        }
        var style = BarStyle()
        look.set(&style)
        #expect(window.bar.bar.shownStyle(at: window.bar.now) == style)
      }

      /// Measures in pixels that the dot has its center, and the filled part its end, at the position of the value.
      private func checkPlace(_ window: TestWindow) throws {
        let picture = try window.picture()
        let (bar, now) = (window.bar.bar, window.bar.drawnTime ?? .zero)
        let place = window.bar.origin.x + bar.position(of: 43.3, at: now)
        let style = bar.shownStyle(at: now)
        // Above the track, where only the dot is.
        let top = Int(window.bar.origin.y + bar.layout.height / 2 - bar.dotSize(at: now) / 2 + 0.5)
        let dot = try #require(picture.extent(row: top))
        #expect(abs((dot.lowerBound + dot.upperBound) / 2 - place) < 0.5)
        let fill = try #require(window.bar.drawing.first { $0.part == .fill }?.rect)
        #expect(
          abs(window.bar.origin.x + fill.x + fill.width + style.gap - place) < 0.5,
          "the filled part ends beside the dot")
      }

      @Test func `The filled part ends at the value to a fraction of a pixel`() throws {
        let window = try window()
        defer { window.close() }
        window.bar.update { bar, now in
          bar.changeStyle(at: now) {
            $0.defaultColor = .clear
            $0.dotSize = 0
            $0.cornerRadius = 0
          }
        }
        for value in [43.3, 43.4, 43.55, 43.7] {
          window.bar.setValue(value)
          try window.settle()
          let row = Int(window.bar.origin.y + window.bar.bar.layout.height / 2)
          let extent = try #require(try window.picture().extent(row: row))
          #expect(abs(extent.upperBound - window.bar.origin.x - value * 2) < 0.02)
        }
      }

      @Test func `Custom shapes are drawn, and nothing else moves`() throws {
        let window = try window()
        defer { window.close() }
        let before = window.bar.drawing
        let green = BarColor(0x00AA00)
        window.bar.addShapes = { drawing, bar, now in
          let place = bar.position(of: 80, at: now)
          drawing.append(
            BarShape(
              .custom, number: 7, rect: BarRect(x: place - 5, y: 1, width: 10, height: 10),
              color: green))
        }
        try window.settle()
        #expect(Array(window.bar.drawing.dropLast()) == before)
        let (x, y) = (Int(window.bar.origin.x) + 160, Int(window.bar.origin.y) + 6)
        #expect(try window.picture().pixel(x, y, is: green))
        var drawn: [Int] = []
        unsafe window.bar.drawShape = { shape, _ in drawn.append(shape.number) }
        try window.settle()
        #expect(!drawn.isEmpty && drawn.allSatisfy { $0 == 7 })
        #expect(try !window.picture().pixel(x, y, is: green), "it is drawn by the closure alone")
      }
    }
  }
#endif
