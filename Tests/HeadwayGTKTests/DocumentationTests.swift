#if GTK
  import CGTK
  import DocumentedPages
  import Foundation
  import HeadwayBar
  import HeadwayGTK
  import Testing

  extension Windows {
    /// Runs every example of the guides, checks that none is missing here, and draws their pictures.
    @MainActor
    struct DocumentationTests {
      @Test(arguments: ["HeadwayGTK", "PuttingTheBarIntoAWindow"])
      func `Every example of a page is run here`(page: String) throws {
        let missing = try DocumentedPages(of: "HeadwayGTK")
          .examplesNotRun(of: page, in: "DocumentationTests")
        #expect(missing.isEmpty, "\(page): \(missing)")
      }

      private final class Player {
        var target: Double?

        func seek(to seconds: Double) { target = seconds }
      }

      @Test func `The example of the landing page`() throws {
        try #require(Display.isReady)
        let player = Player()
        let seek = BarWidget(ProgressBar(range: 0...240, unitsPerSecond: 1))
        seek.onCommit = { seconds in player.seek(to: seconds) }
        seek.report(12)  // the player's position
        #expect(seek.bar.reported == 12)
        seek.update { bar, now in _ = bar.press(.end, at: now) }
        #expect(player.target == 240)
      }

      @Test func `The examples of the guide`() throws {
        try #require(Display.isReady)
        let window = unsafe gtk_window_new()
        let parent = unsafe UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)
        let child = unsafe gtk_box_new(GTK_ORIENTATION_VERTICAL, 12)
        let box = unsafe UnsafeMutableRawPointer(child)?.assumingMemoryBound(to: GtkBox.self)
        unsafe gtk_window_set_child(parent, child)
        unsafe gtk_window_present(parent)
        var ended: Bool?
        let seek = BarWidget(ProgressBar(range: 0...240, unitsPerSecond: 1))
        seek.label = "Position"
        seek.describe = BarWidget.time  // "1 minute 5 seconds of 4 minutes"
        unsafe gtk_box_append(box, seek.widget)

        seek.report(12)
        seek.pause()  // stops where it was drawn last
        seek.resume()
        seek.animate(to: 60, over: .milliseconds(500)) { finished in ended = finished }
        #expect(ended == nil && seek.bar.reported == 60)

        seek.update { bar, now in
          bar.setPlaybackRate(2, at: now)
          bar.changeStyle(over: .milliseconds(200), at: now) { $0.barHeight = 8 }
        }
        #expect(seek.bar.playbackRate == 2 && seek.bar.style.barHeight == 8)

        seek.update { bar, _ in
          bar.layout.margins = BarLayout.Margins(top: 16, right: 0, bottom: 16, left: 0)
          bar.layout.precision = .coarse  // for fingers
        }
        var least: Int32 = 0
        unsafe gtk_widget_measure(
          seek.widget, GTK_ORIENTATION_VERTICAL, -1, &least, nil, nil, nil)
        #expect(least == 44)

        let theme = unsafe gtk_icon_theme_get_for_display(gdk_display_get_default())
        let found = unsafe gtk_icon_theme_lookup_icon(
          theme, "media-playback-start-symbolic", nil, 16, 1, GTK_TEXT_DIR_LTR,
          GtkIconLookupFlags(0))
        let picture = unsafe try #require(found)
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(picture)) }
        unsafe seek.setIcon(picture, for: 1)
        seek.update { bar, now in bar.changeStyle(at: now) { $0.icon = 1 } }
        #expect(seek.bar.style.icon == 1)

        seek.addShapes = { drawing, bar, now in
          let position = bar.position(of: 80, at: now)
          let flag = BarRect(x: position - 4, y: -6, width: 8, height: 8)
          drawing.append(
            BarShape(.custom, number: 1, rect: flag, radius: 4, color: BarColor(0xC2410C)))
        }
        seek.removeAnimation()
        #expect(ended == false, "it was interrupted")
        unsafe gtk_window_destroy(parent)
      }

      // MARK: Pictures

      /// Writes a picture if `HEADWAY_PICTURES=write` is in the environment, and checks the size of the existing one.
      ///
      /// Fonts and themes differ between machines, so the pixels are not compared.
      private func keep(_ picture: Picture32, as name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
          .deletingLastPathComponent()
        let file = root.appending(path: "Sources/HeadwayGTK/HeadwayGTK.docc/\(name).png").path
        if ProcessInfo.processInfo.environment["HEADWAY_PICTURES"] == "write" {
          let bytes = unsafe g_bytes_new(picture.bytes, gsize(picture.bytes.count))
          let texture = unsafe gdk_memory_texture_new(
            Int32(picture.width), Int32(picture.height), GDK_MEMORY_B8G8R8A8_PREMULTIPLIED, bytes,
            gsize(picture.width * 4))
          #expect(unsafe gdk_texture_save_to_png(texture, file) != 0)
          unsafe g_object_unref(UnsafeMutableRawPointer(texture))
          unsafe g_bytes_unref(bytes)
        }
        let kept = unsafe gdk_texture_new_from_filename(file, nil)
        let texture = unsafe try #require(kept, "run the tests once with HEADWAY_PICTURES=write")
        #expect(unsafe gdk_texture_get_width(texture) == Int32(picture.width))
        #expect(unsafe gdk_texture_get_height(texture) == Int32(picture.height))
        unsafe g_object_unref(UnsafeMutableRawPointer(texture))
      }

      /// A bar at 42 of 100 in a style.
      private func bar(_ style: (inout BarStyle) -> Void = { _ in }) -> BarWidget {
        let bar = BarWidget(ProgressBar(range: 0...100))
        bar.setValue(42)
        bar.update { $0.changeStyle(at: $1, style) }
        return bar
      }

      @Test func `The styles of the guide`() throws {
        try #require(Display.isReady)
        let hovered = bar { $0.dotSize = $0.hoverDotSize }
        let marked = bar {
          $0.bufferedRanges = [0...66]
          $0.marks = [20, 55, 80]
        }
        let thick = bar {
          ($0.barHeight, $0.fillHeight, $0.cornerRadius, $0.gap) = (10, 10, 5, 8)
          ($0.dotSize, $0.inProgressColor, $0.dotColor) = (
            4, BarColor(0x9333EA), BarColor(0x9333EA)
          )
        }
        let reading = bar {
          ($0.barHeight, $0.fillHeight, $0.cornerRadius) = (8, 8, 4)
          $0.inProgressColor = BarColor(0x1A7F37)
        }
        reading.update { bar, _ in bar.isReadOnly = true }
        let themed = bar()
        themed.followsTheme = true
        let bars = [bar(), hovered, marked, thick, reading, themed]
        let window = try TestWindow(bars[0], width: 480, above: Array(bars.dropFirst()))
        defer { window.close() }
        let height = bars.reduce(-4) { $0 + Int(unsafe gtk_widget_get_height($1.widget)) + 4 }
        try window.settle()
        try keep(window.screenshot(width: 480, height: height), as: "bars")
      }
    }
  }
#endif
