#if GTK
  internal import CGTK
  public import HeadwayBar

  extension BarWidget {
    /// Puts a value in words as a part of the whole: "46 percent".
    ///
    /// - Parameter announcement: What is told.
    /// - Returns: The words, nil where nobody knows the value.
    nonisolated public static func percent(_ announcement: BarAnnouncement) -> String? {
      guard let value = announcement.value else { return nil }
      let span = announcement.maximum - announcement.minimum
      var text: [UInt8] = []
      BarWords().append(
        percent: span > 0 ? (value - announcement.minimum) / span : 0, to: &text)
      return String(decoding: text, as: UTF8.self)
    }

    /// Puts a value in words as a time in seconds: "1 minute 5 seconds of 4 minutes".
    ///
    /// - Parameter announcement: What is told.
    /// - Returns: The words, nil where nobody knows the value.
    nonisolated public static func time(_ announcement: BarAnnouncement) -> String? {
      guard let value = announcement.value else { return nil }
      var text: [UInt8] = []
      BarWords().append(time: value, of: announcement.maximum, to: &text)
      return String(decoding: text, as: UTF8.self)
    }

    /// Tells assistive technology what the model says that it is to be told now, at most once a second while it glides.
    func announce(at now: Double? = nil) {
      let now = now ?? self.now
      // What another surface has told of the model is news here.
      if told == nil { bar.forgetAnnouncement() }
      if let announcement = bar.announcement(at: now) { tell(announcement) }
      tellLater(at: now)
    }

    /// Sees to it that the last value is told where it came too soon after the one before, and no frame will come.
    ///
    /// It is once that something waits here, and then for a voice and not for a picture.
    private func tellLater(at now: Double) {
      guard let next = bar.nextAnnouncement(after: now), tick == 0, later == 0, clock == nil else {
        return
      }
      // Nobody is shown it; it is told when it is mapped.
      guard unsafe gtk_widget_get_mapped(widget) != 0 else { return }
      let data = unsafe Unmanaged.passUnretained(self).toOpaque()
      later = unsafe g_timeout_add_full(
        G_PRIORITY_LOW, guint(min(max(next - now, 0), 3_600) * 1000) + 1,
        { data in
          unsafe withBar(data) { bar in
            bar.later = 0
            bar.announce()
          }
          return 0
        }, data, nil)
    }

    /// Tells the words again, in the way in which they are put now.
    func tellAgain() { if let told { tell(told) } }

    /// Tells the name.
    func tellLabel() {
      guard let label else {
        return unsafe hw_tell_nothing(widget, GTK_ACCESSIBLE_PROPERTY_LABEL)
      }
      unsafe hw_tell_text(widget, GTK_ACCESSIBLE_PROPERTY_LABEL, label)
    }

    /// Tells all of an announcement.
    private func tell(_ announcement: BarAnnouncement) {
      // GTK fixes the role when the widget is put into a window.
      if announcement.role != told?.role, unsafe gtk_widget_get_root(widget) == nil {
        unsafe hw_set_role(
          widget,
          announcement.role == .slider
            ? GTK_ACCESSIBLE_ROLE_SLIDER : GTK_ACCESSIBLE_ROLE_PROGRESS_BAR)
      }
      told = announcement
      unsafe hw_tell_number(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_MIN, announcement.minimum)
      unsafe hw_tell_number(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX, announcement.maximum)
      if let value = announcement.value {
        unsafe hw_tell_number(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, value)
      } else {
        unsafe hw_tell_nothing(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW)
      }
      if let words = describe?(announcement) {
        unsafe hw_tell_text(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, words)
      } else {
        unsafe hw_tell_nothing(widget, GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT)
      }
      unsafe hw_tell_orientation(
        widget, announcement.isVertical ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL)
      // From then on a slider that cannot be moved says so.
      unsafe hw_tell_truth(
        widget, GTK_ACCESSIBLE_PROPERTY_READ_ONLY, announcement.role == .progressBar ? 1 : 0)
    }
  }
#endif
