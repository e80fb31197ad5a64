#if GTK
  import CGTK
  import Foundation
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  /// The tests that need a display, serialized because there is one pointer and one keyboard.
  @Suite(.serialized, .enabled("without a display: run Scripts/test-gtk") { Display.isPresent })
  @MainActor
  struct Windows {}

  extension Duration {
    /// The duration in seconds.
    var seconds: Double { self / .seconds(1) }
  }

  extension Display {
    /// Initializes GTK, once.
    static let isReady: Bool = gtk_init_check() != 0
  }

  /// A real window with a bar in it, at the upper left corner of the display.
  @safe @MainActor
  final class TestWindow {
    /// The bar.
    let bar: BarWidget
    /// The window.
    let widget: UnsafeMutablePointer<GtkWidget>
    /// The timeout for an event, in seconds.
    private static let timeout = 60.0

    /// Opens a window of a size and waits until it is drawn.
    ///
    /// - Parameters:
    ///   - bar: The bar.
    ///   - width: The width of the bar's widget, or nil for its natural width.
    ///   - height: Its height, or nil for its natural height.
    ///   - others: Bars of the same size below it.
    /// - Throws: An error if there is no display, no window, or no frame within a minute.
    init(
      _ bar: BarWidget, width: Int? = nil, height: Int? = nil,
      above others: [BarWidget] = []
    ) throws {
      try #require(Display.isReady, "no display: run Scripts/test-gtk")
      self.bar = bar
      unsafe widget = try #require(gtk_window_new())
      unsafe gtk_window_set_decorated(handle, 0)
      let column = unsafe gtk_box_new(GTK_ORIENTATION_VERTICAL, 4)
      for bar in [bar] + others {
        unsafe gtk_widget_set_size_request(bar.widget, Int32(width ?? -1), Int32(height ?? -1))
        unsafe gtk_box_append(
          UnsafeMutableRawPointer(column)?.assumingMemoryBound(to: GtkBox.self), bar.widget)
      }
      unsafe gtk_widget_set_halign(bar.widget, GTK_ALIGN_START)
      unsafe gtk_widget_set_valign(bar.widget, GTK_ALIGN_START)
      unsafe gtk_window_set_default_size(handle, Int32(width ?? 300), Int32(height ?? 60))
      unsafe gtk_window_set_child(handle, column)
      unsafe gtk_window_present(handle)
      try wait("the first frame") { bar.drawnTime != nil && bar.size.width > 0 }
      // The pointer may rest where an earlier test has left it.
      try Display.run("xdotool", "mousemove", "1270", "710")
    }

    /// Opens a window with the bar of a model, 420 points wide unless a size is given.
    ///
    /// - Throws: An error if there is no display, no window, or no frame within a minute.
    convenience init(_ model: ProgressBar, width: Int? = 420, height: Int? = nil) throws {
      // A widget can be created only when GTK is initialized.
      try #require(Display.isReady, "no display: run Scripts/test-gtk")
      try self.init(BarWidget(model), width: width, height: height)
    }

    /// The window as a `GtkWindow`.
    private var handle: UnsafeMutablePointer<GtkWindow> {
      unsafe UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GtkWindow.self)
    }

    /// Closes the window.
    func close() {
      unsafe gtk_window_destroy(handle)
      while g_main_context_pending(nil) != 0 { g_main_context_iteration(nil, 0) }
    }

    // MARK: Time

    /// Handles events until a condition holds.
    func wait(_ what: String, until condition: () -> Bool) throws {
      guard !condition() else { return }
      let end = ContinuousClock.now + .seconds(Self.timeout)
      // Wakes what waits for events where none come.
      let alarm = unsafe g_timeout_source_new_seconds(guint(Self.timeout) + 1)
      unsafe g_source_set_callback(alarm, { _ in 1 }, nil, nil)
      unsafe g_source_attach(alarm, nil)
      defer {
        unsafe g_source_destroy(alarm)
        unsafe g_source_unref(alarm)
      }
      while !condition() {
        try #require(ContinuousClock.now < end, "\(what) did not come in \(Self.timeout) s")
        g_main_context_iteration(nil, 1)
      }
    }

    /// Handles events for a number of frames.
    ///
    /// - Parameters:
    ///   - count: The number of frames.
    ///   - look: Called after each frame.
    /// - Throws: An error if a frame does not come within a minute.
    func frames(_ count: Int, look: () -> Void = {}) throws {
      for _ in 0..<count {
        unsafe gtk_widget_queue_draw(bar.widget)
        let before = bar.frames
        try wait("a frame") { bar.frames > before }
        look()
      }
    }

    /// Handles events for three frames, so that earlier events have arrived.
    func settle() throws { try frames(3) }

    // MARK: Pictures

    /// The bar, drawn by the renderer of the window.
    func picture() throws -> Picture32 {
      let snapshot = unsafe gtk_snapshot_new()
      let width = unsafe gtk_widget_get_width(bar.widget)
      let height = unsafe gtk_widget_get_height(bar.widget)
      unsafe gtk_widget_snapshot_child(gtk_widget_get_parent(bar.widget), bar.widget, snapshot)
      let node = unsafe try #require(gtk_snapshot_free_to_node(snapshot))
      let renderer = unsafe gtk_native_get_renderer(gtk_widget_get_native(widget))
      var view = graphene_rect_t(
        origin: graphene_point_t(x: 0, y: 0),
        size: graphene_size_t(width: Float(width), height: Float(height)))
      let texture = unsafe gsk_renderer_render_texture(renderer, node, &view)
      defer {
        unsafe g_object_unref(UnsafeMutableRawPointer(texture))
        unsafe gsk_render_node_unref(node)
      }
      var bytes = [UInt8](repeating: 0, count: Int(width * height) * 4)
      unsafe gdk_texture_download(texture, &bytes, gsize(width * 4))
      return Picture32(width: Int(width), height: Int(height), bytes: bytes)
    }

    /// The upper left part of the display.
    ///
    /// - Parameters:
    ///   - width: The width, or nil for that of the bar.
    ///   - height: The height, or nil for that of the bar.
    /// - Throws: An error if there is no display.
    /// - Returns: A picture of the display.
    func screenshot(width: Int? = nil, height: Int? = nil) throws -> Picture32 {
      let file = try Display.run("xwd", "-root", "-silent")
      return try Picture32(
        windowDump: file, rows: 0..<(height ?? bar.size.height), width: width ?? bar.size.width)
    }

    // MARK: People

    /// Moves the pointer to a point of the bar's layout.
    func move(x: Double, y: Double) throws {
      let point = (Int(bar.origin.x + x), Int(bar.origin.y + y))
      try Display.run("xdotool", "mousemove", "\(point.0)", "\(point.1)")
      try settle()
    }

    /// Presses a button of the mouse, 1 for the left one.
    func press(_ button: Int = 1) throws {
      try Display.run("xdotool", "mousedown", "\(button)")
      try settle()
    }

    /// Releases a button of the mouse.
    func release(_ button: Int = 1) throws {
      try Display.run("xdotool", "mouseup", "\(button)")
      try settle()
    }

    /// Gives the window the keyboard, since there is no window manager, and the bar the focus.
    func focus() throws {
      let name = "headway-test-\(UInt32.random(in: 0 ... .max))"
      unsafe gtk_window_set_title(handle, name)
      try settle()
      let found = try Display.run("xdotool", "search", "--name", name)
      let number = String(decoding: found, as: UTF8.self).split(separator: "\n").first.map(
        String.init)
      try Display.run("xdotool", "windowfocus", try #require(number))
      unsafe gtk_widget_grab_focus(bar.widget)
      try wait("the keyboard") { unsafe gtk_window_is_active(handle) != 0 }
      // To type a digit of the number block, xdotool turns the lock of that on and leaves it so.
      let keyboard = unsafe gdk_seat_get_keyboard(
        gdk_display_get_default_seat(gtk_widget_get_display(widget)))
      if unsafe gdk_device_get_num_lock_state(keyboard) != 0 {
        try Display.run("xdotool", "key", "Num_Lock")
        try wait("the lock") { unsafe gdk_device_get_num_lock_state(keyboard) == 0 }
      }
      try settle()
    }

    /// Presses and releases a key.
    func key(_ name: String) throws {
      try Display.run("xdotool", "key", name)
      try settle()
    }
  }
#endif
