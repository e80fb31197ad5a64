#if GTK
  internal import CGTK

  /// The GObject type of the widget and its virtual functions.
  ///
  /// GTK calls them on the main thread; each forwards to the ``BarWidget`` of the widget.
  enum BarWidgetClass {
    /// The registered type.
    static let type: GType = unsafe hw_bar_widget_register { pointer, _ in
      guard let pointer = unsafe pointer else { return }
      let all = unsafe pointer.assumingMemoryBound(to: GtkWidgetClass.self)
      unsafe gtk_widget_class_set_css_name(all, "headwaybar")
      unsafe all.pointee.snapshot = { widget, snapshot in
        nonisolated(unsafe) let snapshot = unsafe snapshot
        unsafe withBar(widget) { bar in
          if let snapshot = unsafe snapshot { unsafe bar.draw(on: snapshot) }
        }
      }
      unsafe all.pointee.measure = { widget, orientation, _, minimum, natural, top, bottom in
        let isHorizontal = orientation == GTK_ORIENTATION_HORIZONTAL
        let range = unsafe withBar(widget) { $0.sizeRequest.lengths(horizontal: isHorizontal) }
        unsafe minimum?.pointee = Int32(range?.minimum ?? 0)
        unsafe natural?.pointee = Int32(range?.natural ?? 0)
        unsafe top?.pointee = -1
        unsafe bottom?.pointee = -1
      }
      unsafe all.pointee.size_allocate = { widget, width, height, _ in
        unsafe withBar(widget) { $0.allocate(width: Int(width), height: Int(height)) }
      }
      unsafe all.pointee.contains = { widget, x, y in
        unsafe withBar(widget) { $0.contains(x: x, y: y) } == true ? 1 : 0
      }
      unsafe all.pointee.map = { widget in
        unsafe hw_widget_class().pointee.map(widget)
        unsafe withBar(widget) { $0.mapped() }
      }
      unsafe all.pointee.unmap = { widget in
        unsafe withBar(widget) { $0.unmapped() }
        unsafe hw_widget_class().pointee.unmap(widget)
      }
      unsafe all.pointee.direction_changed = { widget, previous in
        unsafe withBar(widget) { bar in bar.update { _, _ in } }
        unsafe hw_widget_class().pointee.direction_changed(widget, previous)
      }
      unsafe all.pointee.state_flags_changed = { widget, previous in
        unsafe hw_widget_class().pointee.state_flags_changed?(widget, previous)
        unsafe withBar(widget) { $0.stateChanged() }
      }
      unsafe all.pointee.css_changed = { widget, change in
        unsafe hw_widget_class().pointee.css_changed(widget, change)
        unsafe withBar(widget) { if $0.followsTheme { $0.applyThemeColors() } }
      }
    }
  }

  /// Calls a function with the object of a widget.
  ///
  /// - Returns: Its result, or nil before the object is attached and after it is freed.
  @discardableResult
  func withBar<Result: Sendable>(
    _ widget: UnsafeMutablePointer<GtkWidget>?, _ action: @MainActor (BarWidget) -> Result
  ) -> Result? {
    guard let widget = unsafe widget else { return nil }
    let own = unsafe UnsafeMutableRawPointer(widget).assumingMemoryBound(to: hw_bar_widget.self)
    return unsafe withBar(own.pointee.owner, action)
  }

  /// Calls a function with the object in a signal's user data; it outlives the connection.
  ///
  /// - Returns: Its result, or nil without data.
  @discardableResult
  func withBar<Result: Sendable>(
    _ data: UnsafeMutableRawPointer?, _ action: @MainActor (BarWidget) -> Result
  ) -> Result? {
    guard let data = unsafe data else { return nil }
    // The pointer is valid: every holder of it is disconnected before the object is freed.
    let bar = unsafe Unmanaged<BarWidget>.fromOpaque(data).takeUnretainedValue()
    return MainActor.assumeIsolated { action(bar) }
  }

  extension BarWidget {
    /// Connects the lifetimes of this object and its widget, so that each lives while the other is in use.
    ///
    /// A GObject toggle reference reports whether others hold the widget; while they do, this object retains itself.
    func attach() {
      let data = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe UnsafeMutableRawPointer(widget).assumingMemoryBound(to: hw_bar_widget.self)
        .pointee.owner = data
      unsafe g_object_ref_sink(widget)
      unsafe g_object_add_toggle_ref(object, holdersChanged, data)
      unsafe g_object_unref(widget)
    }

    /// Releases the widget, of which this object is the last holder.
    func detach() {
      unsafe g_signal_handler_disconnect(
        UnsafeMutableRawPointer(gtk_settings_get_default()), settingsSignal)
      if postponed != 0 { g_source_remove(postponed) }
      if tick != 0 { unsafe gtk_widget_remove_tick_callback(widget, tick) }
      unsafe UnsafeMutableRawPointer(widget).assumingMemoryBound(to: hw_bar_widget.self)
        .pointee.owner = nil
      unsafe g_object_remove_toggle_ref(
        object, holdersChanged, Unmanaged.passUnretained(self).toOpaque())
    }

    /// The widget as a `GObject`.
    var object: UnsafeMutablePointer<GObject> {
      unsafe UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
    }
  }

  /// Keeps the object of a widget alive as long as others hold the widget.
  private func holdersChanged(
    data: UnsafeMutableRawPointer?, object: UnsafeMutablePointer<GObject>?, isLast: gboolean
  ) {
    unsafe withBar(data) { $0.keptAlive = isLast == 0 ? $0 : nil }
  }
#endif
