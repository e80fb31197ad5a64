import Console
import HeadwayLaunch
import HeadwayProgress
import HeadwayRun

/// Shows a launch on the error output: lines for what is done, and in a terminal a bar below them.
@MainActor
final class LaunchScreen {
  /// The least time between two drawings in a terminal.
  private static let frame = Duration.milliseconds(50)
  /// The least time between two plain lines about how far it is.
  private static let pause = Duration.seconds(2)

  /// Where the bar is drawn.
  private let row = StatusRow()
  /// What is shown.
  private var picture: LaunchPicture

  /// Creates an empty screen.
  ///
  /// - Parameter optional: The tasks without which the app starts too.
  init(optional: Set<String>) { picture = LaunchPicture(on: row, optional: optional) }

  /// Begins a launch, and shows it to its end.
  ///
  /// - Parameter launcher: The launch.
  /// - Returns: What came of it.
  func show(_ launcher: Launcher) async -> LaunchResult {
    let events = launcher.events()
    let feed = launcher.progress.feed(every: row.isLive ? Self.frame : Self.pause)
    let follower = Task {
      // The first one comes at once, when there is nothing to tell yet.
      for await snapshot in feed.dropFirst() { follow(snapshot) }
    }
    launcher.start()
    for await event in events { tell(event) }
    follower.cancel()
    await follower.value
    return await launcher.result
  }

  /// Shows what happened.
  private func tell(_ event: RunEvent) {
    let lines = picture.receive(event)
    if row.isLive { row.clear() }
    for line in lines { Console.tell("\(line)\n") }
    draw()
  }

  /// Shows how far the launch is.
  private func follow(_ snapshot: ProgressSnapshot) {
    picture.receive(snapshot)
    if row.isLive {
      draw()
    } else if !snapshot.isFinished {
      Console.tell("  \(Int(picture.fraction * 100))%  \(picture.words)\n")
    }
  }

  /// Draws the bar, if there is a terminal and something to do.
  private func draw() {
    if row.isLive, !picture.isOver { row.draw(row.bar(picture.fraction, picture.words)) }
  }
}
