import Console
import Foundation
import HeadwayLaunch
import HeadwayRun
import HeadwayView
import Loopback

/// Starts a server with a database, a cache and a registry that hangs, and prints the result.
@main
enum ServerLaunch {
  /// Runs the program.
  ///
  /// It exits with 1 if the server could not be started or the result was wrong, and with 64 if the arguments are
  /// invalid.
  static func main() async {
    // Writing to a client that has gone must not end the program.
    signal(SIGPIPE, SIG_IGN)
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      if arguments.isHelp { return print(UsageError.usage) }
      exit(try await run(arguments) ? 0 : 1)
    } catch let error as UsageError {
      tell("ServerLaunch: \(error.description)\n")
      exit(64)
    } catch {
      tell("ServerLaunch: \(error)\n")
      exit(1)
    }
  }

  /// Runs the server from its start to its end.
  ///
  /// - Parameter arguments: The arguments.
  /// - Returns: Whether all was as it should be.
  /// - Throws: An error if the run cannot begin.
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
    var options = LauncherOptions()
    options.cancellationSignals = [.sigint, .sigterm]
    let whole = try Launcher(
      life.wholeGraph(start, isServing: arguments.isServing, sumUp: sumUp), options: options)
    let result = await whole.run()
    // A run that is cancelled before it was started never begins by itself.
    start.cancel()
    await shown.value

    let started = await start.result
    let verdict = Verdict(started, result, isServing: arguments.isServing)
    let isTidy = folder.map { !FileManager.default.fileExists(atPath: $0.path) } ?? true
    if !isTidy { tell("ServerLaunch: \(path) was not removed\n") }
    if let signal = result.signal, result.endReason == .cancelled,
      !(verdict.wasReady && arguments.isServing)
    {
      tell("ServerLaunch: ended early\n")
      signal.endProcess()
    }
    if let difference = verdict.difference { tell("ServerLaunch: \(difference)\n") }
    return verdict.difference == nil && isTidy
  }

  /// Shows a run in plain lines on standard error, as in the log of a server.
  ///
  /// - Parameters:
  ///   - events: The events of the run.
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

/// A temporary folder.
struct Folder: Sendable {
  /// Where it is.
  let path = FileManager.default.temporaryDirectory.appending(path: "ServerLaunch-\(UUID())").path

  /// Makes the folder.
  ///
  /// - Throws: The error of the file system.
  func make() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Removes the folder with its contents, if it exists.
  ///
  /// - Throws: The error of the file system.
  func remove() throws {
    guard FileManager.default.fileExists(atPath: path) else { return }
    try FileManager.default.removeItem(atPath: path)
  }
}
