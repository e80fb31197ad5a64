internal import HeadwayLock
internal import HeadwayProgress
internal import Synchronization

/// A tree that this process publishes.
// `polled` and `isReading` belong to the thread of the loop.
final class Published: @unchecked Sendable {
  let id: PublicationID
  let kind: String
  let name: String?
  let path: String?
  let accepts: AcceptedRequests
  let observer: TreeObserver
  #if os(Linux)
    /// The tree for a process that shows it as Zig does, nil if there is none.
    let zigSource: ZigSource?
  #endif
  /// Called when `isWatched` has changed, on the thread of the loop.
  private let onWatch: (@Sendable () -> Void)?
  /// Takes problems, on the thread of the loop.
  let onProblem: (@Sendable (RelayError) -> Void)?
  /// Whether somebody watches it.
  var isWatched: Bool {
    get { watchState.load(ordering: .relaxed) }
    set {
      if watchState.exchange(newValue, ordering: .relaxed) != newValue { onWatch?() }
    }
  }
  private let watchState = Atomic<Bool>(false)
  /// The last snapshot of a tree that has to be polled, until it is taken.
  var polled: ProgressSnapshot?
  private let problem = Guarded<RelayError?>(nil)
  private let isReading = Atomic<Bool>(false)

  init(
    _ id: PublicationID, kind: String, name: String?, path: String?, accepts: AcceptedRequests,
    observer: TreeObserver, zigObserver: TreeObserver?, onWatch: (@Sendable () -> Void)?,
    onProblem: (@Sendable (RelayError) -> Void)?
  ) {
    (self.id, self.kind, self.name, self.path) = (id, kind, name, path)
    (self.accepts, self.observer) = (accepts, observer)
    (self.onWatch, self.onProblem) = (onWatch, onProblem)
    #if os(Linux)
      zigSource = zigObserver.map { ZigSource($0) }
    #endif
  }

  /// Why nobody can see it, nil if there is no reason.
  var failure: RelayError? { problem.withLock { $0 } }

  /// Notes why nobody can see it, and tells the program.
  func fail(_ error: RelayError) {
    problem.withLock { $0 = error }
    onProblem?(error)
  }

  #if os(Linux)
    /// Reads the tree on another thread, and then tells the loop; one read at a time.
    func readLater() {
      guard !isReading.exchange(true, ordering: .acquiring) else { return }
      Task.detached {
        let snapshot = self.observer.snapshot(limit: RelayLimits.nodes)
        self.isReading.store(false, ordering: .releasing)
        RelayLoop.shared.post(.copied(self.id, snapshot))
      }
    }
  #endif
}

/// Ends a publication when its node has finished: the node holds it until then.
final class PublicationEndHook: Sendable {
  private let id: PublicationID

  init(_ id: PublicationID) { self.id = id }

  deinit {
    #if os(Linux)
      RelayLoop.shared.post(.unpublish(id, .finished))
    #endif
  }
}
