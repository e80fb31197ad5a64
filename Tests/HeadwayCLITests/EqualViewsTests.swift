import Glibc
import HeadwayTerminal
import HeadwayTestSupport
import ProcessFixtures
import TerminalFixtures
import Testing

/// A run in its own terminal and in others that are attached to it.
struct EqualViewsTests {
  private static let size = TerminalSize(columns: 100, rows: 24)

  /// A terminal with a view of the run.
  private final class View {
    let tool: RunningTool
    private var screen: TerminalScreen
    private var shown = 0

    init(_ words: [String], in sandbox: Sandbox, size: TerminalSize) {
      tool = RunningTool(
        words, in: sandbox, terminal: size, variables: ["HEADWAY_TOOL=\(RunningTool.path)"])
      screen = TerminalScreen(size: size)
    }

    /// What the terminal shows after some milliseconds.
    var text: String {
      tool.read(for: 20)
      screen.write(Array(tool.output[shown...]))
      shown = tool.output.count
      return screen.text
    }
  }

  @Test func `Each terminal of a run shows the same, whoever started it and whoever is asked`() {
    let sandbox = Sandbox(
      plan: """
        name: demo
        workers: 4
        tasks:
          talk: { run: 'echo line one; read x < gate1' }
          step: { run: '"$HEADWAY_TOOL" tell 3/10 "step three"; read x < gate2; "$HEADWAY_TOOL" tell --label Four "step four"; read x < gate2' }
          fail: { run: 'read x < gate3; exit 4' }
          web: { service: true, run: 'read x < gate4' }
          last: { after: talk, run: 'read x < gate5' }
        """)
    for number in 1...5 { unsafe mkfifo("\(sandbox.path)/gate\(number)", 0o600) }
    let own = View(
      ["run", "plan.yaml", "--on-failure", "hold"], in: sandbox, size: Self.size)
    #expect(own.tool.wait(for: "step three"))
    let attached = View(["attach"], in: sandbox, size: Self.size)
    let narrow = View(["attach"], in: sandbox, size: TerminalSize(columns: 60, rows: 24))

    /// Presses a key in one of the terminals, and in all of them those before and after it, which choose the next task.
    func press(_ key: String, in view: View) {
      let views = [own, attached, narrow]
      for view in views {
        let begin = view.tool.output.count
        view.tool.type("\t")
        #expect(view.tool.wait(for: "Esc done", from: begin))
      }
      view.tool.type(key)
      for view in views {
        view.tool.type("\u{1B}")
        #expect(eventually { view.text.contains("Tab for keys") })
      }
    }

    /// A text without the positions of bars.
    func withoutBars(_ text: String) -> String {
      text.replacing(#/[━╸╺─]+/#, with: "").replacing(#/ +[0-9]+%/#, with: "")
    }

    /// Waits until both terminals of a size show the same with some words in it, and the narrow one has them, too.
    ///
    /// Bars are left out: they glide, in a pause each stays where it was, and none goes back.
    func agree(
      on words: String, narrowly narrowWords: String? = nil, without others: String? = nil
    ) {
      var (one, two, three) = ("", "", "")
      let isReached = eventually {
        (one, two, three) = (own.text, attached.text, narrow.text)
        let isOver = others.map { ![one, two, three].joined().contains($0) } ?? true
        let isThere = one.contains(words) && three.contains(narrowWords ?? words)
        return isOver && isThere && withoutBars(one) == withoutBars(two)
      }
      #expect(isReached, "\(words):\n\(one)\n---\n\(two)\n---\n\(three)")
    }

    agree(on: "line one")
    agree(on: "step three")
    sandbox.write("\n", to: "gate2")
    agree(on: "step four")
    #expect(RunningTool.run(["pause"], in: sandbox).end == .code(0))
    agree(on: "paused")
    press(" ", in: attached)
    agree(on: "step four", without: "paused")
    press(" ", in: own)
    agree(on: "paused")
    press(" ", in: narrow)
    agree(on: "step four", without: "paused")
    sandbox.write("\n", to: "gate3")
    agree(on: "held by fail", narrowly: "held")
    press("s", in: attached)
    agree(on: "1 failed", without: "held")
    sandbox.write("\n", to: "gate1")
    agree(on: "• last")
    for gate in ["gate2", "gate5"] { sandbox.write("\n", to: gate) }
    agree(on: "demo: ")
    for view in [own, attached, narrow] { #expect(view.tool.end() == .code(1)) }
    #expect(sandbox.survivors() == [])
  }
}
