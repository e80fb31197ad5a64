import Testing

@testable import HeadwayTerminal

/// The terminals that show progress in the taskbar of the desktop.
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
}
