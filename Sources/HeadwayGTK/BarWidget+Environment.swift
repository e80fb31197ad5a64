#if GTK
  internal import CGTK
  internal import HeadwayBar

  /// Text direction, precision, settings of the desktop, and the theme.
  extension BarWidget {
    /// Follows the text direction, unless the bar is vertical.
    func followDirection() {
      guard bar.layout.direction != .upwards else { return }
      let direction = unsafe gtk_widget_get_direction(widget)
      let new: BarLayout.Direction =
        direction == GTK_TEXT_DIR_RTL ? .rightToLeft : .leftToRight
      if bar.layout.direction != new { bar.layout.direction = new }
    }

    /// Enlarges the hit area on a display that has only a touch screen.
    func followPrecision() {
      let seat = unsafe gdk_display_get_default_seat(gtk_widget_get_display(widget))
      guard let seat = unsafe seat else { return }
      let precision = Self.precision(of: unsafe gdk_seat_get_capabilities(seat))
      if precision == .coarse { bar.layout.precision = .coarse }
    }

    /// The precision of a seat: coarse if it has a touch screen and no mouse.
    static func precision(of seat: GdkSeatCapabilities) -> BarLayout.Precision {
      let hasTouch = seat.rawValue & GDK_SEAT_CAPABILITY_TOUCH.rawValue != 0
      let hasPointer = seat.rawValue & GDK_SEAT_CAPABILITY_POINTER.rawValue != 0
      return hasTouch && !hasPointer ? .coarse : .fine
    }

    /// Follows the setting for reduced motion; if the desktop allows animations, the bar's own choice stays.
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

    /// Whether the desktop disables animations.
    private var reducesMotion: Bool {
      let settings = unsafe UnsafeMutableRawPointer(gtk_settings_get_default())
      return unsafe hw_get_flag(settings, "gtk-enable-animations") == 0
    }

    private func settingsChanged() {
      let reduces = reducesMotion
      guard reduces != bar.reducesMotion else { return }
      update { bar, _ in bar.reducesMotion = reduces }
    }

    /// Follows whether the widget is sensitive and has the keyboard focus.
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
      changed(at: now)
    }

    /// Adds a style sheet for a disabled bar to the display, since themes do not know this widget.
    func addStyleSheet() {
      let display = unsafe gtk_widget_get_display(widget)
      guard unsafe Self.displays.insert(display).inserted else { return }
      unsafe hw_add_css(display, "headwaybar:disabled { opacity: 0.5; }", 1)
    }

    /// The displays that have the style sheet.
    private static var displays: Set<OpaquePointer?> = unsafe []

    /// Makes the widget insensitive if the bar is disabled, and disables the bar if a parent is insensitive.
    func updateSensitivity() {
      unsafe gtk_widget_set_sensitive(widget, bar.isDisabled ? 0 : 1)
      bar.isDisabled = unsafe gtk_widget_is_sensitive(widget) == 0
    }

    /// Applies the colors of the theme: the accent for fill and dot, the text color for the rest.
    ///
    /// The accent of a dark theme may be as dark as the track, and is then made lighter.
    func applyThemeColors() {
      let text = textColor()
      let ground = themeColor("window_bg_color", "theme_bg_color") ?? BarColor(0xFFFFFF)
      let ink = text.drawn(on: ground)
      let track = text.faded(to: 0.2)
      let accent = (themeColor("accent_bg_color", "accent_color", "theme_selected_bg_color") ?? ink)
        .standingOut(from: [track.drawn(on: ground), ground], towards: ink)
      var style = bar.style
      style.defaultColor = track
      style.bufferedColor = text.faded(to: 0.35)
      style.markColor = text.faded(to: 0.8)
      style.inProgressColor = accent
      style.dotColor = accent
      style.dragColor = accent.interpolated(to: text, 0.25)
      guard style != bar.style else { return }
      update { $0.setStyle(style, at: $1) }
    }

    private func textColor() -> BarColor { BarColor(unsafe hw_text_color(widget)) }

    /// The first of some named colors that the theme has.
    private func themeColor(_ names: String...) -> BarColor? {
      var color = hw_color()
      for name in names where unsafe hw_theme_color(widget, name, &color) != 0 {
        return BarColor(color)
      }
      return nil
    }
  }

  extension BarColor {
    fileprivate init(_ color: hw_color) {
      let byte = { (component: Float) in UInt8((min(max(component, 0), 1) * 255).rounded()) }
      self.init(
        red: byte(color.red), green: byte(color.green), blue: byte(color.blue),
        opacity: byte(color.opacity))
    }

    /// The color with a fraction of its opacity.
    fileprivate func faded(to fraction: Double) -> BarColor {
      BarColor(red: red, green: green, blue: blue, opacity: UInt8(Double(opacity) * fraction))
    }
  }
#endif
