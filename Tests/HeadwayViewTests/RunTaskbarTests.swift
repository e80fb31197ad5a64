import HeadwayRun
import HeadwayTerminal
import TerminalFixtures
import Testing

@testable import HeadwayView

/// The progress of a run in the taskbar of the desktop.
struct RunTaskbarTests {
  @Test func `A run shows whole percent, its failure, its pause and its end`() {
    var style = TerminalStyle.gray
    style.showsTaskbar = true
    let sample = sample(["fetch", "build"], expected: [.seconds(10), .seconds(10)])
    var run = Rehearsal(sample, style: style)
    /// The output for the taskbar in the last step.
    func told() -> [String] {
      run.writtenText.components(separatedBy: "\u{1B}]").dropFirst().map { part in
        String(part.prefix { $0 != "\u{1B}" })
      }
    }
    run.play(0, .runStarted(tasks: 2, workers: 1))
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(0.1)
    #expect(told() == ["9;4;1;0"])
    run.draw(1)
    #expect(run.writtenText.hasSuffix("\u{1B}]9;4;1;4\u{1B}\\"))
    run.draw(1.1)
    #expect(told() == ["9;4;1;5"])
    run.draw(1.2)
    #expect(told() == [])
    run.draw(2)
    #expect(told() == ["9;4;1;9"])
    run.play(2, .runPaused)
    run.draw(2)
    #expect(told() == ["9;4;4;9"])
    run.play(2, .runResumed)
    run.play(2, .taskEnded(0, .failed(.exited(code: 1)), attempts: 1, ran: .seconds(2)))
    run.draw(2.5)
    #expect(told().first?.hasPrefix("9;4;2;") == true)
    run.play(3, .runEnded)
    #expect(told() == ["9;4;0"])
    run.draw(4)
    #expect(told() == [])
  }

  @Test func `A run that is withdrawn is removed from the taskbar`() {
    var style = TerminalStyle.gray
    style.showsTaskbar = true
    var run = Rehearsal(sample(["fetch"], expected: [.seconds(10)]), style: style)
    run.play(0, .taskStarted(0, attempt: 1))
    run.draw(1)
    var bytes: [UInt8] = []
    run.renderer.withdraw(into: &bytes)
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
