internal import HeadwayRun

/// The lines that begin and end the output of one task, in the form of the service that shows them.
struct LogSection: Sendable {
  let service: OutputOptions.Service?
  /// The seconds since 1970, for services that want to know.
  let time: Int

  /// The line before the output of a task.
  func begin(_ task: TaskID, _ name: String) -> String {
    switch service {
    case .github: "::group::\(Self.data(name))\n"
    case .gitlab:
      "\u{1B}[0Ksection_start:\(time):\(Self.id(task))[collapsed=true]\r\u{1B}[0K\(name)\n"
    case nil: "==> \(name) <==\n"
    }
  }

  /// The line after the output of a task, empty if there is none.
  func end(_ task: TaskID) -> String {
    switch service {
    case .github: "::endgroup::\n"
    case .gitlab: "\u{1B}[0Ksection_end:\(time):\(Self.id(task))\r\u{1B}[0K\n"
    case nil: ""
    }
  }

  /// The annotation for a failure, empty if the service has none.
  ///
  /// - Parameters:
  ///   - title: The name of the task.
  ///   - message: What went wrong.
  ///   - isWarning: Whether the run may succeed all the same.
  /// - Returns: The line.
  func annotation(title: String, _ message: String, isWarning: Bool = false) -> String {
    guard service == .github else { return "" }
    let level = isWarning ? "warning" : "error"
    return "::\(level) title=\(Self.property(title))::\(Self.data(message))\n"
  }

  /// A section has a name of letters and digits, which is unique in the log.
  private static func id(_ task: TaskID) -> String { "headway_task_\(task.index)" }

  /// A text in the form that GitHub takes as the text of a command.
  static func data(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": escaped += "%25"
      case "\r": escaped += "%0D"
      case "\n": escaped += "%0A"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// A text in the form that GitHub takes as the value of a property.
  static func property(_ text: String) -> String {
    var escaped = ""
    for scalar in data(text).unicodeScalars {
      switch scalar {
      case ":": escaped += "%3A"
      case ",": escaped += "%2C"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
