#if GTK
  internal import CGTK
  internal import HeadwayBar

  /// Input, passed to the model.
  extension BarWidget {
    /// Adds the event controllers for pointer, wheel and keys.
    func addControllers() {
      addDrag()
      let fingers = unsafe add(gtk_event_controller_legacy_new())
      // In the capture phase, because the gesture takes a second finger for the end of the first.
      unsafe gtk_event_controller_set_propagation_phase(fingers, GTK_PHASE_CAPTURE)
      unsafe connect(
        fingers, "event",
        to: { (_: OpaquePointer?, event: OpaquePointer?, data: UnsafeMutableRawPointer?) in
          nonisolated(unsafe) let event = unsafe event
          unsafe withBar(data) { unsafe $0.sawEvent(event) }
          return 0
        } as @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> gboolean)

      let motion = unsafe add(gtk_event_controller_motion_new())
      let moved: @convention(c) (OpaquePointer?, Double, Double, UnsafeMutableRawPointer?) -> Void =
        {
          _, x, y, data in unsafe withBar(data) { $0.hovered(x: x, y: y) }
        }
      unsafe connect(motion, "enter", to: moved)
      unsafe connect(motion, "motion", to: moved)
      unsafe connect(
        motion, "leave",
        to: { (_: OpaquePointer?, data: UnsafeMutableRawPointer?) in
          unsafe withBar(data) { bar in bar.update { $0.pointerLeft(at: $1) } }
        } as @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void)

      let flags = GtkEventControllerScrollFlags(
        GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES.rawValue
          | GTK_EVENT_CONTROLLER_SCROLL_DISCRETE.rawValue)
      unsafe connect(
        add(gtk_event_controller_scroll_new(flags)), "scroll",
        to: { (_: OpaquePointer?, x: Double, y: Double, data: UnsafeMutableRawPointer?) in
          unsafe withBar(data) { $0.scrolled(right: x, down: y) } == true ? 1 : 0
        } as @convention(c) (OpaquePointer?, Double, Double, UnsafeMutableRawPointer?) -> gboolean)

      unsafe connect(
        add(gtk_event_controller_key_new()), "key-pressed",
        to: {
          (_: OpaquePointer?, key: guint, _: guint, state: guint, data: UnsafeMutableRawPointer?) in
          unsafe withBar(data) { $0.pressed(key: key, modifiers: state) } == true ? 1 : 0
        }
          as @convention(c) (OpaquePointer?, guint, guint, guint, UnsafeMutableRawPointer?) ->
          gboolean)
    }

    /// Adds the gesture for drags with the main button, a pen or a finger.
    ///
    /// GTK sends all events of a pointer to the widget on which it went down, even outside the window.
    private func addDrag() {
      let drag = unsafe add(gtk_gesture_drag_new())
      unsafe gtk_gesture_single_set_button(drag, guint(GDK_BUTTON_PRIMARY))
      unsafe gtk_gesture_single_set_exclusive(drag, 1)
      typealias Handler =
        @convention(c) (OpaquePointer?, Double, Double, UnsafeMutableRawPointer?) -> Void
      let began: Handler = { _, x, y, data in unsafe withBar(data) { $0.dragBegan(x: x, y: y) } }
      let moved: Handler = { _, x, y, data in unsafe withBar(data) { $0.dragMoved(by: (x, y)) } }
      let ended: Handler = { _, x, y, data in unsafe withBar(data) { $0.dragEnded(by: (x, y)) } }
      unsafe connect(drag, "drag-begin", to: began)
      unsafe connect(drag, "drag-update", to: moved)
      unsafe connect(drag, "drag-end", to: ended)
      unsafe connect(
        drag, "cancel",
        to: { (_: OpaquePointer?, _: OpaquePointer?, data: UnsafeMutableRawPointer?) in
          unsafe withBar(data) { bar in bar.update { _ = $0.cancelDrag(at: $1) } }
        } as @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void)
      unsafe dragGesture = drag
    }

    // MARK: Pointer

    private func dragBegan(x: Double, y: Double) {
      pressPoint = (x, y)
      guard wentDown(x: x, y: y, with: pointerKind()) else {
        return setDragState(GTK_EVENT_SEQUENCE_DENIED)
      }
      if unsafe gtk_widget_get_focus_on_click(widget) != 0 { unsafe gtk_widget_grab_focus(widget) }
      if bar.isDragging { setDragState(GTK_EVENT_SEQUENCE_CLAIMED) }
    }

    /// Passes a press at a point of the widget to the model.
    ///
    /// - Returns: Whether the bar handles it.
    func wentDown(x: Double, y: Double, with pointer: BarPointer) -> Bool {
      update { bar, now in
        // A finger is judged as a finger, even in a window that is laid out for a mouse.
        let precision = bar.layout.precision
        if pointer == .touch { bar.layout.precision = .coarse }
        defer { bar.layout.precision = precision }
        return bar.pointerDown(x: x - origin.x, y: y - origin.y, pointer: pointer, at: now)
      }
    }

    private func dragMoved(by offset: (x: Double, y: Double)) {
      let point = (x: pressPoint.x + offset.x - origin.x, y: pressPoint.y + offset.y - origin.y)
      let follows = update { $0.pointerMoved(x: point.x, y: point.y, at: $1) }
      // From here on, other widgets such as a scrolled window ignore the pointer.
      if follows { setDragState(GTK_EVENT_SEQUENCE_CLAIMED) }
    }

    private func dragEnded(by offset: (x: Double, y: Double)) {
      wentUp(x: pressPoint.x + offset.x, y: pressPoint.y + offset.y, with: pointerKind())
    }

    /// Passes the end of a press at a point of the widget to the model.
    func wentUp(x: Double, y: Double, with pointer: BarPointer) {
      update { bar, now in
        bar.pointerUp(x: x - origin.x, y: y - origin.y, at: now)
        // A lifted finger does not hover.
        if pointer == .touch { bar.pointerLeft(at: now) }
      }
    }

    private func hovered(x: Double, y: Double) {
      guard unsafe gtk_gesture_is_active(dragGesture) == 0 else { return }
      update { _ = $0.pointerMoved(x: x - origin.x, y: y - origin.y, at: $1) }
    }

    /// Detects a second finger, which cancels a drag.
    private func sawEvent(_ event: OpaquePointer?) {
      guard let event = unsafe event, unsafe gdk_event_get_event_type(event) == GDK_TOUCH_BEGIN,
        unsafe gtk_gesture_is_active(dragGesture) != 0,
        unsafe gdk_event_get_event_sequence(event)
          != gtk_gesture_single_get_current_sequence(dragGesture)
      else { return }
      secondFinger()
    }

    func secondFinger() {
      update { bar, now in
        _ = bar.pointerDown(x: 0, y: 0, pointer: .touch, isPrimary: false, at: now)
      }
    }

    /// The kind of pointer of the gesture.
    private func pointerKind() -> BarPointer {
      guard let device = unsafe gtk_event_controller_get_current_event_device(dragGesture) else {
        return .mouse
      }
      return switch unsafe gdk_device_get_source(device) {
      case GDK_SOURCE_TOUCHSCREEN: .touch
      case GDK_SOURCE_PEN: .pen
      default: .mouse
      }
    }

    /// Claims or denies the pointer of a drag.
    private func setDragState(_ state: GtkEventSequenceState) {
      unsafe gtk_gesture_set_state(dragGesture, state)
    }

    // MARK: Wheel and keys

    /// Handles the wheel: up and towards the end of the bar goes forward.
    private func scrolled(right: Double, down: Double) -> Bool {
      let along = bar.layout.direction == .rightToLeft ? -right : right
      return update { $0.scroll(steps: along - down, at: $1) }
    }

    /// Handles a key, unless it is pressed with a modifier.
    private func pressed(key: guint, modifiers: guint) -> Bool {
      let others = GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue
      guard modifiers & others == 0, let key = Self.key(of: Int32(bitPattern: key)) else {
        return false
      }
      return update { $0.press(key, at: $1) }
    }

    /// The key of a bar for a key symbol.
    private static func key(of symbol: Int32) -> BarKey? {
      switch symbol {
      case GDK_KEY_Left, GDK_KEY_KP_Left: .left
      case GDK_KEY_Right, GDK_KEY_KP_Right: .right
      case GDK_KEY_Up, GDK_KEY_KP_Up: .up
      case GDK_KEY_Down, GDK_KEY_KP_Down: .down
      case GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up: .pageUp
      case GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down: .pageDown
      case GDK_KEY_Home, GDK_KEY_KP_Home: .home
      case GDK_KEY_End, GDK_KEY_KP_End: .end
      case GDK_KEY_Escape: .escape
      case GDK_KEY_0...GDK_KEY_9: .digit(Int(symbol - GDK_KEY_0))
      case GDK_KEY_KP_0...GDK_KEY_KP_9: .digit(Int(symbol - GDK_KEY_KP_0))
      default: nil
      }
    }

    // MARK: Parts

    /// Adds a controller, which the widget then owns.
    private func add(_ controller: OpaquePointer?) -> OpaquePointer? {
      unsafe gtk_widget_add_controller(widget, controller)
      return unsafe controller
    }

    /// Connects a function to a signal of a controller; the widget frees its controllers before this object is freed.
    private func connect<Handler>(
      _ controller: OpaquePointer?, _ signal: String, to handler: Handler
    ) {
      let data = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe hw_connect(
        UnsafeMutableRawPointer(controller), signal, unsafeBitCast(handler, to: GCallback.self),
        data)
    }
  }
#endif
