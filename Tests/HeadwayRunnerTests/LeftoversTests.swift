import Glibc
import HeadwayPlan
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// What is alive of runs that are over, and what is only taken for it.
struct LeftoversTests {
  /// The identity of the run, which no other test has.
  private let identity = "left-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

  /// Starts a process that has a mark in its environment and sleeps.
  private func start(_ mark: String, ignoringTerm: Bool = false) throws -> pid_t {
    let script = ignoringTerm ? "trap '' TERM; sleep 1000 & wait; wait" : "exec sleep 1000"
    let arguments = ["sh", "-c", script]
    var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    let variables = ["PATH=/usr/bin:/bin", "HEADWAY_TASK_ID=\(mark)"]
    var environment = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer {
      for place in unsafe words.indices { unsafe free(words[place]) }
      for place in unsafe environment.indices { unsafe free(environment[place]) }
    }
    var pid: pid_t = 0
    let error = unsafe posix_spawn(&pid, "/bin/sh", nil, nil, &words, &environment)
    try #require(error == 0)
    // A process has the environment of its parent until it runs its program.
    #expect(eventually { !readEnvironment(of: pid).isDisjoint(with: variables) })
    return pid
  }

  private func readEnvironment(of pid: pid_t) -> Set<String> {
    let file = unsafe open("/proc/\(pid)/environ", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(file, &bytes, bytes.count)
    return Set(
      bytes.prefix(max(count, 0)).split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
  }

  /// Ends and reaps a process.
  private func end(_ pid: pid_t) {
    kill(pid, SIGKILL)
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
  }

  /// The run whose tasks the processes were, with changes to its process.
  private func run(
    _ outcomes: [String: Outcome] = [:], _ change: (inout ProcessIdentity) -> Void = { _ in }
  ) throws -> StoredRun {
    let tasks: [Plan.Task] = [.make("a"), .make("b")]
    var header = try EarlierRun.make(tasks).header
    header.identity = identity
    header.process = .current
    change(&header.process)
    let ends = outcomes.map { name, outcome in
      RunEvent(
        time: .zero,
        kind: .taskEnded(TaskID(name == "a" ? 0 : 1), outcome, attempts: 1, ran: .zero))
    }
    return try EarlierRun.read(header, EarlierRun.journal(ends, names: ["a", "b"]))
  }

  @Test func `Processes with the mark of a task are found, and of a run inside a task, too`() throws
  {
    let marks = ["\(identity).0", "\(identity).1/inner.7", "\(identity).12", "x\(identity).0", "y"]
    let started = try marks.map { try start($0) }
    defer { for pid in started { end(pid) } }
    #expect(Set(Leftovers(of: [try run()]).find()) == Set(started.prefix(2)))
  }

  @Test func `What a task has left before it succeeded stays`() throws {
    let pid = try start("\(identity).0")
    defer { end(pid) }
    #expect(Leftovers(of: [try run(["a": .succeeded])]).find() == [])
    #expect(Leftovers(of: [try run(["a": .cancelled])]).find() == [pid])
  }

  @Test func `A process of another boot, or from before the run, is not one of it`() throws {
    let pid = try start("\(identity).0")
    defer { end(pid) }
    // The new process may not have its environment yet.
    let stored = try run()
    #expect(eventually { Leftovers(of: [stored]).find() == [pid] })
    #expect(Leftovers(of: [try run { $0.boot = "another" }]).find() == [])
    #expect(Leftovers(of: [try run { $0.started = .max }]).find() == [])
  }

  @Test func `Processes are asked to end, and killed if they do not`() throws {
    let deaf = try start("\(identity).0", ignoringTerm: true)
    let obedient = try start("\(identity).1")
    let stored = try run()
    // Its child has the mark as well.
    #expect(eventually { Leftovers(of: [stored]).find().count == 3 })
    #expect(try Leftovers(of: [stored]).end("run", grace: .milliseconds(50)) >= 3)
    #expect(Leftovers(of: [stored]).find() == [])
    for pid in [deaf, obedient] {
      var status: Int32 = 0
      unsafe waitpid(pid, &status, 0)
      // Other tests may have blocked signals on this thread, which the obedient one has inherited.
      let ends = pid == deaf ? [ProcessEnd.signal(SIGKILL)] : [.signal(SIGTERM), .signal(SIGKILL)]
      #expect(ends.contains(ProcessEnd(status: status)))
    }
  }
}
