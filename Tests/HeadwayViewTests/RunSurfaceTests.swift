import Glibc
import HeadwayLock
import HeadwayRun
import HeadwaySystem
import HeadwayTerminal
import ProcessFixtures
import RunFixtures
import Testing

@testable import HeadwayView

/// A run's own words between the output of its tasks.
struct RunSurfaceTests {
  /// A renderer that prints the name of each event, and a row with each frame.
  private struct Words: RunRenderer {
    mutating func update(_ update: RunUpdate, into output: inout [UInt8]) {
      for event in update.events {
        switch event.event.kind {
        case .taskStarted: output += Array("started\n".utf8)
        case .taskEnded: output += Array("ended\n".utf8)
        case .taskRetrying: output += Array("retrying\n".utf8)
        default: break
        }
      }
    }
    mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8]) {
      output += Array("frame\n".utf8)
    }
    func nextFrame(after now: Duration) -> Duration? { now + .seconds(1) }
    mutating func makeWay(for lines: Int, into output: inout [UInt8]) {
      output += Array("way for \(lines)\n".utf8)
    }
  }

  /// A surface with what its run tells.
  private struct Stage {
    var surface: RunSurface
    let logs: MemoryLogs
    let updates: UpdateQueue
    let failure = SharedFailure()

    init(
      isRedrawn: Bool = false, growth: FolderWatch? = nil,
      _ change: (inout RunDescription) -> Void = { _ in }
    ) {
      logs = MemoryLogs()
      var description = RunDescription(name: "r", names: ["a"])
      description.logs = logs
      description.logWatch = growth
      description.output.mode = .stream
      description.output.showsNames = false
      change(&description)
      let updates = UpdateQueue()
      self.updates = updates
      surface = RunSurface(
        Words(), description: description, feed: OutputFeed(description, color: false),
        isRedrawn: isRedrawn, take: { updates.take() }, failure: failure)
    }

    /// What the surface prints for events.
    mutating func pass(_ kinds: RunEvent.Kind...) -> String {
      updates.add(kinds)
      var output: [UInt8] = []
      surface.update(into: &output)
      return String(decoding: output, as: UTF8.self)
    }

    /// What the surface draws.
    mutating func frame() -> String {
      var output: [UInt8] = []
      surface.frame(at: .zero, size: TerminalSize(columns: 80, rows: 24), into: &output)
      return String(decoding: output, as: UTF8.self)
    }
  }

  private static let started = RunEvent.Kind.taskStarted(0, attempt: 1)
  private static let ended = RunEvent.Kind.taskEnded(0, .succeeded, attempts: 1, ran: .zero)

  @Test func `Output comes before the words for the end of its task`() {
    var stage = Stage()
    stage.logs[0] = "one\n"
    #expect(stage.pass(Self.started) == "started\nway for 1\none\n")
    stage.logs[0] = "one\ntwo\n"
    #expect(stage.pass(Self.ended) == "way for 1\ntwo\nended\n")
    #expect(!stage.surface.hasMore)
  }

  @Test(arguments: [true, false])
  func `Output of an attempt comes before the words for another one`(showsNames: Bool) {
    var stage = Stage { $0.output.showsNames = showsNames }
    let name = showsNames ? "a | " : ""
    _ = stage.pass(Self.started)
    stage.logs[0] = "one\nno end"
    let retrying = RunEvent.Kind.taskRetrying(
      0, attempt: 2, delay: .seconds(1), because: .failed(.exited(code: 1)))
    #expect(stage.pass(retrying) == "way for 2\n\(name)one\n\(name)no end\nretrying\n")
    stage.logs[0] = "one\nno endtwo\n"
    #expect(stage.pass(Self.started, Self.ended) == "started\nway for 1\n\(name)two\nended\n")
  }

  @Test func `A group has the output of all attempts, at its end`() {
    var stage = Stage { $0.output.mode = .group }
    _ = stage.pass(Self.started)
    stage.logs[0] = "one\n"
    let retrying = RunEvent.Kind.taskRetrying(
      0, attempt: 2, delay: .zero, because: .failed(.exited(code: 1)))
    #expect(stage.pass(retrying) == "retrying\n")
    stage.logs[0] = "one\ntwo\n"
    let text = stage.pass(Self.ended)
    #expect(text.contains("one\ntwo\n") && text.hasSuffix("ended\n"), "\(text)")
  }

  @Test func `No rows are drawn below a line without an end, and words begin a new one`() {
    var stage = Stage(isRedrawn: true)
    stage.logs[0] = "Password: "
    #expect(stage.pass(Self.started) == "started\nway for 0\nPassword: ")
    #expect(stage.frame() == "")
    #expect(stage.surface.nextFrame(after: .zero) == .milliseconds(20))
    #expect(stage.pass() == "")
    #expect(stage.pass(.runEnding(.cancelled)) == "\n")
    #expect(stage.frame() == "frame\n")
    #expect(stage.pass(Self.ended) == "ended\n")
  }

  @Test func `Words that are not redrawn end a line of a task`() {
    var stage = Stage()
    stage.logs[0] = "wait"
    #expect(stage.pass(Self.started) == "started\nway for 0\nwait")
    #expect(stage.frame() == "\nframe\n")
    #expect(stage.frame() == "frame\n")
  }

  @Test func `Logs that tell of their growth are not read in between`() throws {
    let (folder, watch) = (Folder(), FolderWatch())
    try #require(watch.add(Array(folder.path.utf8)) == 0)
    var stage = Stage(growth: watch)
    folder.write("log", "x")
    #expect(watch.wait(for: .zero))
    folder.write("log", "y")
    #expect(stage.pass(Self.started) == "started\n")
    // What was read is no news any more.
    #expect(!watch.wait(for: .zero))
    #expect(stage.surface.news == watch.descriptor)
    #expect(stage.surface.nextFrame(after: .zero) == .seconds(1))
    stage.logs[0] = "x\n"
    #expect(stage.pass() == "way for 1\nx\n")
    // More may come soon: it is collected for a while.
    #expect(stage.surface.news == nil)
    #expect(stage.surface.nextFrame(after: .zero) == .milliseconds(20))
    #expect(stage.pass() == "")
    #expect(stage.surface.news == watch.descriptor)
  }

  @Test func `A reader that stops reading holds up the words for a while only`() {
    let pipe = Pipe()
    var stage = Stage { $0.output.output = pipe.writer }
    stage.logs[0] = String(repeating: "x", count: 1 << 20) + "\n"
    #expect(stage.pass(Self.started) == "started\n")
    var words = stage.pass(Self.ended)
    #expect(words == "")
    #expect(stage.surface.hasMore)
    for _ in 0..<20 where words.isEmpty { words = stage.pass() }
    #expect(words == "ended\n")
    #expect(stage.surface.hasMore)
    // Given up, the rest is dropped, and the words are not repeated.
    stage.failure.code.withLock { $0 = ETIMEDOUT }
    #expect(stage.pass() == "")
    #expect(!stage.surface.hasMore)
    close(pipe.writer)
    close(pipe.reader)
  }

  @Test func `A reader that comes back gets everything`() {
    let pipe = Pipe()
    var stage = Stage { $0.output.output = pipe.writer }
    let text = String(repeating: "x", count: 100_000) + "\n"
    stage.logs[0] = text
    #expect(stage.pass(Self.started) == "started\n")
    #expect(stage.surface.hasMore)
    var read: [UInt8] = []
    var words = stage.pass(Self.ended)
    while stage.surface.hasMore {
      read += pipe.readSome()
      words += stage.pass()
    }
    while read.count < text.utf8.count, let byte = pipe.nextByte() { read.append(byte) }
    defer {
      close(pipe.reader)
      close(pipe.writer)
    }
    #expect(String(decoding: read, as: UTF8.self) == text)
    #expect(words == "ended\n")
  }

  @Test func `An error ends the output, and the words go on`() {
    let full = unsafe open("/dev/full", O_WRONLY)
    defer { close(full) }
    var stage = Stage { $0.output.output = full }
    stage.logs[0] = "x\n"
    #expect(stage.pass(Self.started) == "started\n")
    #expect(stage.failure.code.withLock { $0 } == ENOSPC)
    #expect(stage.pass(Self.ended) == "ended\n")
    #expect(!stage.surface.hasMore)
  }
}

/// What a run tells a surface.
private final class UpdateQueue: Sendable {
  private let waiting = Guarded(RunUpdate())

  /// Adds events.
  func add(_ kinds: [RunEvent.Kind]) {
    waiting.withLock { waiting in
      waiting.events += kinds.map {
        RunUpdate.Event(RunEvent(time: .zero, kind: $0), RunState(taskCount: 1))
      }
    }
  }

  /// Takes everything.
  func take() -> RunUpdate {
    waiting.withLock { waiting in
      defer { waiting.events.removeAll() }
      return waiting
    }
  }
}
