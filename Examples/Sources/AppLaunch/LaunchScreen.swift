import Console
import HeadwayLaunch
import HeadwayProgress
import HeadwayRun

/// Shows a launch on standard error: lines for events, and in a terminal a bar below them.
@MainActor
final class LaunchScreen {
  /// The minimum time between two frames in a terminal.
  private static let frame = Duration.milliseconds(50)
  /// The minimum time between two plain progress lines.
  private static let pause = Duration.seconds(2)

  /// The row of the bar.
  private let row = StatusRow()
  /// The content.
  private var picture: LaunchPicture

  /// Creates an empty screen.
  ///
  /// - Parameter optional: The optional tasks.
  init(optional: Set<String>) { picture = LaunchPicture(on: row, optional: optional) }

  /// Starts a launch, and shows it until it ends.
  ///
  /// - Parameter launcher: The launch.
  /// - Returns: The result.
  func show(_ launcher: Launcher) async -> LaunchResult {
    let events = launcher.events()
    let feed = launcher.progress.feed(every: row.isLive ? Self.frame : Self.pause)
    let follower = Task {
      // The first snapshot comes at once, before there is anything to show.
      for await snapshot in feed.dropFirst() { follow(snapshot) }
    }
    launcher.start()
    for await event in events { tell(event) }
    follower.cancel()
    await follower.value
    return await launcher.result
  }

  /// Shows events.
  private func tell(_ event: RunEvent) {
    let lines = picture.receive(event)
    if row.isLive { row.clear() }
    for line in lines { Console.tell("\(line)\n") }
    draw()
  }

  /// Shows the progress of the launch.
  private func follow(_ snapshot: ProgressSnapshot) {
    picture.receive(snapshot)
    if row.isLive {
      draw()
    } else if !snapshot.isFinished {
      Console.tell("  \(Int(picture.fraction * 100))%  \(picture.words)\n")
    }
  }

  /// Draws the bar, if there is a terminal and a running task.
  private func draw() {
    if row.isLive, !picture.isOver { row.draw(row.bar(picture.fraction, picture.words)) }
  }
}
