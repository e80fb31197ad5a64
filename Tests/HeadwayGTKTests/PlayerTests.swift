#if GTK
  import Foundation
  import HeadwayBar
  import Testing

  extension Windows {
    /// `headway-player` as a person runs it: a real video, the mouse and the keyboard.
    @MainActor
    struct PlayerTests {
      /// The program, which is built beside the tests.
      private static func program() throws -> URL {
        let bundle = try #require(CommandLine.arguments.first { $0.contains(".xctest") })
        let folder = URL(filePath: bundle.split(separator: ".xctest")[0] + ".xctest")
          .deletingLastPathComponent()
        return try #require(
          ["headway-player", "HeadwayPlayer"].map { folder.appending(path: $0) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) },
          "headway-player was not built")
      }

      /// A folder of its own for a test, removed afterwards.
      private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
          .appending(path: "headway-player-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
      }

      /// A player that runs, for four minutes at most.
      final class Running {
        /// Its process.
        let process = Process()
        /// What it says on standard error.
        let errors = Pipe()
        /// Ends it where it does not end by itself, so that no test waits for it for ever.
        private let watchdog: DispatchWorkItem

        /// Starts it.
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

        /// Ends it, whatever it does.
        func end() {
          // Tests run on threads that keep other signals off, and what is started there inherits that.
          if process.isRunning { kill(process.processIdentifier, SIGKILL) }
          wait()
        }

        /// Waits for its end.
        func wait() {
          process.waitUntilExit()
          watchdog.cancel()
        }
      }

      @Test func `What cannot be played is said in a line, with a code`() throws {
        try withFolder { folder in
          let text = folder.appending(path: "letter.txt")
          try Data("Dear all\n".utf8).write(to: text)
          let none = folder.appending(path: "none.mp4").path
          let cases: [([String], [String: String], Int32, String)] = [
            ([], [:], 2, "A file is missing"), (["--loud", "a"], [:], 2, "--loud is no option"),
            (["a", "b"], [:], 2, "One file is played"),
            ([none], [:], 66, "none.mp4 cannot be read"), ([folder.path], [:], 66, "a folder"),
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

      /// Makes a video on the spot, and plays it.
      ///
      /// - Parameters:
      ///   - source: What ffmpeg makes it of.
      ///   - height: Its height in pixels.
      ///   - body: Gets the display and the program, which is ended afterwards if it still runs.
      /// - Throws: What is missing, and what the body throws.
      func withVideo(_ source: String, height: Int, _ body: (Screen, Running) throws -> Void) throws
      {
        try withFolder { folder in
          let video = folder.appending(path: "clip.avi").path
          try Display.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", source, "-t", "30", "-q:v", "3", "-c:v",
            "mjpeg", video)
          let player = try Running(Self.program(), [video])
          defer { player.end() }
          try body(Screen(row: height + 28), player)
        }
      }

      @Test func `A video is played, paused, gone on with and dragged`() throws {
        try withVideo("testsrc=size=320x180:rate=25", height: 180) { screen, player in
          // It begins to play by itself.
          let first = try screen.wait("the dot") { _ in true }
          try screen.wait("a moving dot") { $0 > first + 1 }
          try screen.focus("clip.avi")

          try Display.run("xdotool", "key", "space")
          let stopped = try screen.waitForRest()
          for _ in 0..<20 { #expect(try screen.dot() == stopped) }
          try Display.run("xdotool", "key", "space")
          let next = try screen.wait("going on") { $0 != stopped }
          #expect(next > stopped && next < stopped + 10, "it goes on from where it stood")

          // Dragged to the right: it stays under the pointer, whatever the video reports.
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

      @Test func `At its end the bar stays there, and a choice after it plays on`() throws {
        try withVideo("testsrc=size=320x180:rate=25", height: 180) { screen, _ in
          try screen.wait("the dot") { _ in true }
          try screen.focus("clip.avi")
          let playing = try screen.button()
          try Display.run("xdotool", "key", "End")
          try screen.waitForChange(of: playing) { try screen.button() }
          // The video says then that it is at its beginning.
          let end = try screen.waitForRest()
          #expect(end > 400, "the dot is at \(end) of 410")
          try Display.run("xdotool", "key", "Left")
          let place = try screen.wait("five seconds before the end") { $0 < end - 40 }
          #expect(abs(place - (end - 304 / 6)) < 12)
          try screen.wait("a moving dot") { $0 > place + 2 }
          #expect(try screen.button() == playing)
        }
      }

      @Test(arguments: ["avi", "matroska"])
      func `A video that comes through a pipe tells where it is, and cannot be dragged`(
        format: String
      ) throws {
        try withFolder { folder in
          // The first knows how long it is, the second does not.
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

      /// The part of the display in which the player has its bar.
      struct Screen {
        /// The row of the bar.
        let row: Int
        /// The rows above the track in which only the dot is.
        private var rows: Range<Int> { row - 5..<row - 2 }

        /// Where the middle of the dot is, nil where there is none: white, or in the colour of a drag.
        private func find() throws -> Double? {
          let dump = try Display.run("xwd", "-root", "-silent")
          let picture = try Picture32(windowDump: dump, rows: rows, width: 480)
          let colors = [BarColor(0xFFFFFF), BarColor(0x79B8FF)]
          var (least, most) = (Int.max, Int.min)
          for y in 0..<picture.height {
            // The button and the time on the left are not as white.
            for x in 60..<480 where colors.contains(where: { picture.pixel(x, y, is: $0) }) {
              (least, most) = (min(least, x), max(most, x))
            }
          }
          return most < least ? nil : Double(least + most + 1) / 2
        }

        /// The picture on the button.
        func button() throws -> Picture32 {
          let dump = try Display.run("xwd", "-root", "-silent")
          return try Picture32(windowDump: dump, rows: row - 8..<row + 8, width: 40)
        }

        /// The picture of the time that has passed.
        func time() throws -> Picture32 {
          let dump = try Display.run("xwd", "-root", "-silent")
          return try Picture32(windowDump: dump, rows: row - 8..<row + 8, width: 100)
        }

        /// Whether no dot is seen.
        func hasNoDot() throws -> Bool { try find() == nil }

        /// Looks until something shows something else.
        func waitForChange(of picture: Picture32, in look: () throws -> Picture32) throws {
          let end = ContinuousClock.now + .seconds(60)
          while try look() == picture {
            try #require(ContinuousClock.now < end, "nothing has changed in a minute")
          }
        }

        /// Where the middle of the dot is.
        func dot() throws -> Double { try #require(try find(), "the dot is not seen") }

        /// Looks until the dot is where it should be.
        @discardableResult
        func wait(_ what: String, until condition: (Double) -> Bool) throws -> Double {
          let end = ContinuousClock.now + .seconds(60)
          while true {
            if let place = try find(), condition(place) { return place }
            try #require(ContinuousClock.now < end, "\(what) did not come in a minute")
          }
        }

        /// Looks until the dot stands.
        func waitForRest() throws -> Double {
          var last = -1.0
          var times = 0
          return try wait("rest") { place in
            times = place == last ? times + 1 : 0
            last = place
            return times >= 10
          }
        }

        /// Gives the window the keyboard.
        func focus(_ title: String) throws {
          let found = try Display.run("xdotool", "search", "--sync", "--name", title)
          let number = String(decoding: found, as: UTF8.self).split(separator: "\n")
            .first.map(String.init)
          try Display.run("xdotool", "windowfocus", "--sync", try #require(number))
        }
      }
    }
  }
#endif
