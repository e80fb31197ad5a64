internal import Foundation
internal import HeadwayLock
internal import HeadwayProgress

/// Keeps a node up to date with a Foundation `Progress`, or with the node behind a ``NodeProgress``.
///
/// The mirror passes cancel and pause in both directions. It holds neither side: the node's tree holds the mirror until
/// the node finishes, and the source holds a ``MirrorEnd``, which finishes the node with the source.
final class FoundationMirror: Sendable {
  private struct State: Sendable {
    /// The values of the last reading.
    var reading = FoundationReading()
    /// Whether a thread is reading the source.
    var isReading = false
    /// Whether nothing was read yet.
    var isNew = true
    /// The number of threads that are passing a pause or its end from the node to the source.
    var passing = 0
    /// The number of pauses and resumes that were passed to the source.
    var passes = 0

    /// Stores a new reading.
    ///
    /// Its pause is ignored if the node passed a pause on during the reading: the source may have been read before.
    ///
    /// - Parameters:
    ///   - news: The new reading.
    ///   - passes: The value of `passes` when the reading began.
    /// - Returns: The reading before, the one to apply, and whether it is the first.
    mutating func store(
      _ news: FoundationReading, since passes: Int
    ) -> (old: FoundationReading, news: FoundationReading, isNew: Bool) {
      var news = news
      if passing > 0 || passes != self.passes { news.isPaused = reading.isPaused }
      defer { (reading, isNew) = (news, false) }
      return (reading, news, isNew)
    }
  }

  /// The Foundation progress to read, unless the source is a node.
  private weak let progress: Progress?
  /// The node to read in place of a progress.
  private weak let source: ProgressNode?
  /// The node to keep up to date.
  private weak let node: ProgressNode?
  /// Runs a body where the progress may be used.
  private let access: FoundationAccess
  private let state = Guarded(State())

  /// Connects a progress and a node.
  ///
  /// - Parameters:
  ///   - progress: The source.
  ///   - node: The node, which has not finished.
  ///   - isHeld: Whether the source keeps the node alive. For a ``NodeProgress`` its node does.
  ///   - access: Runs a body where the progress may be used.
  static func connect(
    _ progress: Progress, to node: ProgressNode, isHeld: Bool, access: @escaping FoundationAccess
  ) {
    let mirror = FoundationMirror(progress, node: node, access: access)
    let end = MirrorEnd(node, isHeld: isHeld)
    if isHeld, let progress = progress as? NodeProgress {
      progress.node?.holdUntilFinished(end)
    } else {
      // Released outside of `access`: this may be the last reference to a node.
      var before: [MirrorEnd] = []
      access {
        // The values of a node's progress come from a snapshot, which must not be taken here.
        let values = (progress as? NodeProgress)?.ownValues ?? progress.userInfo
        before = values[.headwayMirrors] as? [MirrorEnd] ?? []
        progress.setUserInfoObject(before.filter { !$0.isOver } + [end], forKey: .headwayMirrors)
      }
      withExtendedLifetime(before) {}
    }
    node.onCancel { mirror.passCancel() }
    node.onPause { mirror.passPause() }
    node.onResume { mirror.passPause() }
    mirror.refresh(end)
    node.onRead { [weak end] in mirror.refresh(end) }
  }

  private init(_ progress: Progress, node: ProgressNode, access: @escaping FoundationAccess) {
    let stand = progress as? NodeProgress
    self.progress = stand == nil ? progress : nil
    source = stand?.node
    self.node = node
    self.access = access
  }

  /// Cancels the source.
  private func passCancel() {
    if let source { return source.cancel() }
    guard let progress else { return }
    access { if !progress.isCancelled { progress.cancel() } }
  }

  /// Pauses or resumes the source, whichever the node is now.
  private func passPause() {
    guard let node else { return }
    // A reading that is under way may have missed this.
    state.withLock { $0.passing += 1 }
    if let source {
      var isPaused: Bool
      repeat {
        isPaused = node.isPaused
        if isPaused { source.pause() } else { source.resume() }
        // The later one of a pause and a concurrent resume holds.
      } while node.isPaused != isPaused
      noteRead(isPaused: isPaused)
    } else if let progress {
      access {
        // Read only here, so that the later one of a pause and a concurrent resume holds.
        let isPaused = node.isPaused
        if progress.isPaused != isPaused {
          if isPaused { progress.pause() } else { progress.resume() }
        }
        noteRead(isPaused: isPaused)
      }
    }
    state.withLock { state in
      state.passing -= 1
      state.passes += 1
    }
  }

  /// Notes a pause that came from the node, so that the next reading does not take it for one of the source.
  private func noteRead(isPaused: Bool) {
    state.withLock { $0.reading.isPaused = isPaused }
  }

  /// Brings the node up to date, unless another thread is doing that.
  private func refresh(_ end: MirrorEnd?) {
    guard let node, !node.isFinished else { return }
    let (isBusy, passes) = state.withLock { state in
      defer { state.isReading = true }
      return (state.isReading, state.passes)
    }
    guard !isBusy else { return }
    guard let reading = read() else { return node.finish() }
    let (old, news, isNew) = state.withLock { $0.store(reading, since: passes) }
    apply(news, over: old, isNew: isNew, to: node)
    state.withLock { $0.isReading = false }
    if news.isFinished { end?.release() }
  }

  /// Reads the source; nil if it is gone.
  private func read() -> FoundationReading? {
    // A node has its own lock, and a snapshot must not be taken inside `access`.
    if let source { return FoundationReading(of: source.snapshot(limit: 1)) }
    guard let progress else { return nil }
    var reading = FoundationReading()
    access { reading = FoundationReading(of: progress) }
    return reading
  }

  /// Sets the values of the node that have changed.
  private func apply(
    _ news: FoundationReading, over old: FoundationReading, isNew: Bool, to node: ProgressNode
  ) {
    if isNew || news.kind != old.kind { node.kind = news.kind }
    applyCounts(news, over: old, isNew: isNew, to: node)
    if news.filePath != old.filePath { node.filePath = news.filePath }
    if news.totalFileCount != old.totalFileCount { node.totalFileCount = news.totalFileCount }
    if news.completedFileCount != old.completedFileCount {
      node.completedFileCount = news.completedFileCount
    }
    if news.throughput != old.throughput { node.throughput = news.throughput }
    if news.remainingTime != old.remainingTime { node.remainingTime = news.remainingTime }
    if news.ancestryMarks != old.ancestryMarks { node[AncestryMark.self] = news.ancestryMarks }
    if news.isCancelled, !node.isCancelled { node.cancel() }
    if news.isPaused != old.isPaused {
      if news.isPaused { node.pause() } else { node.resume() }
    }
    if news.isFinished { node.finish() }
  }

  /// Sets the counts of the node that have changed.
  private func applyCounts(
    _ news: FoundationReading, over old: FoundationReading, isNew: Bool, to node: ProgressNode
  ) {
    let (counts, before) = (news.counts, old.counts)
    for change in counts.changes(from: isNew ? nil : before) {
      switch change {
      case .completed(let units): node.setCompleted(units)
      case .total(let total): node.total = total
      }
    }
    // A node that counts in finer units also has Foundation's own counts.
    let own =
      counts.isFine
      ? MirroredCounts.Value(completed: news.completed, total: news.total) : nil
    if node[MirroredCounts.self] != own { node[MirroredCounts.self] = own }
    guard news.kind.countsBytes else { return }
    let bytes = own.map { Int(news.fraction * Double($0.total ?? 0)) }
    if node[ProgressKeys.TotalByteCount.self] != own?.total {
      node[ProgressKeys.TotalByteCount.self] = own?.total
    }
    if node[ProgressKeys.CompletedByteCount.self] != bytes {
      node[ProgressKeys.CompletedByteCount.self] = bytes
    }
  }
}

/// Finishes a node when the source that it mirrors is gone; held by the source.
final class MirrorEnd: Sendable {
  /// The node, if the source keeps it alive.
  private let held: Guarded<ProgressNode?>
  private weak let node: ProgressNode?

  init(_ node: ProgressNode, isHeld: Bool) {
    self.node = node
    held = Guarded(isHeld ? node : nil)
  }

  /// Whether the node has finished or is gone.
  var isOver: Bool { node?.isFinished ?? true }

  /// Releases the node.
  func release() {
    // Dropped outside of the lock: this may be the last reference.
    let node = held.withLock { $0.take() }
    withExtendedLifetime(node) {}
  }

  deinit { node?.finish() }
}

extension ProgressUserInfoKey {
  /// The key under which a progress holds the ends of its mirrors.
  static let headwayMirrors = ProgressUserInfoKey(rawValue: "HeadwayMirrors")
}
