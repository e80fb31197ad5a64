import Foundation
import HeadwayBar
import Testing

/// `headway-player` with a real video, a mouse and a keyboard.
///
/// The tests are serialized, since they share one display.
@Suite(.serialized, .enabled("without a display: run Scripts/test-gtk") { Display.isPresent })
@MainActor
struct PlayerTests {
  /// The program, built beside the tests.
  private static func program() throws -> URL {
    let bundle = try #require(CommandLine.arguments.first { $0.contains(".xctest") })
    let folder = URL(filePath: bundle.split(separator: ".xctest")[0] + ".xctest")
      .deletingLastPathComponent()
    return try #require(
      [folder.appending(path: "headway-player")]
        .first { FileManager.default.isExecutableFile(atPath: $0.path) },
      "headway-player was not built")
  }

  /// Calls a function with a temporary folder.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "headway-player-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// A running player, killed after four minutes.
  final class Running {
    let process = Process()
    /// Its standard error.
    let errors = Pipe()
    /// Kills the player if it hangs.
    private let watchdog: DispatchWorkItem

    init(
      _ program: URL, _ arguments: [String], environment: [String: String] = [:],
      input: Pipe? = nil
    ) throws {
      if let input { process.standardInput = input }
      process.executableURL = program
      process.arguments = arguments
      process.standardError = errors
      process.standardOutput = FileHandle.nullDevice
      process.environment = ProcessInfo.processInfo.environment
        .merging(environment) { $1 }.filter { !$0.value.isEmpty }
      try process.run()
      let number = process.processIdentifier
      watchdog = DispatchWorkItem { kill(number, SIGKILL) }
      DispatchQueue.global().asyncAfter(deadline: .now() + 240, execute: watchdog)
    }

    func end() {
      // Threads of tests block other signals, and a child process inherits that.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      wait()
    }

    func wait() {
      process.waitUntilExit()
      watchdog.cancel()
    }
  }

  @Test func `A failure is one line and an exit code`() throws {
    try withFolder { folder in
      let text = folder.appending(path: "letter.txt")
      try Data("Dear all\n".utf8).write(to: text)
      let none = folder.appending(path: "none.mp4").path
      let cases: [([String], [String: String], Int32, String)] = [
        ([], [:], 2, "no file is given"), (["--loud", "a"], [:], 2, "unknown option --loud"),
        (["a", "b"], [:], 2, "expected one file"),
        ([none], [:], 66, "none.mp4 cannot be read"), ([folder.path], [:], 66, "a directory"),
        ([text.path], [:], 65, "letter.txt cannot be played"),
        ([text.path], ["DISPLAY": "", "WAYLAND_DISPLAY": ""], 69, "There is no display"),
      ]
      for (arguments, environment, code, words) in cases {
        let player = try Running(Self.program(), arguments, environment: environment)
        let said = player.errors.fileHandleForReading.readDataToEndOfFile()
        player.wait()
        let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
          .filter { $0.hasPrefix("headway-player: ") }
        #expect(player.process.terminationStatus == code, "\(arguments)")
        #expect(lines.count == 1 && lines[0].contains(words), "\(arguments): \(lines)")
      }
    }
  }

  /// Makes a video with ffmpeg and plays it.
  ///
  /// - Parameters:
  ///   - source: The source for ffmpeg.
  ///   - height: The height in pixels.
  ///   - environment: Environment variables of the player.
  ///   - body: Receives the display and the player, which is killed afterwards.
  /// - Throws: An error if ffmpeg fails, and the errors of `body`.
  func withVideo(
    _ source: String, height: Int, environment: [String: String] = [:],
    _ body: (Screen, Running) throws -> Void
  ) throws {
    try withFolder { folder in
      let video = folder.appending(path: "clip.avi").path
      try Display.run(
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-t", "30", "-q:v", "3", "-c:v",
        "mjpeg", video)
      let player = try Running(Self.program(), [video], environment: environment)
      defer { player.end() }
      try body(Screen(row: height + 28), player)
    }
  }

  @Test func `A video is played, paused, resumed and dragged`() throws {
    try withVideo("testsrc=size=320x180:rate=25", height: 180) { screen, player in
      // It begins to play by itself.
      let first = try screen.wait("the dot") { _ in true }
      try screen.wait("a moving dot") { $0 > first + 1 }
      try screen.focus("clip.avi")

      try Display.run("xdotool", "key", "space")
      let stopped = try screen.waitForRest()
      for _ in 0..<20 { #expect(try screen.dot() == stopped) }
      try Display.run("xdotool", "key", "space")
      let next = try screen.wait("resuming") { $0 != stopped }
      #expect(next > stopped && next < stopped + 10, "it resumes where it stood")

      // During a drag the dot stays under the pointer, whatever the video reports.
      let target = 350.0
      try Display.run("xdotool", "mousemove", "\(Int(next))", "\(screen.row)", "mousedown", "1")
      try Display.run("xdotool", "mousemove", "\(Int(target))", "\(screen.row)")
      let dragged = try screen.wait("the dot under the pointer") { abs($0 - target) < 12 }
      for _ in 0..<20 { #expect(abs(try screen.dot() - dragged) < 0.6) }
      try Display.run("xdotool", "mouseup", "1")
      let released = try screen.wait("the dot at rest") { _ in true }
      try screen.wait("the video there") { place in
        #expect(place > released - 2, "the dot jumps back after the release")
        return place > released + 2
      }
      try Display.run("xdotool", "key", "q")
      player.wait()
      #expect(player.process.terminationStatus == 0)
    }
  }

  @Test func `The bar stays at the end, and a seek from there continues to play`() throws {
    try withVideo("testsrc=size=320x180:rate=25", height: 180) { screen, _ in
      try screen.wait("the dot") { _ in true }
      try screen.focus("clip.avi")
      let playing = try screen.button()
      try Display.run("xdotool", "key", "End")
      try screen.waitForChange(of: playing) { try screen.button() }
      // At its end the video reports its beginning.
      let end = try screen.waitForRest()
      #expect(end > 400, "the dot is at \(end) of 410")
      try Display.run("xdotool", "key", "Left")
      let place = try screen.wait("five seconds before the end") { $0 < end - 40 }
      #expect(abs(place - (end - 304 / 6)) < 12)
      try screen.wait("a moving dot") { $0 > place + 2 }
      #expect(try screen.button() == playing)
    }
  }

  /// A video that is black at its beginning, white at its end, and gray in between.
  private static let brightening =
    "color=black:size=320x180:rate=25,geq=lum='255*T/30':cb=128:cr=128"

  @Test func `At the end and after a seek to the end while paused, the last picture is shown`()
    throws
  {
    try withVideo(Self.brightening, height: 180) { screen, player in
      let process = player.process.processIdentifier
      try screen.wait("the dot") { _ in true }
      try screen.focus("clip.avi")
      #expect(try AccessibleObject("push button", of: process).name == "Pause")

      try Display.run("xdotool", "key", "space", "Page_Up")
      try screen.wait("the end") { $0 > 400 }
      try screen.waitForPicture { $0 > 245 }
      #expect(try AccessibleObject("push button", of: process).name == "Play")

      // Playing starts again, and the end that is reached by playing looks the same.
      try Display.run("xdotool", "key", "space")
      try screen.waitForPicture { $0 < 100 }
      try Display.run("xdotool", "key", "End")
      try screen.waitForPicture { $0 > 245 }
      let end = try screen.waitForRest()
      #expect(end > 400)
      let slider = try AccessibleObject("slider", of: process)
      #expect(slider.name == "Position" && slider.value == slider.maximum)
      for _ in 0..<20 { #expect(try screen.brightness().video > 245) }

      // Assistive technology seeks as a person does.
      _ = try AccessibleObject("slider", of: process, setting: 15)
      try screen.waitForPicture { (110..<180).contains($0) }
    }
  }

  @Test(arguments: [("Adwaita", true), ("Adwaita:dark", false)])
  func `The window is light or dark as the theme of the desktop`(theme: String, isLight: Bool)
    throws
  {
    try withVideo(Self.brightening, height: 180, environment: ["GTK_THEME": theme]) { screen, _ in
      try screen.wait("the dot") { _ in true }
      let brightness = try screen.brightness().window
      #expect(isLight ? brightness > 200 : brightness < 80, "\(brightness)")
    }
  }

  @Test(arguments: ["avi", "matroska"])
  func `A video from a pipe shows its time and cannot be dragged`(
    format: String
  ) throws {
    try withFolder { folder in
      // The first format stores the length, the second does not.
      let video = folder.appending(path: "clip")
      try Display.run(
        "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x180:rate=25", "-t",
        "30", "-q:v", "3", "-c:v", "mjpeg", "-fflags", "+bitexact", "-live",
        format == "avi" ? "0" : "1", "-f", format, video.path)
      let (pipe, cat) = (Pipe(), Process())
      cat.executableURL = URL(filePath: "/usr/bin/env")
      cat.arguments = ["cat", video.path]
      cat.standardOutput = pipe
      try cat.run()
      defer { cat.waitUntilExit() }
      let player = try Running(Self.program(), ["/dev/stdin"], input: pipe)
      defer { player.end() }
      let screen = Screen(row: 208)
      try screen.focus("stdin")
      let start = try screen.time()
      try screen.waitForChange(of: start) { try screen.time() }
      #expect(try screen.hasNoDot(), "there is a dot that nobody can drag")
    }
  }

  /// The part of the display with the player's bar.
  struct Screen {
    let row: Int
    /// The rows above the track that contain only the dot.
    private var rows: Range<Int> { row - 5..<row - 2 }

    /// The center of the dot, which has the blue accent of the theme; nil if there is none.
    private func find() throws -> Double? {
      let dump = try Display.run("xwd", "-root", "-silent")
      let picture = try Picture32(windowDump: dump, rows: rows, width: 480)
      var (least, most) = (Int.max, Int.min)
      for y in 0..<picture.height {
        // Nothing else is blue. In the dark theme the accent is mixed with the color of the text.
        for x in 60..<480 where picture.pixel(x, y)[0] > picture.pixel(x, y)[2] + 30 {
          (least, most) = (min(least, x), max(most, x))
        }
      }
      return most < least ? nil : Double(least + most + 1) / 2
    }

    /// The brightness in the middle of the video and beside the button, from 0 to 255.
    func brightness() throws -> (video: Int, window: Int) {
      let dump = try Display.run("xwd", "-root", "-silent")
      let picture = try Picture32(windowDump: dump, rows: row - 100..<row + 8, width: 480)
      return (picture.pixel(240, 10)[1], picture.pixel(2, 100)[1])
    }

    /// A picture of the button.
    func button() throws -> Picture32 {
      let dump = try Display.run("xwd", "-root", "-silent")
      return try Picture32(windowDump: dump, rows: row - 8..<row + 8, width: 40)
    }

    /// A picture of the elapsed time.
    func time() throws -> Picture32 {
      let dump = try Display.run("xwd", "-root", "-silent")
      return try Picture32(windowDump: dump, rows: row - 8..<row + 8, width: 100)
    }

    /// Whether there is no dot.
    func hasNoDot() throws -> Bool { try find() == nil }

    /// Waits until a picture changes.
    func waitForChange(of picture: Picture32, in look: () throws -> Picture32) throws {
      let end = ContinuousClock.now + .seconds(60)
      while try look() == picture {
        try #require(ContinuousClock.now < end, "nothing has changed in a minute")
      }
    }

    /// Waits until the brightness in the middle of the video satisfies a condition.
    func waitForPicture(where condition: (Int) -> Bool) throws {
      let end = ContinuousClock.now + .seconds(60)
      while !condition(try brightness().video) {
        let now = try brightness().video
        try #require(ContinuousClock.now < end, "the picture has the brightness \(now)")
      }
    }

    /// The center of the dot.
    func dot() throws -> Double { try #require(try find(), "the dot is not seen") }

    /// Waits until the dot satisfies a condition.
    @discardableResult
    func wait(_ what: String, until condition: (Double) -> Bool) throws -> Double {
      let end = ContinuousClock.now + .seconds(60)
      while true {
        if let place = try find(), condition(place) { return place }
        try #require(ContinuousClock.now < end, "\(what) did not come in a minute")
      }
    }

    /// Waits until the dot rests.
    func waitForRest() throws -> Double {
      var last = -1.0
      var times = 0
      return try wait("rest") { place in
        times = place == last ? times + 1 : 0
        last = place
        return times >= 10
      }
    }

    /// Gives the window the keyboard focus.
    func focus(_ title: String) throws {
      let found = try Display.run("xdotool", "search", "--sync", "--name", title)
      let number = String(decoding: found, as: UTF8.self).split(separator: "\n")
        .first.map(String.init)
      try Display.run("xdotool", "windowfocus", "--sync", try #require(number))
    }
  }
}
