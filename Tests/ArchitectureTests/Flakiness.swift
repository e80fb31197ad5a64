/// Finds shapes by which a test can fail by bad luck, such as on a machine with much other work.
///
/// It looks for texts in lines of code, so it does not see all of them.
enum Flakiness {
  /// What has such a shape and cannot fail by bad luck, as the folder, the file and the name of the shape, with the reason.
  static let reasons = [
    "HeadwayViewTests/RunConsoleTests.swift: limit": "it has to pass: the output is full",
    "HeadwayFoundationTests/FileProgressTests.swift: program":
      "permissions of files that are copied and never started",
    "HeadwayGTKTests/AccessibleObject.swift: sleep": "in a loop until a process answers",
    "HeadwayGTKTests/AssistiveTechnologyTests.swift: sleep": "in a loop until a process answers",
    "HeadwayLaunchTests/SignalProcessTests.swift: sleep": "a day, in a task that has to be stuck",
    "HeadwayRelayTests/RawPeer.swift: sleep":
      "a flood that ends early makes the test weaker, and does not fail it",
    "HeadwayRunnerTests/ConnectionFileTests.swift: program": "permissions of a file with a key",
    "HeadwayTimeTests/TimerServiceRaceTests.swift: sleep":
      "it races with others, however long it takes",
    "HeadwayTimeTests/TimerServiceTests.swift: sleep":
      "a nanosecond, of a service that still works",
    "HeadwayTests/ReadmeTests.swift: sleep": "an hour, which a deadline ends",
    "ProcessFixtures/Folder.swift: program": "it checks that it is a folder",
    "ProcessFixtures/Waiting.swift: sleep": "the one loop that waits, and the one random pause",
    "RelayPeer/main.swift: sleep": "between numbers, so that a watcher sees several",
  ]

  /// A kind of shape.
  private struct Shape {
    /// What it is called in ``reasons``.
    var name: String
    var advice: String
    /// Texts of which a line with this shape has at least one.
    var words: [String]
    /// Whether a line with such a text has the shape.
    var isFound: (Substring) -> Bool = { _ in true }
  }

  private static var shapes: [Shape] {
    let oddMode = #/\b0o[0-7]*[1357][0-7]{0,2}\b/#.wordBoundaryKind(.simple)
    let short = #/\.(?:nano|micro|milli)seconds\(|\.seconds\(\d(?:\.\d+)?\)/#
    return [
      Shape(
        name: "program",
        advice: "make programs with installProgram(_:at:), and folders with setPermissions",
        words: ["chmod(", " open(", "openat(", "replaceFile(", "setAttributes("]
      ) { line in
        // Folders have functions of their own, so a mode with the right to execute is that of a program.
        line.contains("setAttributes(") || line.contains(oddMode)
          || line.contains("chmod(") && !line.contains("0o")
      },
      Shape(
        name: "sleep", advice: "wait for an event with eventually, or pause with pauseAtRandom",
        words: [
          "usleep(", "nanosleep(", " sleep(", "libc.sleep(", "Thread.sleep", "Task.sleep",
          "Clock().sleep(",
          ".continuous.sleep(", "poll(nil",
        ]
      ) { line in
        !line.contains("func sleep(")
      },
      Shape(
        name: "limit", advice: "a limit that only a hang reaches is ten seconds at least",
        words: [
          "wait(for: .", "within: .", "DispatchTime.now()", "Clock.now + .",
          "TimeoutRunner<String, String>(timeout: .",
        ]
      ) { line in
        line.contains(short) && !line.contains("eventually")
      },
      Shape(
        name: "duration", advice: "how long something takes depends on the machine: count events",
        words: ["duration(to: ", "Clock.now - ", "Clock().measure", "timeIntervalSince"]
      ) { line in
        line.contains("measure") || line.contains(#/[ )]<=? /#)
      },
      Shape(
        name: "lock",
        advice: "use Guarded: ThreadSanitizer may report a contended Mutex as a race",
        words: ["Mutex<", "Mutex("]),
      Shape(
        name: "shared name", advice: "make a folder with mkdtemp, Folder or Sandbox",
        words: ["\"/tmp/", "\"/dev/shm/", "\"/var/tmp/"]
      ) { line in
        !line.contains("XXXXXX")
          && line.contains(
            #/\b(?:open|fopen|mkdir|mkfifo|symlink|unlink|bind|write|createFile|createDirectory)\(/#
              // By default there is no boundary between a dot and a letter.
              .wordBoundaryKind(.simple))
      },
    ]
  }

  /// Returns a sentence for each file with a shape that has no reason, and for each reason that is not needed.
  static func violations(
    of tests: [Architecture.Source], reasons: [String: String] = Flakiness.reasons
  ) -> [String] {
    let shapes = shapes
    var found: [String] = []
    var needed: Set<String> = []
    for test in tests {
      let present = shapes.filter { $0.words.contains(where: test.text.contains) }
      if present.isEmpty, !test.text.contains("setenv(") { continue }
      let code = test.swift.withoutComments
      let lines = code.split(separator: "\n")
      // The environment is one for all threads, and others read it.
      if code.contains("setenv("), !code.contains("processExitsWith") {
        found.append("\(test.module)/\(test.file) changes the environment of all tests")
      }
      for shape in present {
        let odd = lines.first { line in
          shape.words.contains(where: line.contains) && shape.isFound(line)
        }
        guard let odd else { continue }
        let place = "\(test.module)/\(test.file): \(shape.name)"
        needed.insert(place)
        if reasons[place] == nil {
          let text = odd.drop { $0.isWhitespace }
          found.append("\(place): '\(text)': \(shape.advice).")
        }
      }
    }
    for place in reasons.keys.sorted() where !needed.contains(place) {
      found.append("\(place) needs no reason any more: remove it from Flakiness.reasons.")
    }
    return found
  }
}
