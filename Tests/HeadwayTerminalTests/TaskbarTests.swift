import HeadwayLaunch
import HeadwayRun
import Testing

@testable import HeadwayTerminal

/// What the task bar of the desktop is told.
struct TaskbarTests {
  @Test(arguments: [
    (["WT_SESSION": "1"], true), (["ConEmuANSI": "ON"], true), (["ConEmuANSI": "OFF"], false),
    (["TERM_PROGRAM": "WezTerm"], true), (["TERM_PROGRAM": "ghostty"], true),
    (["TERM_PROGRAM": "vscode"], false), ([:], false),
    (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.6"], true),
    (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.10.1"], true),
    (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "4"], true),
    (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.5"], false),
    (["TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.5beta2"], false),
    (["TERM_PROGRAM": "iTerm.app"], false),
    (["VTE_VERSION": "7900"], true), (["VTE_VERSION": "7899"], false),
    (["VTE_VERSION": "x"], false),
    (["WT_SESSION": "1", "TMUX": "/tmp/tmux-0/default,1,0"], false),
    (["WT_SESSION": "1", "STY": "1.pts"], false), (["WT_SESSION": "1", "TERM": "dumb"], false),
    (["TERM_PROGRAM": "ghostty", "TERM": "screen-256color"], false),
    (["TMUX": "x", "HEADWAY_TASKBAR": "on"], true),
    (["WT_SESSION": "1", "HEADWAY_TASKBAR": "off"], false),
    (["WT_SESSION": "1", "HEADWAY_TASKBAR": "maybe"], true),
  ])
  func `Only terminals that are known to show it are told, or where it is asked for`(
    environment: [String: String], isTold: Bool
  ) {
    #expect(TerminalStyle(environment: { environment[$0] }).showsTaskbar == isTold)
  }

  @Test func `A run tells whole per cent, its failure, its pause and its end`() {
    var style = TerminalStyle.grey
    style.showsTaskbar = true
    let description = describe(["fetch", "build"], expected: [.seconds(10), .seconds(10)])
    var run = Rehearsal(LiveSurface(description, style: style))
    /// What the task bar was told in the last step.
    func told() -> [String] {
      run.writtenText.components(separatedBy: "\u{1B}]").dropFirst().map { part in
        String(part.prefix { $0 != "\u{1B}" })
      }
    }
    run.tell(0, .runStarted(tasks: 2, workers: 1))
    run.tell(0, .taskStarted(0, attempt: 1))
    run.draw(0.1)
    #expect(told() == [])
    run.draw(1)
    #expect(run.writtenText.hasSuffix("\u{1B}]9;4;1;4\u{1B}\\"))
    run.draw(1.1)
    #expect(told() == ["9;4;1;5"])
    run.draw(1.2)
    #expect(told() == [])
    run.draw(2)
    #expect(told() == ["9;4;1;9"])
    run.tell(2, .runPaused)
    run.draw(2)
    #expect(told() == ["9;4;4;9"])
    run.tell(2, .runResumed)
    run.tell(2, .taskEnded(0, .failed(.exited(code: 1)), attempts: 1, ran: .seconds(2)))
    run.draw(2.5)
    #expect(told().first?.hasPrefix("9;4;2;") == true)
    run.tell(3, .runEnded)
    #expect(told() == ["9;4;0"])
    run.draw(4)
    #expect(told() == [])
  }

  @Test func `A run that is taken away is taken from the task bar`() {
    var style = TerminalStyle.grey
    style.showsTaskbar = true
    var run = Rehearsal(LiveSurface(describe(["fetch"], expected: [.seconds(10)]), style: style))
    run.tell(0, .taskStarted(0, attempt: 1))
    run.draw(1)
    var bytes: [UInt8] = []
    run.surface.withdraw(into: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("\u{1B}]9;4;0\u{1B}\\"))
    run.draw(1.5)
    #expect(run.writtenText.contains("\u{1B}]9;4;1;"))
  }
}

extension String {
  /// The parts between separators.
  fileprivate func components(separatedBy separator: String) -> [Substring] {
    split(separator: separator, omittingEmptySubsequences: false)
  }
}
