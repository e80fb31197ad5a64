#if GTK
  internal import CGTK
  internal import HeadwayBar

  extension BarWidget {
    /// Whether frames are requested: only while something moves and the widget is mapped.
    package var requestsFrames: Bool { tick != 0 }

    /// Requests frames while something moves and the widget is mapped.
    func requestFrames(at now: Duration) {
      let moves = bar.activity(at: now) != .still
      if moves, unsafe gtk_widget_get_mapped(widget) != 0 {
        guard tick == 0 else { return }
        let data = unsafe Unmanaged.passUnretained(self).toOpaque()
        tick = unsafe gtk_widget_add_tick_callback(widget, frameArrived, data, nil)
      } else if tick != 0 {
        unsafe gtk_widget_remove_tick_callback(widget, tick)
        tick = 0
      }
    }

    /// Advances to a new frame.
    func frame() {
      let now = now
      bar.advance(to: now)
      unsafe gtk_widget_queue_draw(widget)
      requestFrames(at: now)
      announce(at: now)
      dispatchEvents()
    }

    func mapped() {
      followPrecision()
      update { _, _ in }
    }

    /// Stops frames and announcements, and cancels a drag.
    func unmapped() {
      update { bar, now in
        bar.cancelDrag(at: now)
        bar.pointerLeft(at: now)
      }
      // A press that is being delivered would stay in the gesture and keep the widget alive.
      if unsafe gtk_gesture_is_active(dragGesture) != 0 {
        unsafe gtk_event_controller_reset(dragGesture)
      }
      if tick != 0 { unsafe gtk_widget_remove_tick_callback(widget, tick) }
      if postponed != 0 { g_source_remove(postponed) }
      (tick, postponed) = (0, 0)
    }
  }

  private func frameArrived(
    widget: UnsafeMutablePointer<GtkWidget>?, clock: OpaquePointer?, data: UnsafeMutableRawPointer?
  ) -> gboolean {
    unsafe withBar(data) { $0.frame() }
    // `requestFrames` removes the callback.
    return 1
  }
#endif
