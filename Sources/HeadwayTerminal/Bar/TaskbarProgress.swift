/// Progress in the taskbar of the desktop, by the sequence OSC 9;4; writes only changes.
///
///     ESC ] 9 ; 4 ; state ; percent ESC \      0 none, 1 a value, 2 an error, 3 unknown, 4 paused
///
/// A pure value.
package struct TaskbarProgress: Hashable, Sendable {
  /// The state in the taskbar; numbers are whole percent.
  package enum State: Hashable, Sendable {
    /// Nothing.
    case none
    /// The progress.
    case value(Int)
    /// The progress after a failure.
    case error(Int)
    /// Work with unknown progress.
    case unknown
    /// The progress of paused work.
    case paused(Int)
  }

  /// The state that was written last.
  private var told = State.none
  /// Whether anything is written.
  private let isOn: Bool

  /// Creates a taskbar without progress.
  package init(style: TerminalStyle) { isOn = style.showsTaskbar }

  /// Shows a state.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - output: The bytes to append to; none if the state is shown already.
  package mutating func show(_ state: State, into output: inout [UInt8]) {
    guard isOn, state != told else { return }
    told = state
    Escape.append(Escape.beginTaskbar, to: &output)
    // Without a semicolon behind the last number: some terminals refuse one.
    switch state {
    case .none: Escape.append("0", to: &output)
    case .value(let percent): append("1;", percent, to: &output)
    case .error(let percent): append("2;", percent, to: &output)
    case .unknown: Escape.append("3", to: &output)
    case .paused(let percent): append("4;", percent, to: &output)
    }
    Escape.append(Escape.endString, to: &output)
  }

  /// Appends a state with its number.
  private func append(_ state: StaticString, _ percent: Int, to output: inout [UInt8]) {
    Escape.append(state, to: &output)
    Escape.append(number: min(max(percent, 0), 100), to: &output)
  }

  // MARK: Support of terminals

  /// The first supported version of VTE, as in `VTE_VERSION`.
  private static let firstVTE = 7900
  /// The first supported version of iTerm2.
  private static let firstITerm = [3, 6, 6]

  /// Whether the environment requests it, or is that of a terminal that is known to support it.
  ///
  /// - Parameter variable: Returns the value of an environment variable, nil if it is not set.
  /// - Returns: Whether to write; inside tmux and screen, which do not pass it on, only if it is requested.
  package static func isWanted(_ variable: (String) -> String?) -> Bool {
    switch variable("HEADWAY_TASKBAR") {
    case "on": return true
    case "off": return false
    default: break
    }
    let term = variable("TERM") ?? ""
    let isInside = ["TMUX", "STY"].contains { !(variable($0) ?? "").isEmpty }
    if isInside || term.hasPrefix("screen") || term.hasPrefix("tmux") || term == "dumb" {
      return false
    }
    if !(variable("WT_SESSION") ?? "").isEmpty || variable("ConEmuANSI") == "ON" { return true }
    if let vte = variable("VTE_VERSION").flatMap({ Int($0) }), vte >= firstVTE { return true }
    switch variable("TERM_PROGRAM") {
    case "WezTerm", "ghostty": return true
    case "iTerm.app":
      let version = (variable("TERM_PROGRAM_VERSION") ?? "").split(separator: ".").map {
        Int($0.prefix { $0.isNumber }) ?? 0
      }
      return !version.lexicographicallyPrecedes(firstITerm)
    default: return false
    }
  }
}
