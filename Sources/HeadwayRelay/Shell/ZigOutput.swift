#if os(Linux)
  internal import CRelay
  internal import HeadwayLibc
  internal import HeadwayLock
  internal import HeadwayProgress
  internal import HeadwaySystem

  /// The pipe of a process that shows the work of this one as that of a program written in Zig.
  ///
  /// It shows one tree: that of the first publication that has not ended. Belongs to the thread of a ``RelayLoop``, in which all
  /// signals are blocked, so that writing after the reader has ended is no more than an error.
  final class ZigOutput {
    /// A tree that can be shown.
    private struct Tree {
      let id: PublicationID
      let source: ZigSource
    }

    /// Whether the other process is one of this package, which also has a better way.
    let isOwn: Bool
    private let descriptor: Int32
    private var writer: ZigWriter
    private var trees: [Tree] = []
    /// The last state of a tree that has ended, until it is written.
    private var final: ProgressSnapshot?
    /// Whether something may have changed since the last snapshot.
    private var isDirty = false
    /// When the next snapshot may be taken.
    private var nextRead: Duration
    private var hasWritten = false

    /// Opens the pipe that the environment names; nil if there is none that can be written to.
    ///
    /// - Parameter now: The time.
    init?(at now: Duration) {
      guard !ZigInput.isOff, let text = environmentValue(ZigPacket.variable),
        let number = Int32(text), number > STDERR_FILENO
      else { return nil }
      var capacity: Int32 = 0
      let descriptor = unsafe hw_relay_open_writer(number, &capacity)
      guard descriptor >= 0 else { return nil }
      self.descriptor = descriptor
      isOwn = Int(capacity) == ZigPacket.Layout.ownCapacity
      let layout = environmentValue("HEADWAY_ZIG_RECORD").flatMap {
        ZigPacket.Layout(recordSize: $0)
      }
      writer = ZigWriter(
        layout: layout ?? ZigPacket.Layout(pipeCapacity: Int(capacity)), at: now)
      nextRead = now
    }

    deinit { hw_relay_close(descriptor) }

    /// Whether the last state of a tree was not written yet.
    var hasUnsent: Bool { final != nil }

    /// When to call ``advance(to:)`` if nothing happens before.
    var nextDeadline: Duration? {
      let hasNews = trees.isEmpty ? final != nil : isDirty || writer.isIncomplete
      return hasNews ? max(writer.nextDeadline, nextRead) : nil
    }

    /// Shows a tree, once those before it have ended.
    func add(_ id: PublicationID, _ source: ZigSource) {
      trees.append(Tree(id: id, source: source))
      if trees.count == 1 { isDirty = true }
    }

    /// Notes that a tree has changed.
    func changed(_ id: PublicationID) {
      if trees.first?.id == id { isDirty = true }
    }

    /// Ends a tree.
    ///
    /// - Parameters:
    ///   - id: Its publication.
    ///   - last: Its last state, nil if it goes on without being published.
    func end(_ id: PublicationID, last: ProgressSnapshot?) {
      guard let place = trees.firstIndex(where: { $0.id == id }) else { return }
      trees.remove(at: place).source.observer.disarm()
      guard place == 0 else { return }
      isDirty = true
      // The pipe may stay open for long, with a tree that is not complete.
      if trees.isEmpty, hasWritten { final = last ?? ProgressNode().snapshot() }
    }

    /// Writes what has changed, if it is time.
    ///
    /// - Parameter now: The time.
    /// - Returns: Whether the other process still reads.
    func advance(to now: Duration) -> Bool {
      guard let due = nextDeadline, due <= now else { return true }
      nextRead = now + ZigWriter.interval
      isDirty = false
      let snapshot: ProgressSnapshot?
      if let tree = trees.first {
        snapshot = tree.source.snapshot(limit: writer.layout.maximumNodes)
        if tree.source.isPolled || tree.source.observer.arm() { isDirty = true }
      } else {
        snapshot = final
      }
      guard let snapshot else { return true }
      guard let bytes = writer.bytes(of: snapshot, at: now) else {
        final = nil
        return true
      }
      let count = unsafe bytes.withUnsafeBytes { bytes in
        unsafe write(descriptor, bytes.baseAddress, bytes.count)
      }
      guard count >= 0 || errno == EAGAIN || errno == EINTR else { return false }
      writer.wrote(max(count, 0))
      hasWritten = true
      if !writer.isIncomplete { final = nil }
      return true
    }
  }

  /// A published tree, as it is read for a ``ZigOutput``.
  ///
  /// Safe from any thread.
  final class ZigSource: Sendable {
    private struct State: Sendable {
      var polled: ProgressSnapshot?
      var isReading = false
    }

    let observer: TreeObserver
    private let state = Guarded(State())

    /// Creates a source.
    init(_ observer: TreeObserver) { self.observer = observer }

    /// Whether the tree does not tell of its changes.
    var isPolled: Bool { observer.isPolled }

    /// The tree now; one that has to be polled is read by another thread, and then this is an earlier state or nil.
    func snapshot(limit: Int) -> ProgressSnapshot? {
      guard isPolled, observer.final == nil else { return observer.snapshot(limit: limit) }
      let (polled, isReading) = state.withLock { state in
        defer { state.isReading = true }
        return (state.polled, state.isReading)
      }
      if !isReading {
        // It may have to wait for a queue of the program.
        Task.detached {
          let snapshot = self.observer.snapshot(limit: limit)
          self.state.withLock { $0 = State(polled: snapshot) }
        }
      }
      return polled
    }
  }
#endif
