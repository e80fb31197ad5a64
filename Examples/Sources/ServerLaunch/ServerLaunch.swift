import Console
import Foundation
import HeadwayConsole
import HeadwayLaunch
import HeadwayRun
import Loopback
import Synchronization

/// Starts a server with a database, a cache and a registry that hangs, and says how that went.
@main
enum ServerLaunch {
  /// Runs the program.
  ///
  /// It exits with 1 when the server could not be started or something was otherwise than it should be, and with 64
  /// when the arguments cannot be understood.
  static func main() async {
    // A server whose client has gone must not end the program by its answer.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      if arguments.isHelp { return print(UsageError.usage) }
      exit(try await run(arguments) ? 0 : 1)
    } catch let mistake as UsageError {
      tell("ServerLaunch: \(mistake.description)\n")
      exit(64)
    } catch {
      tell("ServerLaunch: \(error)\n")
      exit(1)
    }
  }

  /// Keeps the first signal.
  private final class Memory: Sendable {
    /// The first signal, 0 while there was none.
    let signal = Atomic<Int32>(0)
  }

  /// Runs the server from its start to its end.
  ///
  /// - Parameter arguments: How.
  /// - Returns: Whether all was as it should be.
  /// - Throws: What keeps the run from beginning.
  private static func run(_ arguments: Arguments) async throws -> Bool {
    let folder = arguments.path == nil ? Folder() : nil
    let path = arguments.path ?? folder?.file("shop.sqlite") ?? ""
    let life = ServerStart(shop: Shop(), registry: try Registry(), folder: folder, path: path)
    let startGraph = life.startGraph()
    let start = try Launcher(
      startGraph, name: ServerStart.Name.start, options: LauncherOptions(deadline: .seconds(180)))
    let events = start.events()
    let shown = Task { await show(events, of: start.name, startGraph) }
    let sumUp: @Sendable () async -> Void = {
      await shown.value
      print(Verdict.words(await start.result))
    }
    let whole = try Launcher(
      life.wholeGraph(start, isServing: arguments.isServing, sumUp: sumUp))

    let memory = Memory()
    let watch = SignalWatch { number in
      _ = memory.signal.compareExchange(expected: 0, desired: number, ordering: .relaxed)
      whole.cancel()
    }
    let result = await whole.run()
    // A run that was cancelled before its turn never begins by itself.
    start.cancel()
    await shown.value
    watch.stop()

    let started = await start.result
    let verdict = Verdict(started, result, isServing: arguments.isServing)
    let isTidy = folder.map { !FileManager.default.fileExists(atPath: $0.path) } ?? true
    if !isTidy { tell("ServerLaunch: \(path) is still there\n") }
    let signal = memory.signal.load(ordering: .relaxed)
    if signal != 0, result.endReason == .cancelled, !(verdict.wasReady && arguments.isServing) {
      tell("ServerLaunch: ended before its time\n")
      SignalWatch.end(by: signal)
    }
    if let mistake = verdict.mistake { tell("ServerLaunch: \(mistake)\n") }
    return verdict.mistake == nil && isTidy
  }

  /// Shows a run in plain lines on the error output, as a server's log wants them.
  ///
  /// - Parameters:
  ///   - events: What happens in it.
  ///   - name: Its name.
  ///   - graph: Its tasks.
  private static func show(
    _ events: some AsyncSequence<RunEvent, Never>, of name: String, _ graph: LaunchGraph
  ) async {
    let console = RunConsole(name, graph, mode: .lines)
    for await event in events { console.receive(event) }
    console.finish()
  }
}

/// A folder of its own among those for what does not last.
struct Folder: Sendable {
  /// Where it is.
  let path = FileManager.default.temporaryDirectory.appending(path: "ServerLaunch-\(UUID())").path

  /// Makes the folder.
  ///
  /// - Throws: What the file system says.
  func make() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes the folder with all that is in it, if it is there.
  ///
  /// - Throws: What the file system says.
  func remove() throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.removeItem(atPath: path)
  }
}
