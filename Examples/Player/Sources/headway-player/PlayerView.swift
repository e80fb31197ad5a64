internal import CGTK
internal import HeadwayBar
internal import HeadwayGTK

/// The window of the player.
@safe @MainActor
final class PlayerView {
  let bar: BarWidget
  /// Called to play or pause the video.
  var onToggle: () -> Void = {}
  /// Called to turn the sound on or off.
  var onMute: () -> Void = {}
  /// Called when the window was closed.
  var onClose: () -> Void = {}

  private let window: UnsafeMutablePointer<GtkWidget>?
  private let picture: UnsafeMutablePointer<GtkWidget>?
  private let button: UnsafeMutablePointer<GtkWidget>?
  /// The label of the current time.
  private let elapsed: UnsafeMutablePointer<GtkWidget>?
  /// The label of the length.
  private let total: UnsafeMutablePointer<GtkWidget>?
  private var isFullScreen = false

  /// Creates the window, which is not visible yet.
  init(title: String) {
    bar = BarWidget(Self.model())
    unsafe (window, picture, button) = (
      gtk_window_new(), gtk_picture_new(), gtk_button_new_from_icon_name(Self.pauseIcon)
    )
    unsafe (elapsed, total) = (gtk_label_new("0:00"), gtk_label_new("0:00"))
    unsafe gtk_window_set_title(self.handle, title)
    unsafe hw_add_css(gtk_widget_get_display(window), Self.css, 0)
    bar.label = "Position"
    bar.describe = BarWidget.time
    bar.followsTheme = true
    addBubble()
    arrange()
    listen()
  }

  // MARK: Display

  func show(picture paintable: OpaquePointer?) {
    unsafe gtk_picture_set_paintable(OpaquePointer(picture), paintable)
  }

  /// Shows the current time.
  func show(time seconds: Double) { unsafe set(Self.text(seconds), on: elapsed) }

  /// Shows the length, or nothing if it is unknown.
  func show(length seconds: Double) {
    unsafe set(seconds > 0 ? Self.text(seconds) : "", on: total)
  }

  func show(isPlaying: Bool) {
    let button = unsafe UnsafeMutableRawPointer(button)?.assumingMemoryBound(to: GtkButton.self)
    let action = isPlaying ? "Pause" : "Play"
    unsafe gtk_button_set_icon_name(button, isPlaying ? Self.pauseIcon : Self.playIcon)
    unsafe gtk_widget_set_tooltip_text(self.button, action)
    // Without a name of its own, the button would have that of its icon, "GtkImage".
    unsafe hw_accessible_set_text(self.button, GTK_ACCESSIBLE_PROPERTY_LABEL, action)
  }

  /// Sizes the window for the video, within limits.
  func fit(width: Int, height: Int) {
    guard width > 0, height > 0 else { return }
    let scale = min(1, 1280 / Double(width), 720 / Double(height))
    let size = (Int32(max(Double(width) * scale, 480)), Int32(Double(height) * scale))
    unsafe gtk_widget_set_size_request(picture, 320, 180)
    unsafe gtk_window_set_default_size(handle, size.0, size.1 + Self.controlsHeight)
  }

  func present() {
    unsafe gtk_window_present(handle)
    unsafe gtk_widget_grab_focus(bar.widget)
  }

  private static func text(_ seconds: Double) -> String {
    let all = Int(max(seconds, 0))
    let digits = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (all / 3600, all / 60 % 60)
    return (hours > 0 ? "\(hours):\(digits(minutes))" : "\(minutes)") + ":\(digits(all % 60))"
  }

  /// Shows a text where it is not shown yet.
  private func set(_ text: String, on label: UnsafeMutablePointer<GtkWidget>?) {
    let label = OpaquePointer(label)
    guard unsafe String(cString: gtk_label_get_text(label)) != text else { return }
    unsafe gtk_label_set_text(label, text)
  }

  // MARK: Looks

  /// What the button shows while the video plays.
  private static let pauseIcon = "media-playback-pause-symbolic"
  /// What it shows while the video stands.
  private static let playIcon = "media-playback-start-symbolic"
  /// The height of what is below the video, in points.
  private static let controlsHeight: Int32 = 52
  /// The looks of the window, in the colors of the theme, light or dark.
  private static let css = """
    .player picture { background: black; }
    .player .controls { padding: 6px 14px 6px 8px; }
    .player .controls button { background: none; border: none; box-shadow: none; color: inherit;
      min-width: 32px; min-height: 32px; border-radius: 16px; padding: 2px; }
    .player .controls button:hover { background: alpha(currentColor, 0.12); }
    .player .controls label { font-feature-settings: "tnum"; font-size: 13px; }
    .player .controls label.total { opacity: 0.65; }
    """

  /// A bar of seconds.
  private static func model() -> ProgressBar {
    var bar = ProgressBar(range: 0...0, unitsPerSecond: 1)
    bar.step = 5
    bar.acceptsDigits = true
    var style = BarStyle()
    style.cornerRadius = 2
    bar.setStyle(style, at: .zero)
    return bar
  }

  /// The number of the bubble among the custom shapes.
  private static let bubble = 1

  /// Shows the time above the dot during a drag, as a custom shape.
  private func addBubble() {
    bar.addShapes = { drawing, bar, now in
      guard bar.isDragging, let dot = drawing.last(where: { $0.part == .dot })?.rect else {
        return
      }
      let rect = BarRect(x: dot.x + dot.width / 2 - 28, y: dot.y - 34, width: 56, height: 26)
      drawing.append(
        BarShape(
          .custom, number: Self.bubble, rect: rect, radius: 8,
          color: BarColor(0x161B22, opacity: 230)))
    }
    unsafe bar.drawShape = { [unowned bar] shape, snapshot in
      let (rect, color) = (shape.rect, shape.color)
      unsafe hw_append(
        snapshot,
        hw_rect(
          x: Float(rect.x), y: Float(rect.y), width: Float(rect.width),
          height: Float(rect.height), radius: Float(shape.radius)),
        hw_color(
          red: Float(color.red) / 255, green: Float(color.green) / 255,
          blue: Float(color.blue) / 255, opacity: Float(color.opacity) / 255))
      unsafe hw_append_text(
        snapshot, bar.widget, Self.text(bar.bar.shown(at: bar.now)),
        Float(rect.x + rect.width / 2), Float(rect.y + rect.height / 2),
        hw_color(red: 1, green: 1, blue: 1, opacity: 1))
    }
  }

  // MARK: Widgets

  /// The window as a `GtkWindow`.
  private var handle: UnsafeMutablePointer<GtkWindow>? {
    unsafe UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)
  }

  /// Adds the widgets to the window.
  private func arrange() {
    let column = unsafe gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    let row = unsafe gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6)
    unsafe gtk_widget_add_css_class(window, "player")
    unsafe gtk_widget_add_css_class(row, "controls")
    unsafe gtk_widget_add_css_class(total, "total")
    unsafe gtk_widget_set_vexpand(picture, 1)
    unsafe gtk_widget_set_hexpand(bar.widget, 1)
    unsafe gtk_widget_set_valign(button, GTK_ALIGN_CENTER)
    unsafe gtk_widget_set_focus_on_click(button, 0)
    // Wide enough for usual times, so that the bar keeps its length while the digits change.
    unsafe gtk_label_set_width_chars(OpaquePointer(elapsed), 5)
    unsafe gtk_label_set_width_chars(OpaquePointer(total), 5)
    let inRow = unsafe UnsafeMutableRawPointer(row)?.assumingMemoryBound(to: GtkBox.self)
    unsafe gtk_box_append(inRow, button)
    unsafe gtk_box_append(inRow, elapsed)
    unsafe gtk_box_append(inRow, bar.widget)
    unsafe gtk_box_append(inRow, total)
    let inColumn = unsafe UnsafeMutableRawPointer(column)?.assumingMemoryBound(to: GtkBox.self)
    unsafe gtk_box_append(inColumn, picture)
    unsafe gtk_box_append(inColumn, row)
    unsafe gtk_window_set_child(handle, column)
    unsafe gtk_window_set_default_size(handle, 640, 360 + Self.controlsHeight)
    show(isPlaying: true)
  }

  /// Connects the button, the keys and the end of the window.
  private func listen() {
    unsafe connect(button, "clicked") { [unowned self] in onToggle() }
    unsafe connect(window, "destroy") { [unowned self] in onClose() }
    let keys = unsafe gtk_event_controller_key_new()
    unsafe gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE)
    let pressed:
      @convention(c) (OpaquePointer?, guint, guint, guint, UnsafeMutableRawPointer?) -> gboolean =
        { _, key, _, state, data in
          guard let data = unsafe data else { return 0 }
          let view = unsafe Unmanaged<PlayerView>.fromOpaque(data).takeUnretainedValue()
          return MainActor.assumeIsolated { view.pressed(key, state) } ? 1 : 0
        }
    unsafe hw_connect(
      UnsafeMutableRawPointer(keys), "key-pressed", unsafeBitCast(pressed, to: GCallback.self),
      Unmanaged.passUnretained(self).toOpaque())
    unsafe gtk_widget_add_controller(window, keys)
  }

  /// Handles a key before the widgets of the window.
  ///
  /// - Returns: Whether the player handled it.
  private func pressed(_ key: guint, _ modifiers: guint) -> Bool {
    let isControl = modifiers & GDK_CONTROL_MASK.rawValue != 0
    switch Int32(bitPattern: key) {
    case GDK_KEY_w where isControl, GDK_KEY_q: unsafe gtk_window_destroy(handle)
    case GDK_KEY_space: onToggle()
    case GDK_KEY_m: onMute()
    case GDK_KEY_f, GDK_KEY_F11: fillScreen(!isFullScreen)
    case GDK_KEY_Escape where isFullScreen && !bar.bar.isDragging: fillScreen(false)
    default: return false
    }
    return true
  }

  private func fillScreen(_ isFull: Bool) {
    isFullScreen = isFull
    if isFull {
      unsafe gtk_window_fullscreen(handle)
    } else {
      unsafe gtk_window_unfullscreen(handle)
    }
  }
}
