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

    /// Follows the wish for less motion.
    func followSettings() {
      guard let settings = unsafe gtk_settings_get_default() else { return }
      let changed:
        @convention(c) (OpaquePointer?, OpaquePointer?, UnsafeMutableRawPointer?) -> Void = {
          _, _, data in unsafe withBar(data) { $0.settingsChanged() }
        }
      settingsSignal = unsafe hw_connect(
        UnsafeMutableRawPointer(settings), "notify::gtk-enable-animations",
        unsafeBitCast(changed, to: GCallback.self), Unmanaged.passUnretained(self).toOpaque())
      settingsChanged()
    }

    /// Reads the wish for less motion.
    private func settingsChanged() {
      let settings = unsafe UnsafeMutableRawPointer(gtk_settings_get_default())
      let reduces = unsafe hw_get_truth(settings, "gtk-enable-animations") == 0
      guard reduces != bar.reducesMotion else { return }
      update { bar, _ in bar.reducesMotion = reduces }
    }

    /// Follows whether the widget is dimmed and whether it has the focus of the keyboard.
    func stateChanged() {
      let flags = unsafe gtk_widget_get_state_flags(widget).rawValue
      let isDisabled = flags & GTK_STATE_FLAG_INSENSITIVE.rawValue != 0
      let hasFocus =
        flags & GTK_STATE_FLAG_FOCUS_VISIBLE.rawValue != 0
        && flags & GTK_STATE_FLAG_FOCUSED.rawValue != 0
      guard isDisabled != bar.isDisabled || hasFocus != self.hasFocus else { return }
      update { bar, now in
        if isDisabled != bar.isDisabled { bar.isDisabled = isDisabled }
        if hasFocus != self.hasFocus { bar.setFocus(hasFocus, at: now) }
        self.hasFocus = hasFocus
      }
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
