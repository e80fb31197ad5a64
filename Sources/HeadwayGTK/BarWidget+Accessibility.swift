#if GTK
  internal import CGTK
  public import HeadwayBar

  extension BarWidget {
    /// Formats a value as a percentage of the range: "46 percent".
    ///
    /// - Parameter announcement: The announcement with the value.
    /// - Returns: The text, or nil if the value is unknown.
    nonisolated public static func percent(_ announcement: BarAnnouncement) -> String? {
      guard let value = announcement.value else { return nil }
      let span = announcement.maximum - announcement.minimum
      var text: [UInt8] = []
      BarWords().append(
        percent: span > 0 ? (value - announcement.minimum) / span : 0, to: &text)
      return String(decoding: text, as: UTF8.self)
    }

    /// Formats a value in seconds as a time: "1 minute 5 seconds of 4 minutes", or "minus 12 seconds" before the end of a live
    /// stream.
    ///
    /// - Parameter announcement: The announcement with the value.
    /// - Returns: The text, or nil if the value is unknown.
    nonisolated public static func time(_ announcement: BarAnnouncement) -> String? {
      guard let value = announcement.value else { return nil }
      var text: [UInt8] = []
      BarWords().append(
        time: value, of: announcement.maximum, length: announcement.maximum - announcement.minimum,
        to: &text)
      return String(decoding: text, as: UTF8.self)
    }

    /// Updates the accessibility properties if the bar has an announcement, at most once a second during a glide.
    func announce(at now: Duration? = nil) {
      let now = now ?? self.now
      // The bar may have been announced by another surface.
      if announced == nil { bar.forgetAnnouncement() }
      if let announcement = bar.announcement(at: now) { set(announcement) }
      postpone(at: now)
    }

    /// Postpones the announcement of a value that came too soon after the last one, if no frame will follow.
    private func postpone(at now: Duration) {
      guard let next = bar.nextAnnouncement(after: now), tick == 0, postponed == 0, clock == nil
      else {
        return
      }
      // It is announced when the widget is mapped.
      guard unsafe gtk_widget_get_mapped(widget) != 0 else { return }
      let data = unsafe Unmanaged.passUnretained(self).toOpaque()
      let delay = min(max(next - now, .zero), .seconds(3_600)) / .milliseconds(1)
      postponed = unsafe g_timeout_add_full(
        G_PRIORITY_LOW, guint(delay) + 1,
        { data in
          unsafe withBar(data) { bar in
            bar.postponed = 0
            bar.announce()
          }
          return 0
        }, data, nil)
    }

    /// Updates the value text after `describe` has changed.
    func updateDescription() { if let announced { set(announced) } }

    /// Lets assistive technology change the value, which GTK passes on through the `GtkRange`.
    func followAssistiveTechnology() {
      let changed: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { _, data in
        unsafe withBar(data) { $0.rangeChanged() }
      }
      unsafe hw_connect(
        widget, "value-changed", unsafeBitCast(changed, to: GCallback.self),
        Unmanaged.passUnretained(self).toOpaque())
    }

    /// Chooses the value of the `GtkRange`, unless an announcement has set it.
    private func rangeChanged() {
      guard !isAnnouncing else { return }
      let value = unsafe hw_range_value(widget)
      _ = update { $0.choose(value, at: $1) }
      // The bar may have refused or rounded it.
      if let announced, announced.value != value { set(announced) }
    }

    func updateLabel() {
      guard let label else {
        return unsafe hw_accessible_reset(widget, GTK_ACCESSIBLE_PROPERTY_LABEL)
      }
      unsafe hw_accessible_set_text(widget, GTK_ACCESSIBLE_PROPERTY_LABEL, label)
    }

    /// Sets all accessibility properties.
    private func set(_ announcement: BarAnnouncement) {
      // GTK fixes the role when the widget is put into a window.
      if announcement.role != announced?.role, unsafe gtk_widget_get_root(widget) == nil {
        unsafe hw_set_role(
          widget,
          announcement.role == .slider
            ? GTK_ACCESSIBLE_ROLE_SLIDER : GTK_ACCESSIBLE_ROLE_PROGRESS_BAR)
      }
      announced = announcement
      isAnnouncing = true
      defer { isAnnouncing = false }
      unsafe hw_range_set(
        widget, announcement.value ?? announcement.minimum, announcement.minimum,
        announcement.maximum)
      unsafe hw_accessible_set_number(
        widget, GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, announcement.minimum)
      unsafe hw_accessible_set_number(
        widget, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, announcement.maximum)
      if let value = announcement.value {
        unsafe hw_accessible_set_number(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, value)
      } else {
        unsafe hw_accessible_reset(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW)
      }
      if let text = describe?(announcement) {
        unsafe hw_accessible_set_text(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text)
      } else {
        unsafe hw_accessible_reset(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT)
      }
      unsafe hw_accessible_set_orientation(
        widget, announcement.isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
      // A slider that has become read-only says so.
      unsafe hw_accessible_set_flag(
        widget, GTK_ACCESSIBLE_PROPERTY_READ_ONLY, announcement.role == .progressBar ? 1 : 0)
    }
  }
#endif
