import Glibc
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Repetitions
import Testing

@testable import HeadwayState

/// A process that writes a history and is killed at a random moment.
private struct KilledWriter {
  /// The path of the program, which stands beside the tests.
  private static let program: String = {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { return "HistoryWriter" }
    defer { unsafe free(own) }
    let folders = unsafe String(cString: own).split(separator: "/").dropLast()
    return folders.reduce("") { "\($0)/\($1)" } + "/HistoryWriter"
  }()

  /// The error for a process that cannot be started.
  struct CannotStart: Error {
    var number: Int32
  }

  /// Starts a process that writes, and kills it.
  ///
  /// - Parameters:
  ///   - words: The arguments of the process.
  ///   - bytes: The number of bytes that it prints before it is killed.
  ///   - longest: The longest time from then to the kill; how long it is comes by chance.
  /// - Returns: The whole lines that it has printed, and how it ended, as `waitpid` returns it.
  /// - Throws: `CannotStart`.
  static func run(
    _ words: [String], killedAfter bytes: Int, upTo longest: Duration
  ) throws -> (lines: [String], status: Int32) {
    let pipe = Pipe()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writer, STDOUT_FILENO)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var arguments = unsafe ([program] + words).map { unsafe strdup($0) } + [nil]
    defer { for place in unsafe arguments.indices { unsafe free(arguments[place]) } }
    var pid: pid_t = 0
    let error = unsafe posix_spawn(&pid, program, &actions, nil, &arguments, environ)
    close(pipe.writer)
    guard error == 0 else { throw CannotStart(number: error) }

    var printed: [UInt8] = []
    while printed.count < bytes, read(pipe.reader, into: &printed) {}
    var random = SystemRandomNumberGenerator()
    pauseAtRandom(upTo: longest, using: &random)
    kill(pid, SIGKILL)
    while read(pipe.reader, into: &printed) {}
    close(pipe.reader)
    var status: Int32 = 0
    unsafe waitpid(pid, &status, 0)
    let whole = printed.lastIndex(of: UInt8(ascii: "\n")).map { printed[...$0] } ?? []
    let lines = String(decoding: whole, as: UTF8.self).split(separator: "\n").map { String($0) }
    return (lines, status)
  }

  /// Reads some bytes; returns false at the end.
  private static func read(_ descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    var room = [UInt8](repeating: 0, count: 256)
    let count = unsafe Glibc.read(descriptor, &room, room.count)
    bytes += room.prefix(max(count, 0))
    return count > 0
  }
}

/// One after the other, so that the moments of the kills depend on no other writer.
@Suite(.serialized)
struct KillTests {
  /// The number of files for each way to write.
  private static let files = repetitions(6, real: 25)
  /// The number of kills for each file; four ways to write make 1,000 kills in a long run.
  private static let kills = repetitions(4, real: 10)

  @Test(arguments: [(1, 100_000), (7, 100_000), (3, 2), (100, 2)])
  func `A history survives the death of its writer at any moment`(size: Int, runs: Int) async throws
  {
    // It mostly waits for processes, so it runs on a thread of its own and does not block one of the test runner's.
    let problems = try await withCheckedThrowingContinuation { done in
      let error = SystemThread.start(named: "kills") {
        done.resume(with: Result { try Self.problems(size: size, runs: runs) })
      }
      if error != 0 { done.resume(throwing: KilledWriter.CannotStart(number: error)) }
    }
    #expect(problems == [])
  }

  /// Kills writers and returns what is wrong with their files, a line each.
  private static func problems(size: Int, runs: Int) throws -> [String] {
    var problems: [String] = []
    func check(_ condition: Bool, _ problem: @autoclosure () -> String) {
      if !condition { problems.append(problem()) }
    }
    var numbers = SystemRandomNumberGenerator()
    for _ in 0..<files {
      let folder = Folder()
      var next = 1
      var promised: Set<Int> = []
      for kill in 0..<kills {
        // The first kill of a file comes while the process starts or creates the file.
        let isEarly = kill == 0
        let (lines, status) = try KilledWriter.run(
          [folder.history, "\(next)", "\(size)", "\(runs)"],
          killedAfter: isEarly ? 0 : Int.random(in: 0...200, using: &numbers),
          upTo: .microseconds(isEarly ? 60_000 : 300))
        check(status & 0x7f == SIGKILL, "a writer ended by itself: \(status)")
        var first = next
        for line in lines {
          guard line != "begin" else {
            // If runs are deleted, only the newest is sure to be kept.
            if runs < 10 { promised.removeAll() }
            continue
          }
          guard let last = Int(line) else {
            problems.append("a writer printed: \(line)")
            continue
          }
          promised.formUnion(first...last)
          first = last + 1
        }
        // Records that were not announced may have been written too.
        next = first + 100 * size

        let store = HistoryStore(path: folder.history)
        problems += store.warnings
        let runs = store.history(of: "killed", limit: .max).runs
        let kept = runs.flatMap(\.records)
        for name in runs.map(\.name) {
          let count = store.run(named: name)?.graph?.count
          check(
            Int(name).map { count == 200 + $0 % 3 } ?? false,
            "run \(name) has a graph of \(count ?? 0) tasks")
        }
        let missing = promised.subtracting(kept.map(\.attempts))
        check(missing.isEmpty, "\(missing.count) records that were announced are missing")
        check(kept.allSatisfy { $0.ran == .microseconds($0.attempts) }, "a record has changed")
        let integrity = try folder.integrity()
        check(integrity == "ok", integrity)
        let strays = try folder.strayGraphs()
        check(strays == 0, "\(strays) graphs belong to no run")
      }
      check(
        folder.names.allSatisfy { !$0.contains("damaged") }, "an intact file was treated as damaged"
      )
    }
    return problems
  }
}
