#if GTK
  import CGTK
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// Frames: promises 3, 12 and 19 of `WhatThisBarPromises`.
    @MainActor
    struct FrameTests {
      /// A window with a bar that glides at a hundred points a second.
      private func gliding() throws -> TestWindow {
        try #require(Display.isReady)
        let bar = BarWidget(ProgressBar(range: 0...10, unitsPerSecond: 1))
        let window = try TestWindow(bar, width: 1020)
        bar.report(1)
        try window.frames(10)
        return window
      }

      @Test func `After a pause during a glide, the next sixty frames are the same`() throws {
        let window = try gliding()
        defer { window.close() }
        let seen = window.bar.drawing
        #expect(window.bar.bar.speed(at: window.bar.now) > 0.9)
        window.bar.pause()
        var frames: [[BarShape]] = []
        try window.frames(1)
        let picture = try window.picture()
        let screen = try window.screenshot()
        try window.frames(60) { frames.append(window.bar.drawing) }
        #expect(frames.count == 60 && frames.allSatisfy { $0 == seen })
        #expect(try window.picture() == picture)
        #expect(try window.screenshot() == screen)
      }

      @Test func `The bar resumes from there, without a jump and at the same speed`() throws {
        let window = try gliding()
        defer { window.close() }
        let bar = window.bar
        bar.pause()
        try window.frames(20)
        let stood = bar.bar.shown(at: bar.now)
        let speed = 1.0
        let start = bar.now.seconds
        bar.resume()
        #expect(abs(bar.bar.shown(at: start) - stood) < 1e-6)
        try window.frames(3) {
          let time = bar.drawnTime?.seconds ?? 0
          let way = bar.bar.shown(at: time) - stood
          #expect(abs(way - speed * (time - start)) < 0.1 * (time - start) + 1e-4)
        }
      }

      @Test func `Frames are requested only while something moves and is mapped`() throws {
        let window = try gliding()
        defer { window.close() }
        let bar = window.bar
        #expect(bar.requestsFrames)
        bar.pause()
        #expect(!bar.requestsFrames)
        bar.resume()
        #expect(bar.requestsFrames)
        unsafe gtk_widget_set_visible(bar.widget, 0)
        #expect(!bar.requestsFrames)
        bar.report(bar.bar.shown(at: bar.now))
        #expect(!bar.requestsFrames, "a report asks for frames that nobody sees")
        unsafe gtk_widget_set_visible(bar.widget, 1)
        try window.wait("being shown") { unsafe gtk_widget_get_mapped(bar.widget) != 0 }
        #expect(bar.requestsFrames)
        bar.setValue(4)
        #expect(!bar.requestsFrames)
      }

      @Test func `A bar at rest draws no frames`() throws {
        let window = try gliding()
        defer { window.close() }
        let bar = window.bar
        bar.pause()
        try window.settle()
        let frames = bar.frames
        // Another widget's frames go by: the clock runs, and this bar does not draw.
        let other = unsafe gtk_widget_get_frame_clock(bar.widget)
        var ticks = 0
        let end = bar.now + .milliseconds(500)
        try window.wait("half a second") {
          unsafe gdk_frame_clock_request_phase(other, GDK_FRAME_CLOCK_PHASE_AFTER_PAINT)
          ticks += 1
          return bar.now > end
        }
        #expect(ticks > 0 && bar.frames == frames)
      }

      @Test func `Frames end when the source stalls`() throws {
        let window = try gliding()
        defer { window.close() }
        // Three periods of a quarter of a second without a report, and one to stop in.
        try window.wait("the end of the glide") { !window.bar.requestsFrames }
        #expect(window.bar.bar.speed(at: window.bar.now) == 0)
        #expect(abs(window.bar.bar.shown(at: window.bar.now) - 1.875) < 0.02)
      }

      @Test func `The bar moves evenly from frame to frame`() throws {
        let window = try gliding()
        defer { window.close() }
        let bar = window.bar
        var places: [(time: Double, place: Double)] = []
        var next = bar.now + .milliseconds(250)
        try window.frames(60) {
          let dot = bar.drawing.last { $0.part == .dot }?.rect
          places.append((bar.drawnTime?.seconds ?? 0, (dot?.x ?? 0) + (dot?.width ?? 0) / 2))
          if bar.now > next {
            bar.report(bar.bar.shown(at: bar.now))
            next += .milliseconds(250)
          }
        }
        for (before, after) in zip(places, places.dropFirst()) where after.time > before.time {
          let speed = (after.place - before.place) / (after.time - before.time)
          #expect(speed > 90 && speed < 110, "\(speed) points a second")
        }
      }

      @Test func `A completion is called once`() throws {
        let window = try gliding()
        defer { window.close() }
        var ends: [Bool] = []
        window.bar.animate(to: 8, over: .seconds(5)) { ends.append($0) }
        try window.settle()
        window.bar.animate(to: 5, over: .milliseconds(200)) { ends.append($0) }
        #expect(ends == [false], "the second interrupts the first")
        try window.wait("the end") { ends.count == 2 }
        #expect(ends == [false, true])
        #expect(window.bar.bar.shown(at: window.bar.now) == 5)
        #expect(window.bar.completions.isEmpty)
      }

      // MARK: Surroundings

      /// Calls a function with a setting of the desktop, and restores it.
      private func with(_ setting: String, _ value: Bool, _ body: () throws -> Void) throws {
        let settings = unsafe UnsafeMutableRawPointer(gtk_settings_get_default())
        let before = unsafe hw_get_flag(settings, setting)
        unsafe hw_set_flag(settings, setting, value ? 1 : 0)
        defer { unsafe hw_set_flag(settings, setting, before) }
        try body()
      }

      @Test func `With reduced motion a value is shown as it is reported`() throws {
        let window = try gliding()
        defer { window.close() }
        try with("gtk-enable-animations", false) {
          window.bar.report(3)
          #expect(window.bar.bar.reducesMotion && !window.bar.requestsFrames)
          try window.frames(20) { #expect(window.bar.bar.shown(at: window.bar.now) == 3) }
        }
        #expect(!window.bar.bar.reducesMotion)
      }

      @Test func `A bar with reduced motion keeps it on a desktop with animations`() throws {
        try #require(Display.isReady)
        var model = ProgressBar(range: 0...10, unitsPerSecond: 1)
        model.reducesMotion = true
        let bar = BarWidget(model)
        #expect(bar.bar.reducesMotion)
        try with("gtk-enable-animations", false) { #expect(bar.bar.reducesMotion) }
        #expect(!bar.bar.reducesMotion, "the desktop has changed its mind")
      }

      @Test func `With reduced motion the indeterminate block is slower and not frozen`() throws {
        let window = try gliding()
        defer { window.close() }
        let places = {
          var places: [Double] = []
          try window.frames(8) {
            places.append(window.bar.drawing.first { $0.part == .fill }?.rect.x ?? .nan)
          }
          return places.dropFirst()
        }
        window.bar.update { bar, _ in bar.isIndeterminate = true }
        let way = { (places: ArraySlice<Double>) in
          zip(places, places.dropFirst()).map { abs($1 - $0) }.reduce(0, +)
        }
        let usual = way(try places())
        try with("gtk-enable-animations", false) {
          try window.frames(1)
          let calm = way(try places())
          #expect(calm > 0 && calm < usual / 2, "\(calm) of \(usual) points")
        }
      }

      /// Expects that the filled part of a bar, which begins at the left, stands out from the track and from the window.
      private func expectContrast(in picture: Picture32) throws {
        let color = { (x: Int, y: Int) in
          let pixel = picture.pixel(x, y)
          return BarColor(red: UInt8(pixel[2]), green: UInt8(pixel[1]), blue: UInt8(pixel[0]))
        }
        let middle = picture.height / 2
        let (fill, track) = (color(40, middle), color(picture.width - 40, middle))
        #expect(fill.contrast(with: track) >= 3, "\(fill) on \(track)")
        #expect(fill.contrast(with: color(40, 1)) >= 3, "\(fill) on the window")
      }

      @Test func `The colors of the theme are followed`() throws {
        let window = try gliding()
        defer { window.close() }
        let bar = window.bar
        let usual = bar.bar.style
        bar.pause()
        bar.followsTheme = true
        try window.settle()
        let light = bar.bar.style
        #expect(light.inProgressColor != usual.inProgressColor)
        let track = try window.picture()
        try expectContrast(in: window.screenshot())
        try with("gtk-application-prefer-dark-theme", true) {
          try window.wait("the dark theme") { bar.bar.style.defaultColor != light.defaultColor }
          try window.settle()
          let dark = bar.bar.style.defaultColor
          #expect(dark.red > light.defaultColor.red, "a track that is seen in the dark")
          #expect(try window.picture() != track)
          try expectContrast(in: window.screenshot())
        }
        try window.wait("the light theme") { bar.bar.style == light }
      }

      @Test func `The widget and its object have the same lifetime`() throws {
        try #require(Display.isReady)
        weak var weakBar: BarWidget?
        var widget: UnsafeMutablePointer<GtkWidget>?
        do {
          let bar = BarWidget()
          weakBar = bar
          unsafe widget = bar.widget
          unsafe g_object_ref(UnsafeMutableRawPointer(widget))
        }
        #expect(weakBar != nil, "somebody holds the widget, and the object is gone")
        unsafe g_object_unref(UnsafeMutableRawPointer(widget))
        #expect(weakBar == nil)
      }
    }
  }
#endif
