public import HeadwayProgress
public import Observation

/// The progress of a node for views: observed by SwiftUI and by `Observations`, on the main actor.
///
/// ```swift
/// let progress = ObservableProgress(of: node)
/// Text(progress.snapshot.localizedDescription())
/// ```
///
/// It takes a snapshot at most once a frame, when something has changed, and the last one when the node
/// finishes. It does not hold the node, and stays as the node was at the end. While it lives one task sleeps
/// on its behalf.
@Observable @MainActor
public final class ObservableProgress {
  /// The tree as it was at the last frame.
  public private(set) var snapshot: ProgressSnapshot

  /// The node.
  @ObservationIgnored private weak let node: ProgressNode?
  /// What brings this up to date.
  @ObservationIgnored private var following: FollowingTask?

  /// Begins to follow a node.
  ///
  /// - Parameters:
  ///   - node: The node. It is not held.
  ///   - interval: The length of a frame.
  ///   - limit: The most nodes of a snapshot: 1 to 1,000.
  ///   - clock: What measures the frames.
  public init<C: Clock>(
    of node: ProgressNode, every interval: Duration = .milliseconds(16), limit: Int = 1_000,
    clock: C = ContinuousClock()
  ) where C.Duration == Duration {
    snapshot = node.snapshot(limit: limit)
    self.node = node
    let feed = node.feed(every: interval, limit: limit, clock: clock)
    following = FollowingTask(
      Task { [weak self] in
        for await snapshot in feed {
          guard let self else { return }
          if snapshot != self.snapshot { self.snapshot = snapshot }
        }
      })
  }

  /// The part of the work to show, from 0 to 1: it never goes back.
  public var fraction: Double { snapshot.shownFraction }

  /// Whether the work has ended.
  public var isFinished: Bool { snapshot.isFinished }

  /// Tells the work to end early.
  ///
  /// - Complexity: O(nodes below).
  public func cancel() { node?.cancel() }

  /// Pauses the work.
  ///
  /// - Complexity: O(nodes below).
  public func pause() { node?.pause() }

  /// Lets the work go on.
  ///
  /// - Complexity: O(nodes below).
  public func resume() { node?.resume() }
}
