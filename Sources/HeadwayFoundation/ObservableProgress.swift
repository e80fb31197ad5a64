public import HeadwayProgress
public import Observation

/// The progress of a node on the main actor, observed by SwiftUI and `Observations`.
///
/// ```swift
/// let progress = ObservableProgress(of: node)
/// let line = progress.snapshot.localizedDescription()  // what a view shows: 50% completed
/// ```
///
/// It takes a snapshot after a change, at most one per frame, and the last one when the node finishes. It does not
/// retain the node and keeps its last state.
@Observable @MainActor
public final class ObservableProgress {
  /// The snapshot of the last frame.
  public private(set) var snapshot: ProgressSnapshot

  @ObservationIgnored private var updating: OwnedTask?

  /// Creates an observable object for a node.
  ///
  /// - Parameters:
  ///   - node: The node; not retained.
  ///   - interval: The length of a frame.
  ///   - limit: The most nodes of a snapshot: 1 to 1,000.
  ///   - clock: The clock that measures the frames.
  public init<C: Clock>(
    of node: ProgressNode, every interval: Duration = .milliseconds(16), limit: Int = 1_000,
    clock: C = ContinuousClock()
  ) where C.Duration == Duration {
    snapshot = node.snapshot(limit: limit)
    let feed = node.feed(every: interval, limit: limit, clock: clock)
    updating = OwnedTask(
      Task { [weak self] in
        for await snapshot in feed {
          guard let self else { return }
          if snapshot != self.snapshot { self.snapshot = snapshot }
        }
      })
  }
}
