internal import CGTK
internal import HeadwayBar
internal import HeadwayGTK

extension Start {
  /// Plays a file until its window is closed.
  static func play(_ path: String) throws(Failure) {
    unsafe g_set_prgname("headway-player")
    guard gtk_init_check() != 0 else {
      throw .missing(
        "There is no display: set DISPLAY or WAYLAND_DISPLAY, or run it in a desktop.")
    }
    let player = Player(path)
    player.run()
    if let failure = player.failure { throw failure }
  }
}

/// A window that plays a video: the picture, and below it a button, the times and the bar.
///
/// The bar follows the video, which reports a few times a second, and glides in between. When a person chooses a value on
/// the bar, the video seeks there.
@safe @MainActor
final class Player {
  /// Why the player ended, or nil if the window was closed.
  private(set) var failure: Failure?
  private let path: String
  private let media: UnsafeMutablePointer<GtkMediaStream>?
  private let view: PlayerView
  private let loop: OpaquePointer?
  /// The time units of a `GtkMediaStream` per second.
  private static let microseconds = 1_000_000.0
  /// How long before the end the last picture is certainly shown, in seconds; there is none at the end itself.
  private static let lastPicture = 0.05
  /// Whether the video has played to its end, where it was stopped.
  private var hasFinished = false

  private var bar: BarWidget { view.bar }

  init(_ path: String) {
    self.path = path
    unsafe media = gtk_media_file_new_for_filename(path)
    unsafe loop = g_main_loop_new(nil, 0)
    view = PlayerView(title: path.split(separator: "/").last.map(String.init) ?? path)
    unsafe view.show(picture: OpaquePointer(media))
    follow()
  }

  /// Shows the window when the video is ready, and plays until the window is closed or playing fails.
  func run() {
    unsafe gtk_media_stream_play(media)
    unsafe g_main_loop_run(loop)
  }

  // MARK: Events of the video

  /// Whether the video is at its end.
  private var hasEnded: Bool { unsafe gtk_media_stream_get_ended(media) != 0 }

  private func follow() {
    let video = unsafe UnsafeMutableRawPointer(media)
    unsafe connect(video, "notify::prepared") { [unowned self] in prepared() }
    unsafe connect(video, "notify::timestamp") { [unowned self] in moved() }
    unsafe connect(video, "notify::playing") { [unowned self] in startedOrStopped() }
    unsafe connect(video, "notify::ended") { [unowned self] in ended() }
    unsafe connect(video, "notify::error") { [unowned self] in failed() }
    view.onToggle = { [unowned self] in toggle() }
    view.onMute = { [unowned self] in
      unsafe gtk_media_stream_set_muted(media, gtk_media_stream_get_muted(media) == 0 ? 1 : 0)
    }
    view.onClose = { [unowned self] in unsafe g_main_loop_quit(loop) }
    bar.onDrag = { [unowned self] seconds in view.show(time: seconds) }
    bar.onCommit = { [unowned self] seconds in
      view.show(time: seconds)
      // After the end, a person who chooses a value wants to see more.
      if hasFinished { unsafe gtk_media_stream_play(media) }
      seek(to: seconds)
    }
  }

  /// Shows the window with the length and the size of the video.
  private func prepared() {
    guard unsafe gtk_media_stream_is_prepared(media) != 0 else { return }
    let length = Double(unsafe gtk_media_stream_get_duration(media)) / Self.microseconds
    let isSeekable = unsafe gtk_media_stream_is_seekable(media) != 0
    bar.update { bar, now in
      bar.setRange(from: 0, to: length, at: now)
      // A video from a pipe cannot be sought.
      bar.isReadOnly = !isSeekable
    }
    view.show(length: length)
    view.fit(
      width: Int(unsafe gdk_paintable_get_intrinsic_width(OpaquePointer(media))),
      height: Int(unsafe gdk_paintable_get_intrinsic_height(OpaquePointer(media))))
    view.present()
  }

  /// Reports the position of the video.
  private func moved() {
    let seconds = Double(unsafe gtk_media_stream_get_timestamp(media)) / Self.microseconds
    // During a seek the timestamp is still the old one, and after the end it is zero.
    guard unsafe gtk_media_stream_is_seeking(media) == 0, !hasEnded else { return }
    bar.report(seconds)
    // The length may be unknown.
    let isEndless = bar.bar.range.upperBound == 0
    if !bar.bar.isDragging { view.show(time: isEndless ? seconds : bar.bar.shown(at: bar.now)) }
  }

  /// Pauses or resumes the bar.
  private func startedOrStopped() {
    let isPlaying = unsafe gtk_media_stream_get_playing(media) != 0
    if isPlaying { bar.resume() } else { bar.pause() }
    view.show(isPlaying: isPlaying)
  }

  /// Shows the end of the video, and its last picture: by itself it would go back to the first one.
  private func ended() {
    guard hasEnded, bar.bar.range.upperBound > 0 else { return }
    if unsafe gtk_media_stream_is_seekable(media) != 0 {
      // A video that has ended does not seek until it plays.
      unsafe gtk_media_stream_play(media)
      unsafe gtk_media_stream_pause(media)
      seek(to: bar.bar.range.upperBound)
    }
    hasFinished = true
    bar.update { $0.setValue($0.range.upperBound, at: $1) }
    view.show(time: bar.bar.range.upperBound)
  }

  private func seek(to seconds: Double) {
    hasFinished = false
    let last = max(bar.bar.range.upperBound - Self.lastPicture, 0)
    unsafe gtk_media_stream_seek(media, gint64(min(seconds, last) * Self.microseconds))
  }

  /// Ends with the error of the video.
  private func failed() {
    guard let error = unsafe gtk_media_stream_get_error(media) else { return }
    if unsafe hw_has_no_media(media) != 0 {
      failure = .missing(
        "GTK cannot play media here: install its GStreamer backend (libgtk-4-media-gstreamer).")
    } else {
      failure = .media(
        path, reason: Self.reason(in: unsafe String(cString: error.pointee.message)))
    }
    unsafe g_main_loop_quit(loop)
  }

  /// The understandable part of a GStreamer message: its first line without element names.
  private static func reason(in message: String) -> String {
    let line = message.prefix { $0 != "\n" }
    guard line.hasPrefix("Error from element"), let colon = line.lastIndex(of: ":") else {
      return String(line)
    }
    return String(line[line.index(after: colon)...].drop { $0 == " " })
  }

  // MARK: Input

  /// Plays or pauses; at its end the video starts again.
  private func toggle() {
    guard unsafe gtk_media_stream_get_playing(media) == 0 else {
      return unsafe gtk_media_stream_pause(media)
    }
    if hasFinished || bar.bar.shown(at: bar.now) == bar.bar.range.upperBound {
      bar.update { $0.seek(to: 0, at: $1) }
      seek(to: 0)
    }
    unsafe gtk_media_stream_play(media)
  }
}

/// Calls a closure at each emission of a signal, as long as the object lives.
@MainActor
func connect(
  _ object: UnsafeMutableRawPointer?, _ signal: String, _ action: @escaping @MainActor () -> Void
) {
  let box = unsafe Unmanaged.passRetained(SignalAction(action)).toOpaque()
  unsafe hw_connect_plain(object, signal, signalEmitted, box, signalDisconnected)
}

@MainActor
private final class SignalAction {
  let action: @MainActor () -> Void

  init(_ action: @escaping @MainActor () -> Void) { self.action = action }
}

private func signalEmitted(data: UnsafeMutableRawPointer?) {
  guard let data = unsafe data else { return }
  let box = unsafe Unmanaged<SignalAction>.fromOpaque(data).takeUnretainedValue()
  MainActor.assumeIsolated { box.action() }
}

private func signalDisconnected(
  data: UnsafeMutableRawPointer?, closure: UnsafeMutablePointer<GClosure>?
) {
  guard let data = unsafe data else { return }
  unsafe Unmanaged<SignalAction>.fromOpaque(data).release()
}
