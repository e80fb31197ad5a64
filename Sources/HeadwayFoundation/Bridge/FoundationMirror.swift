internal import Foundation
internal import HeadwayLock
internal import HeadwayProgress

/// Keeps a node like a Foundation `Progress`, and hands cancel and pause both ways.
///
/// It holds neither side. The progress holds a token whose end tells that the progress is gone; the tree of
/// the node holds the mirror until the node finishes.
final class FoundationMirror: Sendable {
  /// What is known of both sides.
  private struct State: Sendable {
    /// What was last read.
    var reading = FoundationReading()
    /// Whether somebody is looking at the progress.
    var isLooking = false
    /// Whether nothing was read yet.
    var isNew = true
    /// How many threads are at passing a pause of the node, or its end, to the progress.
    var passing = 0
    /// How many times that was done.
    var passes = 0

    /// Takes over what was read, but for a pause that was read while the node passed one on.
    ///
    /// - Parameters:
    ///   - news: What was read.
    ///   - passes: How many pauses had been passed on when the reading began.
    /// - Returns: What was read before, what is to be applied, and whether it is the first.
    mutating func take(
      _ news: FoundationReading, since passes: Int
    ) -> (old: FoundationReading, news: FoundationReading, isNew: Bool) {
      var news = news
      if passing > 0 || passes != self.passes { news.isPaused = reading.isPaused }
      defer { (reading, isNew) = (news, false) }
      return (reading, news, isNew)
    }
  }

  /// The progress.
  private weak let progress: Progress?
  /// The node.
  private weak let node: ProgressNode?
  /// Runs a body where the progress may be touched.
  private let access: FoundationAccess
  /// What is known.
  private let state = Guarded(State())

  /// Connects both sides.
  ///
  /// - Parameters:
  ///   - progress: The progress.
  ///   - node: The node, which has not finished.
  ///   - isHeld: Whether the progress keeps the node.
  ///   - access: Runs a body where the progress may be touched.
  static func connect(
    _ progress: Progress, to node: ProgressNode, isHeld: Bool, access: @escaping FoundationAccess
  ) {
    let mirror = FoundationMirror(progress, node: node, access: access)
    let end = MirrorEnd(node, isHeld: isHeld)
    // Let go outside: the last reference to a node may be among them.
    var before: [MirrorEnd] = []
    access {
      // All values of a node's progress are those of a look, which has no place here.
      let values = (progress as? NodeProgress)?.ownValues ?? progress.userInfo
      before = values[.headwayMirrors] as? [MirrorEnd] ?? []
      progress.setUserInfoObject(before.filter { !$0.isOver } + [end], forKey: .headwayMirrors)
    }
    withExtendedLifetime(before) {}
    node.onCancel { mirror.passCancel() }
    node.onPause { mirror.passPause() }
    node.onResume { mirror.passPause() }
    mirror.refresh(end)
    node.mirror { [weak end] in mirror.refresh(end) }
  }

  /// Creates a mirror.
  private init(_ progress: Progress, node: ProgressNode, access: @escaping FoundationAccess) {
    self.progress = progress
    self.node = node
    self.access = access
  }

  /// Cancels the progress, because the node is.
  private func passCancel() {
    pass {
      $0.cancel()
    } orTo: {
      if !$0.isCancelled { $0.cancel() }
    }
  }

  /// Does something to the node that the progress stands for, or to the progress where it may be touched.
  private func pass(_ change: (ProgressNode) -> Void, orTo other: (Progress) -> Void) {
    guard let progress else { return }
    if let progress = progress as? NodeProgress {
      // A node has its own locks, and what hears of it may want to touch Foundation's progress.
      if let node = progress.node { change(node) }
    } else {
      access { other(progress) }
    }
  }

  /// Notes whether the progress is paused, so that the next look does not take it for Foundation's own.
  private func noteRead(isPaused: Bool) {
    state.withLock { $0.reading.isPaused = isPaused }
  }

  /// Pauses the progress or lets it go on, as the node is by now.
  private func passPause() {
    guard let node else { return }
    // A look that is under way meanwhile must not take what it reads for Foundation's own.
    state.withLock { $0.passing += 1 }
    pass { other in
      var isPaused: Bool
      repeat {
        isPaused = node.isPaused
        if isPaused { other.pause() } else { other.resume() }
        // Of a pause and its end at a time the later one holds.
      } while node.isPaused != isPaused
      noteRead(isPaused: isPaused)
    } orTo: { progress in
      // Asked only here, so that of a pause and its end at a time the later one holds.
      let isPaused = node.isPaused
      if progress.isPaused != isPaused {
        if isPaused { progress.pause() } else { progress.resume() }
      }
      noteRead(isPaused: isPaused)
    }
    state.withLock { state in
      state.passing -= 1
      state.passes += 1
    }
  }

  /// Brings the node up to date; what another thread is at already is left to it.
  private func refresh(_ end: MirrorEnd?) {
    guard let node, !node.isFinished else { return }
    guard let progress else { return node.finish() }
    let (isBusy, passes) = state.withLock { state in
      defer { state.isLooking = true }
      return (state.isLooking, state.passes)
    }
    guard !isBusy else { return }
    let reading = read(progress)
    let (old, news, isNew) = state.withLock { $0.take(reading, since: passes) }
    apply(news, over: old, isNew: isNew, to: node)
    state.withLock { $0.isLooking = false }
    if news.isFinished { end?.letGo() }
  }

  /// Looks at the progress.
  private func read(_ progress: Progress) -> FoundationReading {
    // What a node says is up to date at once, and a look at its tree has no place where Foundation's are
    // touched.
    if let progress = progress as? NodeProgress {
      var reading = FoundationReading(of: progress.snapshot)
      // Without its node a progress has finished, whatever was seen of the node.
      reading.isFinished = progress.isFinished
      return reading
    }
    var reading = FoundationReading()
    access { reading = FoundationReading(of: progress) }
    return reading
  }

  /// Takes over what has changed.
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
    if news.isCancelled, !node.isCancelled { node.cancel() }
    if news.isPaused != old.isPaused {
      if news.isPaused { node.pause() } else { node.resume() }
    }
    if news.isFinished { node.finish() }
  }

  /// Takes over the counts.
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
    // In finer units the node still says what Foundation has counted.
    let said =
      counts.isFine
      ? MirroredCounts.Value(completed: news.completed, total: news.total) : nil
    if node[MirroredCounts.self] != said { node[MirroredCounts.self] = said }
    guard news.kind.countsBytes else { return }
    let bytes = said.map { Int(news.fraction * Double($0.total ?? 0)) }
    if node[ProgressKeys.TotalByteCount.self] != said?.total {
      node[ProgressKeys.TotalByteCount.self] = said?.total
    }
    if node[ProgressKeys.CompletedByteCount.self] != bytes {
      node[ProgressKeys.CompletedByteCount.self] = bytes
    }
  }
}

/// Ends a node with the progress that it mirrors: the progress holds it.
final class MirrorEnd: Sendable {
  /// The node, where the progress keeps it.
  private let held: Guarded<ProgressNode?>
  /// The node, held or not.
  private weak let node: ProgressNode?

  /// Creates the end of a node.
  init(_ node: ProgressNode, isHeld: Bool) {
    self.node = node
    held = Guarded(isHeld ? node : nil)
  }

  /// Whether the node has finished or is gone.
  var isOver: Bool { node?.isFinished ?? true }

  /// Does not keep the node any more.
  func letGo() {
    // Dropped outside the lock: it may be the last reference.
    let node = held.withLock { node -> ProgressNode? in
      defer { node = nil }
      return node
    }
    withExtendedLifetime(node) {}
  }

  deinit { node?.finish() }
}

extension ProgressUserInfoKey {
  /// Where a progress keeps the ends of the nodes that mirror it.
  static let headwayMirrors = ProgressUserInfoKey(rawValue: "HeadwayMirrors")
}
