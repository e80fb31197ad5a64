#if GTK
  internal import CGTK
  internal import HeadwayBar

  /// What a person does, handed on to the model.
  extension BarWidget {
    /// Adds what listens to pointer, wheel and keys.
    func addControllers() {
      addDrag()
      let fingers = unsafe add(gtk_event_controller_legacy_new())
      // Before the gesture sees it, which takes a second finger for the end of the first.
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

    /// Adds what recognizes drags with the main button, a pen or a finger.
    ///
    /// GTK sends all that a pointer does to the widget on which it went down, outside of the window too.
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

    /// Takes a press in.
    private func dragBegan(x: Double, y: Double) {
      pressPoint = (x, y)
      guard wentDown(x: x, y: y, with: pointerKind()) else {
        return setDragState(GTK_EVENT_SEQUENCE_DENIED)
      }
      if unsafe gtk_widget_get_focus_on_click(widget) != 0 { unsafe gtk_widget_grab_focus(widget) }
      if bar.isDragging { setDragState(GTK_EVENT_SEQUENCE_CLAIMED) }
    }

    /// Hands a press at a point of the widget on to the model.
    ///
    /// - Returns: Whether it belongs to the bar.
    func wentDown(x: Double, y: Double, with pointer: BarPointer) -> Bool {
      update { bar, now in
        // What counts as near is what the person points with, also in a window that is laid out for a mouse.
        let precision = bar.layout.precision
        if pointer == .touch { bar.layout.precision = .coarse }
        defer { bar.layout.precision = precision }
        return bar.pointerDown(x: x - origin.x, y: y - origin.y, pointer: pointer, at: now)
      }
    }

    /// Takes a move in, of a pointer that is down.
    private func dragMoved(by way: (x: Double, y: Double)) {
      let point = (x: pressPoint.x + way.x - origin.x, y: pressPoint.y + way.y - origin.y)
      let follows = update { $0.pointerMoved(x: point.x, y: point.y, at: $1) }
      // From here on what is around, such as a page that scrolls, gets nothing of it.
      if follows { setDragState(GTK_EVENT_SEQUENCE_CLAIMED) }
    }

    /// Takes the end of a press in.
    private func dragEnded(by way: (x: Double, y: Double)) {
      wentUp(x: pressPoint.x + way.x, y: pressPoint.y + way.y, with: pointerKind())
    }

    /// Hands the end of a press at a point of the widget on to the model.
    func wentUp(x: Double, y: Double, with pointer: BarPointer) {
      update { bar, now in
        bar.pointerUp(x: x - origin.x, y: y - origin.y, at: now)
        // A finger that was lifted hovers nowhere.
        if pointer == .touch { bar.pointerLeft(at: now) }
      }
    }

    /// Takes a move in, of a pointer that may only hover.
    private func hovered(x: Double, y: Double) {
      guard unsafe gtk_gesture_is_active(dragGesture) == 0 else { return }
      update { _ = $0.pointerMoved(x: x - origin.x, y: y - origin.y, at: $1) }
    }

    /// Looks for a second finger, which calls a drag off.
    private func sawEvent(_ event: OpaquePointer?) {
      guard let event = unsafe event, unsafe gdk_event_get_event_type(event) == GDK_TOUCH_BEGIN,
        unsafe gtk_gesture_is_active(dragGesture) != 0,
        unsafe gdk_event_get_event_sequence(event)
          != gtk_gesture_single_get_current_sequence(dragGesture)
      else { return }
      secondFinger()
    }

    /// Takes a second finger in.
    func secondFinger() {
      update { bar, now in
        _ = bar.pointerDown(x: 0, y: 0, pointer: .touch, isPrimary: false, at: now)
      }
    }

    /// What the drag is made with.
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

    /// Tells GTK whether a drag belongs to the bar.
    private func setDragState(_ state: GtkEventSequenceState) {
      unsafe gtk_gesture_set_state(dragGesture, state)
    }

    // MARK: Wheel and keys

    /// Takes a turn of the wheel in: up and towards the end of the bar is on.
    private func scrolled(right: Double, down: Double) -> Bool {
      let along = bar.layout.direction == .rightToLeft ? -right : right
      return update { $0.scroll(steps: along - down, at: $1) }
    }

    /// Takes a key in; one that is pressed with a modifier belongs to the window.
    private func pressed(key: guint, modifiers: guint) -> Bool {
      let others = GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue | GDK_SUPER_MASK.rawValue
      guard modifiers & others == 0, let key = Self.key(of: Int32(bitPattern: key)) else {
        return false
      }
      return update { $0.press(key, at: $1) }
    }

    /// What a key means to a bar, nil for nothing.
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

    /// Connects a function to a signal of a controller; the controllers go with the widget, before this object does.
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
