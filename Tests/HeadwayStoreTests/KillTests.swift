import Glibc
import HeadwayRun
import Testing

@testable import HeadwayStore

/// A process that writes a history and is killed at a random moment.
private struct KilledWriter {
  /// The path of the program, which stands beside the tests.
  private static let program: String = {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { return "HistoryWriter" }
    defer { unsafe free(own) }
    let folders = unsafe String(cString: own).split(separator: "/").dropLast()
    return folders.reduce("") { "\($0)/\($1)" } + "/HistoryWriter"
  }()

  /// Lets a process write and kills it.
  ///
  /// - Parameters:
  ///   - words: Its arguments.
  ///   - bytes: How much it tells before it is killed.
  ///   - delay: How long the kill is put off after that.
  /// - Returns: The whole lines that it has told.
  /// - Throws: Where no process can be started.
  static func run(_ words: [String], killedAfter bytes: Int, delay: Duration) throws -> [String] {
    var ends: [Int32] = [0, 0]
    let made = unsafe pipe(&ends)
    try #require(made == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var arguments = unsafe ([program] + words).map { unsafe strdup($0) } + [nil]
    defer { for place in unsafe arguments.indices { unsafe free(arguments[place]) } }
    var pid: pid_t = 0
    let error = unsafe posix_spawn(&pid, program, &actions, nil, &arguments, environ)
    close(ends[1])
    try #require(error == 0, "cannot start \(program): error \(error)")

    var told: [UInt8] = []
    while told.count < bytes, read(ends[0], into: &told) {}
    // As a sleep it costs no processor; how exact it is does not matter, as the moment is random.
    var pause = timespec(tv_sec: 0, tv_nsec: Int(delay / .nanoseconds(1)))
    unsafe nanosleep(&pause, nil)
    kill(pid, SIGKILL)
    while read(ends[0], into: &told) {}
    close(ends[0])
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
    #expect(status & 0x7f == SIGKILL, "the writer ended by itself: \(status)")
    let whole = told.lastIndex(of: UInt8(ascii: "\n")).map { told[...$0] } ?? []
    return String(decoding: whole, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  /// Reads what comes next; false at the end.
  private static func read(_ port: Int32, into told: inout [UInt8]) -> Bool {
    var room = [UInt8](repeating: 0, count: 256)
    let count = unsafe Glibc.read(port, &room, room.count)
    told += room.prefix(max(count, 0))
    return count > 0
  }
}

/// One after the other, so that no writer inherits the pipe of another one.
@Suite(.serialized)
struct KillTests {
  /// The files of each way to write.
  private static let files = 25
  /// The kills of each file, one after the other.
  ///
  /// Under ThreadSanitizer a process takes long to start, and what is tested is not there.
  #if TSAN
    private static let kills = 2
  #else
    private static let kills = 10
  #endif

  /// Four ways to write, 250 kills each: 1,000.
  @Test(arguments: [(1, 100_000), (7, 100_000), (3, 2), (100, 2)])
  func `A history survives the death of its writer at any moment`(size: Int, runs: Int) throws {
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<Self.files {
      let folder = Folder()
      var next = 1
      var promised: Set<Int> = []
      for kill in 0..<Self.kills {
        // The first kill of a file is to hit while the process starts or the file is made.
        let isEarly = kill == 0
        let lines = try KilledWriter.run(
          [folder.history, "\(next)", "\(size)", "\(runs)"],
          killedAfter: isEarly ? 0 : Int.random(in: 0...200, using: &numbers),
          delay: .microseconds(Int.random(in: 0...(isEarly ? 60_000 : 300), using: &numbers)))
        var first = next
        for line in lines {
          guard line != "begin" else {
            // Where runs are forgotten, only the newest is promised.
            if runs < 10 { promised.removeAll() }
            continue
          }
          let last = try #require(Int(line), "the writer said: \(line)")
          promised.formUnion(first...last)
          first = last + 1
        }
        // What was not told may have been written all the same.
        next = first + 100 * size

        let store = HistoryStore(path: folder.history)
        #expect(store.warnings == [])
        let runs = store.history(of: "killed", limit: .max).runs
        let kept = runs.flatMap(\.records)
        for name in runs.map(\.name) {
          let graph = store.run(named: name)?.graph
          #expect(graph?.count == 200 + (try #require(Int(name))) % 3)
        }
        let missing = promised.subtracting(kept.map(\.attempts))
        #expect(missing.isEmpty, "\(missing.count) records that were announced are missing")
        #expect(kept.allSatisfy { $0.ran == .microseconds($0.attempts) })
        #expect(try folder.integrity() == "ok")
        #expect(try folder.strayGraphs() == 0)
      }
      #expect(folder.names.allSatisfy { !$0.contains("damaged") })
    }
  }
}
