import HeadwayLaunch
import HeadwayRun
import HeadwayTestSupport

/// What a service does by itself, and how it ends when it is told to.
struct ServiceScript: Sendable {
  /// The seconds after which it ends by itself, nil for never.
  var lifetime: Int?
  /// Whether it throws when it ends by itself.
  var throwsAtEnd = false
  /// The seconds from being told to its end.
  var closing = 1
  /// Whether it throws when it has closed.
  var throwsAfterClosing = false
  /// Whether the run goes on without it.
  var isOptional = false
  /// How long it may take to close.
  var grace = Duration.seconds(60)
}

/// What happened in a run of services, with the seconds since its beginning.
final class ServiceDiary: Sendable {
  private let lines = Box<[String]>([])
  private let launch: VirtualLaunch

  init(_ launch: VirtualLaunch) { self.launch = launch }

  func note(_ line: String) {
    let seconds = Int(launch.clock.now.offset / .seconds(1))
    lines.change { $0.append("\(seconds) \(line)") }
  }

  /// The lines so far.
  var all: [String] { lines.value }
}

extension LaunchGraph {
  /// Adds services with the names 1, 2 and so on.
  ///
  /// - Parameters:
  ///   - scripts: What each of them does.
  ///   - isChain: Whether each of them needs the one before.
  ///   - launch: The launcher's clock and executor.
  ///   - diary: The diary to write to.
  mutating func addServices(
    _ scripts: [ServiceScript], isChain: Bool = true, _ launch: VirtualLaunch, _ diary: ServiceDiary
  ) {
    var last: TaskOutput<Void>?
    for (index, script) in scripts.enumerated() {
      let name = "\(index + 1)"
      let settings = TaskSettings(grace: script.grace, isOptional: script.isOptional)
      let body: @Sendable (RunningService<Void>) async throws -> Void = { service in
        try await script.run(name, service, launch, diary)
      }
      if isChain, let before = last {
        last = addService(name, after: before, settings: settings) { service, _ in
          try await body(service)
        }
      } else {
        last = addService(name, settings: settings, body)
      }
    }
  }
}

extension ServiceScript {
  /// Does what the script says.
  func run(
    _ name: String, _ service: RunningService<Void>, _ launch: VirtualLaunch, _ diary: ServiceDiary
  ) async throws {
    diary.note("\(name) runs")
    service.ready()
    if let lifetime {
      try await launch.sleep(lifetime)
      diary.note("\(name) ends")
      if throwsAtEnd { throw Mishap(description: "\(name) broke") }
      return
    }
    await service.waitForShutdown()
    diary.note("\(name) is told")
    // In a Swift task of its own, because that of the service is cancelled.
    await Task(executorPreference: launch.executor) { try? await launch.sleep(closing) }.value
    diary.note("\(name) has closed")
    if throwsAfterClosing { throw Mishap(description: "\(name) broke") }
  }
}
