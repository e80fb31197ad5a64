#if GTK
  internal import CGTK
  internal import HeadwayBar

  /// What the window, the theme and the settings of the desktop say.
  extension BarWidget {
    /// Follows the direction of text, unless the bar is vertical.
    func followDirection() {
      guard bar.layout.direction != .upwards else { return }
      let direction = unsafe gtk_widget_get_direction(widget)
      let new: BarLayout.Direction =
        direction == GTK_TEXT_DIR_RTL ? .rightToLeft : .leftToRight
      if bar.layout.direction != new { bar.layout.direction = new }
    }

    /// Makes room for fingers on a display that has nothing finer to point with.
    func followPrecision() {
      let seat = unsafe gdk_display_get_default_seat(gtk_widget_get_display(widget))
      guard let seat = unsafe seat else { return }
      let precision = Self.precision(of: unsafe gdk_seat_get_capabilities(seat))
      if precision == .coarse { bar.layout.precision = .coarse }
    }

    /// How exactly people can point on a seat: with fingers only where there is a touch screen and no mouse.
    static func precision(of seat: GdkSeatCapabilities) -> BarLayout.Precision {
      let hasTouch = seat.rawValue & GDK_SEAT_CAPABILITY_TOUCH.rawValue != 0
      let hasPointer = seat.rawValue & GDK_SEAT_CAPABILITY_POINTER.rawValue != 0
      return hasTouch && !hasPointer ? .coarse : .fine
    }

    /// Follows the wish for less motion; what the model says of it at first stays where the desktop has no wish.
    func followSettings() {
      guard let settings = unsafe gtk_settings_get_default() else { return }
      let changed:
        @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
          _, _, data in unsafe withBar(data) { $0.settingsChanged() }
        }
      settingsSignal = unsafe hw_connect(
        UnsafeMutableRawPointer(settings), "notify::gtk-enable-animations",
        unsafeBitCast(changed, to: GCallback.self), Unmanaged.passUnretained(self).toOpaque())
      if reducesMotion { settingsChanged() }
    }

    /// Whether the desktop turns animations off.
    private var reducesMotion: Bool {
      let settings = unsafe UnsafeMutableRawPointer(gtk_settings_get_default())
      return unsafe hw_get_truth(settings, "gtk-enable-animations") == 0
    }

    /// Reads the wish for less motion.
    private func settingsChanged() {
      let reduces = reducesMotion
      guard reduces != bar.reducesMotion else { return }
      update { bar, _ in bar.reducesMotion = reduces }
    }

    /// Follows whether the widget is dimmed and whether it has the focus of the keyboard.
    func stateChanged() {
      let flags = unsafe gtk_widget_get_state_flags(widget).rawValue
      let isDisabled = unsafe gtk_widget_is_sensitive(widget) == 0
      let hasFocus =
        flags & GTK_STATE_FLAG_FOCUS_VISIBLE.rawValue != 0
        && flags & GTK_STATE_FLAG_FOCUSED.rawValue != 0
      guard isDisabled != bar.isDisabled || hasFocus != self.hasFocus else { return }
      let now = now
      if isDisabled != bar.isDisabled { bar.isDisabled = isDisabled }
      if hasFocus != self.hasFocus { bar.setFocus(hasFocus, at: now) }
      self.hasFocus = hasFocus
      settle(at: now)
    }

    /// Looks for the theme of a display, which knows nothing of this widget: one that is disabled is pale.
    func addLooks() {
      let display = unsafe gtk_widget_get_display(widget)
      guard unsafe Self.displays.insert(display).inserted else { return }
      unsafe hw_add_css(display, "headwaybar:disabled { opacity: 0.5; }", 1)
    }

    /// The displays that have the looks.
    private static var displays: Set<OpaquePointer?> = unsafe []

    /// Dims the widget as the model says, or not; where what is around is dimmed the model is, too.
    func dim() {
      unsafe gtk_widget_set_sensitive(widget, bar.isDisabled ? 0 : 1)
      bar.isDisabled = unsafe gtk_widget_is_sensitive(widget) == 0
    }

    /// Takes the colours of the theme: its accent for fill and dot, its text for the rest.
    func takeThemeColors() {
      let text = textColor()
      let names = ["accent_bg_color", "accent_color", "theme_selected_bg_color"]
      let accent = names.lazy.compactMap { self.themeColor($0) }.first ?? text
      var style = bar.style
      style.defaultColor = text.faded(to: 0.2)
      style.bufferedColor = text.faded(to: 0.35)
      style.markColor = text.faded(to: 0.8)
      style.inProgressColor = accent
      style.dotColor = accent
      style.dragColor = accent.mixed(with: text, 0.25)
      guard style != bar.style else { return }
      update { $0.setStyle(style, at: $1) }
    }

    /// The colour of text in the theme.
    private func textColor() -> BarColor { BarColor(unsafe hw_text_color(widget)) }

    /// A named colour of the theme, nil where it has none.
    private func themeColor(_ name: String) -> BarColor? {
      var color = hw_color()
      return unsafe hw_theme_color(widget, name, &color) != 0 ? BarColor(color) : nil
    }
  }

  extension BarColor {
    /// Creates a colour from one of GTK.
    fileprivate init(_ color: hw_color) {
      let byte = { (part: Float) in UInt8((min(max(part, 0), 1) * 255).rounded()) }
      self.init(
        red: byte(color.red), green: byte(color.green), blue: byte(color.blue),
        opacity: byte(color.opacity))
    }

    /// The colour with a part of its opacity.
    fileprivate func faded(to part: Double) -> BarColor {
      BarColor(red: red, green: green, blue: blue, opacity: UInt8(Double(opacity) * part))
    }
  }
#endif
