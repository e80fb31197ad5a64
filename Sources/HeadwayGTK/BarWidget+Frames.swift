#if GTK
  internal import CGTK
  internal import HeadwayBar

  extension BarWidget {
    /// Whether the frame clock is asked for frames: only while something moves and the widget is mapped.
    public var isAskingForFrames: Bool { tick != 0 }

    /// Asks for frames where something moves and can be seen, and for none otherwise.
    func askForFrames(at now: Double) {
      let moves = bar.activity(at: now) != .still
      if moves, unsafe gtk_widget_get_mapped(widget) != 0 {
        guard tick == 0 else { return }
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        tick = unsafe gtk_widget_add_tick_callback(widget, frameCame, data, nil)
      } else if tick != 0 {
        unsafe gtk_widget_remove_tick_callback(widget, tick)
        tick = 0
      }
    }

    /// Goes on to a new frame.
    func frame() {
      let now = now
      bar.advance(to: now)
      unsafe gtk_widget_queue_draw(widget)
      askForFrames(at: now)
      announce(at: now)
      tell()
    }

    /// Begins to draw.
    func mapped() {
      followPrecision()
      update { _, _ in }
    }

    /// Ceases to draw, and to tell what nobody is shown; a drag that nobody can see is called off.
    func unmapped() {
      update { bar, now in
        bar.cancelDrag(at: now)
        bar.pointerLeft(at: now)
      }
      // A press that is being told of when the widget goes would stay in the gesture, and hold the widget for ever.
      if unsafe gtk_gesture_is_active(dragGesture) != 0 {
        unsafe gtk_event_controller_reset(dragGesture)
      }
      if tick != 0 { unsafe gtk_widget_remove_tick_callback(widget, tick) }
      if later != 0 { g_source_remove(later) }
      (tick, later) = (0, 0)
    }
  }

  /// Hands a frame on.
  private func frameCame(
    widget: UnsafeMutablePointer<GtkWidget>?, clock: OpaquePointer?, data: UnsafeMutableRawPointer?
  ) -> gboolean {
    unsafe withBar(data) { $0.frame() }
    // Removed where nothing moves any more.
    return 1
  }
#endif
