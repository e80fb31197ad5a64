#if GTK
  import CGTK
  import Foundation
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// What a screen reader finds: these tests read and change the bar from another process, on a real accessibility bus.
    @MainActor
    struct AssistiveTechnologyTests {
      /// The object of a role in this program, after setting its value if one is given.
      private func object(_ role: String, setting value: Double? = nil) throws -> AccessibleObject {
        try AccessibleObject(
          role, of: ProcessInfo.processInfo.processIdentifier, setting: value,
          while: {
            while g_main_context_pending(nil) != 0 { g_main_context_iteration(nil, 0) }
            usleep(1_000)
          })
      }

      @Test func `A slider has a value, which assistive technology can set`() throws {
        var model = ProgressBar(range: 10...240, unitsPerSecond: 1)
        model.setValue(65, at: .zero)
        let window = try TestWindow(model)
        defer { window.close() }
        window.bar.label = "Position"
        window.bar.describe = BarWidget.time
        var chosen: [Double] = []
        window.bar.onCommit = { chosen.append($0) }

        let slider = try object("slider")
        #expect(slider.name == "Position" && slider.interfaces.contains("Value"))
        #expect(slider.value == 65 && slider.minimum == 10 && slider.maximum == 240)
        // GTK passes on the text from 4.10 on.
        if gtk_get_minor_version() >= 10 {
          #expect(slider.text == "1 minute 5 seconds of 4 minutes")
        }

        #expect(try object("slider", setting: 120).value == 120)
        #expect(chosen == [120] && window.bar.bar.shown(at: window.bar.now) == 120)
        #expect(try object("slider", setting: 1_000).value == 240, "the end of the range")
        window.bar.setValue(70)
        try window.wait("the announcement") { window.bar.announced?.value == 70 }
        #expect(try object("slider").value == 70)
        #expect(chosen == [120, 240], "the program has set the last value")
      }

      @Test func `A progress bar has a value that cannot be set`() throws {
        var model = ProgressBar(range: 0...8)
        model.isReadOnly = true
        let window = try TestWindow(model)
        defer { window.close() }
        window.bar.onCommit = { Issue.record("\($0) was chosen on a read-only bar") }
        window.bar.setValue(4)
        try window.wait("the announcement") { window.bar.announced?.value == 4 }
        #expect(try object("progress bar").value == 4)
        #expect(try object("progress bar", setting: 6).value == 4)
        #expect(window.bar.bar.shown(at: window.bar.now) == 4)
      }

      @Test func `It has the same interfaces as a scale of GTK`() throws {
        let window = try TestWindow(ProgressBar(range: 0...1))
        let own = try object("slider").interfaces
        window.close()
        let other = unsafe gtk_window_new()
        let handle = unsafe UnsafeMutableRawPointer(other)?.assumingMemoryBound(to: GtkWindow.self)
        defer { unsafe gtk_window_destroy(handle) }
        unsafe gtk_window_set_child(
          handle, gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, 1, 0.1))
        unsafe gtk_window_present(handle)
        #expect(try object("slider").interfaces.sorted() == own.sorted())
      }
    }
  }
#endif
