internal import HeadwayLock
internal import HeadwayProgress
internal import Synchronization

/// A tree that this process publishes.
// What is said of its polling belongs to the thread of the loop.
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
  /// Takes what is asked of the whole, as a run does; nil if the tree does.
  let requests: RequestQueue?
  /// Whether somebody watches it.
  var isWatched: Bool {
    get { watchState.load(ordering: .acquiring) }
    set {
      if watchState.exchange(newValue, ordering: .releasing) != newValue { onWatch?() }
    }
  }
  private let watchState = Atomic<Bool>(false)
  /// Whether the work has failed, or will have once its node finishes.
  var hasFailed: Bool {
    get { failState.load(ordering: .acquiring) }
    set { failState.store(newValue, ordering: .releasing) }
  }
  private let failState = Atomic<Bool>(false)
  /// The last snapshot of a tree that has to be polled, until it is taken.
  var polled: ProgressSnapshot?
  /// The number of the copy that waits for a snapshot of such a tree, nil if none does.
  var awaited: Int?
  private var isReading = false
  /// Whether the snapshot that is being taken may be older than what was asked for.
  private var readsAgain = false
  private let problem = Guarded<RelayError?>(nil)

  init(
    _ id: PublicationID, kind: String, name: String?, path: String?, accepts: AcceptedRequests,
    observer: TreeObserver, zigObserver: TreeObserver?, onWatch: (@Sendable () -> Void)?,
    onProblem: (@Sendable (RelayError) -> Void)?, requests: RequestQueue?
  ) {
    (self.id, self.kind, self.name, self.path) = (id, kind, name, path)
    (self.accepts, self.observer) = (accepts, observer)
    (self.onWatch, self.onProblem, self.requests) = (onWatch, onProblem, requests)
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
    /// Reads the tree on another thread, because that may have to wait for the program, and then tells the loop; one read
    /// at a time.
    func readLater() {
      guard !isReading else {
        readsAgain = true
        return
      }
      isReading = true
      Task.detached {
        let snapshot = self.observer.snapshot(limit: RelayLimits.nodes)
        RelayLoop.shared.post(.copied(self.id, snapshot))
      }
    }

    /// Notes that the tree was read.
    ///
    /// - Returns: Whether that was after everything that has happened; else it is read again.
    func hasRead() -> Bool {
      isReading = false
      guard readsAgain else { return true }
      readsAgain = false
      readLater()
      return false
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
