#if os(Linux)
  import Glibc
  import HeadwayProgress
  import HeadwayRelay
  import HeadwayTerminal
  import HeadwayTestSupport
  import ProcessFixtures
  import TerminalFixtures
  import Testing

  @testable import HeadwayCLI

  /// `headway watch`, `pause`, `unpause` and `cancel`, with work that the tests publish.
  ///
  /// Other tests publish at the same time, so each looks for its own work only.
  struct WatchTests {
    private let sandbox = Sandbox(seesTests: true)

    /// Published work, and the node that is.
    private struct Work {
      let node: ProgressNode
      let publication: Publication
      var id: String { publication.id }
    }

    /// Publishes work, and waits until others can see it.
    private func publish(
      _ label: String, name: String? = nil, accepts: Publication.Requests = [.cancel, .pause]
    ) async throws -> Work {
      let node = ProgressNode(label, total: 100)
      node.complete(42)
      let work = Work(node: node, publication: node.publish(name: name, accepts: accepts))
      for await _ in Subscription(.id(work.id)) { break }
      try #require(work.publication.problem == nil)
      return work
    }

    /// A name that no other process of these tests uses.
    private static func own(_ name: String) -> String { "\(name) of \(getpid())" }

    private func run(_ arguments: String...) -> (end: ProcessEnd, text: String) {
      RunningTool.run(arguments, in: sandbox)
    }

    /// The lines of a text that hold another.
    private func lines(_ text: String, with part: String) -> [Substring] {
      text.split(separator: "\n").filter { $0.contains(part) }
    }

    // MARK: Once

    @Test func `The table has a line for each publication`() async throws {
      let work = try await publish("table", name: "table-name")
      let child = work.node.child("build", units: 10, total: 10)
      let result = run("watch", "--once")
      #expect(result.end == .code(0))
      let line = try #require(lines(result.text, with: "\(work.id) ").first)
      #expect(line.split(separator: " ") == [Substring(work.id), "table", "42%", "build"])
      withExtendedLifetime(child) {}
    }

    @Test func `A pipe gets the table of one that is named`() async throws {
      let (label, name) = (Self.own("chosen label"), Self.own("chosen-name"))
      let work = try await publish(label, name: name)
      for word in [work.id, name, String(name.dropLast()), label] {
        let result = run("watch", word)
        #expect(result.end == .code(0))
        #expect(result.text == "\(work.id)  \(label)  42%\n")
      }
      work.node.finish()
    }

    @Test(arguments: ["watch", "pause", "unpause", "cancel"])
    func `What is not running is an error`(command: String) {
      let result = run(command, "no-such-work")
      #expect(result.end == .code(69))
      #expect(
        result.text == """
          headway: nothing that is running is called 'no-such-work'; headway watch --once lists what is

          """)
    }

    @Test func `What several are called is an error that lists them`() async throws {
      let label = Self.own("twins")
      let works = try await [publish(label), publish(label), publish("other \(label)")]
      let result = run("cancel", label)
      #expect(result.end == .code(2))
      let lines = result.text.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(
        lines.prefix(2).map { $0.prefix { $0 != " " } }.map(String.init)
          == works.prefix(2).map(\.id))
      #expect(lines.last == "headway: 2 are called '\(label)'; use the ID of one of them")
      #expect(works.allSatisfy { !$0.node.isCancelled })
    }

    @Test(arguments: [
      (["watch", "a", "b"], "unexpected argument 'b'; name one ID, or none for all"),
      (["watch", "--twice"], "unknown option --twice; valid options: --once, --json"),
      (
        ["unpause", "--now", "a"],
        "unknown option --now; valid options: --json, --state, --directory"
      ),
    ])
    func `Wrong arguments end with 2`(arguments: [String], message: String) {
      let result = RunningTool.run(arguments, in: sandbox)
      #expect(result.end == .code(2))
      #expect(result.text == "headway: \(message)\n")
    }

    @Test(arguments: ["watch", "pause", "unpause", "cancel"])
    func `Each command has a help`(command: String) {
      let result = run("help", command)
      #expect(result.end == .code(0))
      #expect(result.text.hasPrefix("headway \(command) "))
    }

    // MARK: Requests

    @Test func `Work is paused, resumed and cancelled from elsewhere`() async throws {
      let work = try await publish("steered", name: Self.own("steered"))
      let pause = run("pause", Self.own("steered"))
      #expect(pause.end == .code(0) && pause.text == "")
      #expect(work.node.isPaused)
      #expect(run("watch", "--once", work.id).text == "\(work.id)  steered  42%  paused\n")
      #expect(run("unpause", work.id).end == .code(0))
      #expect(!work.node.isPaused)
      #expect(run("cancel", work.id).end == .code(0))
      #expect(work.node.isCancelled)
    }

    @Test func `What the publisher refuses ends with 1 and its words`() async throws {
      let work = try await publish("stubborn", accepts: .pause)
      let result = run("cancel", work.id)
      #expect(result.end == .code(1))
      #expect(result.text.hasPrefix("headway: ") && result.text.contains("cancel"))
      #expect(lines(result.text, with: "").count == 1)
      #expect(!work.node.isCancelled)
    }

    // MARK: Lines

    @Test func `The first snapshots come as lines, and then it ends`() async throws {
      let work = try await publish("once lines")
      let result = run("watch", "--json", "--once")
      #expect(result.end == .code(0))
      let own = lines(result.text, with: "\"\(work.id)\"")
      #expect(own.count == 2)
      #expect(own.first?.hasPrefix(#"{"event":"publication_began","#) == true)
      #expect(own.last?.hasPrefix(#"{"event":"progress","#) == true)
      #expect(result.text.hasPrefix(#"{"event":"hello","#))
      #expect(lines(result.text, with: #"{"event":"answer""#).isEmpty)
      work.node.finish()
    }

    @Test func `The lines of one follow it to its end`() async throws {
      let work = try await publish("long lines")
      let tool = RunningTool(["watch", "--json", work.id], in: sandbox)
      #expect(tool.wait(for: #"{"event":"progress","#))
      work.node.complete(8)
      #expect(tool.wait(for: #""completed":50"#))
      work.node.finish()
      #expect(tool.end() == .code(0))
      let last = tool.text.split(separator: "\n").last ?? ""
      #expect(last.hasPrefix(#"{"event":"publication_ended","#) && last.contains("finished"))
      #expect(lines(tool.text, with: #"{"event":"hello""#).count == 1)
    }

    @Test func `The death of a publisher has a line of its own`() throws {
      let sandbox = Sandbox(plan: "tasks:\n  long: { run: sleep 300 }\n")
      let run = RunningTool(["run", "plan.yaml"], in: sandbox)
      #expect(run.wait(for: "long"))
      let runner = run.runner
      // A run can be seen soon after it has started, on a thread of its own.
      #expect(
        eventually {
          RunningTool.run(["watch", "--once", "\(runner).1"], in: sandbox).end == .code(0)
        })
      let tool = RunningTool(["watch", "--json", "\(runner).1"], in: sandbox)
      #expect(tool.wait(for: #"{"event":"progress","#))
      kill(runner, SIGKILL)
      #expect(tool.end() == .code(0))
      #expect(
        tool.text.hasSuffix(
          """
          {"event":"publication_lost","time":0.000,"publication":"\(runner).1",\
          "reason":"its process ended"}

          """))
      _ = run.end()
    }

    // MARK: Live

    private static let size = TerminalSize(columns: 100, rows: 50)

    /// Starts the tool in a terminal.
    private func start(_ arguments: String...) -> RunningTool {
      RunningTool(arguments, in: sandbox, terminal: Self.size)
    }

    /// What the terminal shows.
    private func screen(_ tool: RunningTool) -> String {
      var screen = TerminalScreen(size: Self.size)
      screen.write(tool.output)
      return screen.text
    }

    /// Waits until the terminal shows a text, as only differences are written.
    private func sees(_ tool: RunningTool, _ text: String) -> Bool {
      eventually {
        tool.read(for: 20)
        return screen(tool).contains(text)
      }
    }

    @Test func `In a terminal, keys pause and cancel the work, and the watching ends with it`()
      async throws
    {
      let work = try await publish("live work")
      let tool = start("watch", work.id)
      #expect(sees(tool, "p pauses · c cancels · q leaves"))
      #expect(screen(tool).contains("▸ live work  ━"))
      tool.type("p")
      #expect(sees(tool, "p resumes") && sees(tool, "\(work.id) · paused"))
      #expect(work.node.isPaused)
      tool.type("p")
      #expect(sees(tool, "p pauses"))
      #expect(eventually { !work.node.isPaused })
      tool.type("c")
      #expect(sees(tool, "cancel live work (\(work.id))? y cancels it, any other key does not"))
      tool.type("n")
      #expect(sees(tool, "q leaves"))
      tool.type("c")
      #expect(sees(tool, "cancel live work (\(work.id))?"))
      #expect(!work.node.isCancelled)
      tool.type("y")
      #expect(sees(tool, "\(work.id) · cancelling"))
      #expect(work.node.isCancelled)
      work.node.finish()
      #expect(tool.end() == .code(0))
      #expect(screen(tool) == "⊘ cancelled  live work")
    }

    @Test func `A refusal is shown, and q leaves while the work goes on`() async throws {
      let work = try await publish("firm work", accepts: [])
      let tool = start("watch", work.id)
      #expect(sees(tool, "q leaves"))
      tool.type("p")
      #expect(sees(tool, "\nfirm work: "))
      tool.type("q")
      #expect(tool.end() == .code(0))
      #expect(screen(tool) == "")
      #expect(!work.node.isCancelled && !work.node.isFinished)
      work.node.finish()
    }

    @Test func `All that runs is listed, and Ctrl-C leaves`() async throws {
      let work = try await publish("one of all")
      let tool = start("watch")
      #expect(sees(tool, "one of all"))
      tool.type("\u{3}")
      #expect(tool.end() == .signal(SIGINT))
      #expect(!work.node.isCancelled)
      #expect(sandbox.survivors() == [])
      work.node.finish()
    }

    @Test func `What is named and not running is an error in a terminal, too`() {
      let tool = start("watch", "no-such-work")
      #expect(tool.end() == .code(69))
      #expect(tool.text.contains("headway: nothing that is running is called 'no-such-work'"))
    }
  }

  /// The lines that `headway watch --json` makes of what publishers send.
  struct WatchLinesTests {
    private static let hello =
      #"{"event":"hello","time":0.000,"version":2,"pid":7,"program":"tool"}"#
    private static let began =
      #"{"event":"publication_began","time":0.000,"publication":"7.1","kind":"work","accepts":[]}"#
    private static let progress =
      #"{"event":"progress","time":0.000,"publication":"7.1","nodes":[{"node":0,"label":"é"}]}"#
    private static let answer = #"{"event":"answer","time":0.000,"id":1,"ok":true}"#
    private static let changed =
      #"{"event":"progress_changed","time":1.000,"publication":"7.1","nodes":[{"node":0,"completed":1}]}"#

    /// The lines, of which each is sent by a connection.
    private func lines(_ sent: [(Int, String)], isOnce: Bool = false) -> [String] {
      var lines = WatchLines(isOnce: isOnce)
      let output = sent.flatMap { lines.take(Array("\($0.1)\n".utf8)[...], from: $0.0) }
      return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `Lines are passed on, without answers`() {
      let sent = [Self.hello, Self.began, Self.progress, Self.answer, Self.changed]
      #expect(
        lines(sent.map { (1, $0) }) == [Self.hello, Self.began, Self.progress, Self.changed])
    }

    @Test func `The greeting comes before the first publication, if there is one`() {
      #expect(
        lines([(1, Self.hello), (2, Self.hello), (2, Self.began), (1, Self.answer)])
          == [Self.hello, Self.began])
    }

    @Test func `What comes after the answer is not wanted once`() {
      let sent = [Self.hello, Self.began, Self.progress, Self.answer, Self.changed]
      #expect(lines(sent.map { (1, $0) }, isOnce: true) == [Self.hello, Self.began, Self.progress])
    }

    @Test func `A line in parts is one line`() {
      var lines = WatchLines(isOnce: false)
      let bytes = Array("\(Self.hello)\n\(Self.began)\n".utf8)
      var output: [UInt8] = []
      for index in bytes.indices { output += lines.take(bytes[index...index], from: 3) }
      #expect(output == bytes)
    }

    @Test func `Nothing in a line can control a terminal`() {
      let hostile = Self.progress.replacing("é", with: "a\u{9B}2J\u{202E}b\u{E0041}\u{7F}")
      #expect(
        lines([(1, hostile.replacing(",\"nodes", with: ",\r\t\"nodes"))]) == [
          Self.progress.replacing("é", with: #"a\u009b2J\u202eb\udb40\udc41\u007f"#)
            .replacing(",\"nodes", with: ",  \"nodes")
        ])
    }

    @Test(arguments: [
      "not JSON", #"{"event":"publication_began"}"#,
      #"{"event":"hello","time":0.000,"version":3}"#,
    ])
    func `After a line that is not valid, nothing follows`(line: String) {
      #expect(lines([(1, line), (1, Self.began), (2, Self.hello), (2, Self.began)]).count == 2)
    }

    @Test func `Events of later versions are passed on as they are`() {
      let later = #"{"event":"mood","time":1.000,"publication":"7.1","good":true}"#
      #expect(lines([(1, Self.hello), (1, later)]) == [Self.hello, later])
    }
  }
#endif
