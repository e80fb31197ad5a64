internal import HeadwayCollections
internal import HeadwayProgress

/// Making frames: arm, copy and send, with the shell in between.
extension PublisherCore {
  /// Goes on with the frame, or begins one if it is time.
  ///
  /// - Returns: Whether there may be something to do now.
  mutating func continueFrame() -> Bool {
    switch phase {
    case .none:
      guard now >= nextFrame else { return false }
      served.removeAll(keepingCapacity: true)
      for (peer, watcher) in watchers {
        if let due = watcher.due, due <= now { served.append(peer) }
      }
      // In the same order whatever the hashes are.
      served.sort()
      guard !served.isEmpty else { return false }
      frameBegan = now
      hasUsedFrame = false
      phase = .arming
      forEachTree(in: .resting, become: .armed) { .arm($0) }
    case .arming:
      // Those that have changed said so when they were armed.
      phase = .copying
      copyingBegan = processorTime()
      forEachTree(in: .changed, become: .copying) { .copy($0) }
      hasUsedFrame = !actions.isEmpty
    case .copying:
      let cost = processorTime() - copyingBegan
      for peer in served { fillBuffer(of: peer) }
      phase = .none
      // A frame that has only armed observers is none: the first change after it is sent at once.
      guard hasUsedFrame else { break }
      let pause = min(cost * RelayLimits.costMultiple, RelayLimits.longestPause)
      nextFrame = frameBegan + max(pause, RelayLimits.frameInterval)
    }
    return true
  }

  /// Requests an action for each tree that the frame needs and that is in one state, which it leaves.
  private mutating func forEachTree(
    in state: Publication.Reading, become next: Publication.Reading,
    _ action: (PublicationID) -> Action
  ) {
    for peer in served {
      guard let watcher = watchers[peer], watcher.hasTrees else { continue }
      for case .publication(let id) in watcher.queue {
        guard let publication = publications[id], publication.reading == state,
          publication.end == nil
        else { continue }
        publications[id]?.reading = next
        actions.append(action(id))
      }
    }
  }

  /// Fills the empty buffer of a watcher with what is in its queue, as far as there is room.
  private mutating func fillBuffer(of peer: Peer) {
    // Taken out, so that it is changed in place.
    guard var watcher = watchers.removeValue(forKey: peer) else { return }
    let queue = watcher.queue
    var bytes: [UInt8] = []
    // What is looked at again in the next frame, and what waits for a copy.
    var (next, kept, held) = (0, [] as [Watcher.Item], [] as [Watcher.Item])
    while next < queue.count, bytes.count < RelayLimits.outgoingBytes {
      switch queue[next] {
      case .answer where !held.isEmpty: held.append(queue[next])
      case .answer(let id, let refusal):
        RelayEvent.answer(id, refusal).appendLine(to: &bytes)
        watcher.pending -= 1
      case .publication(let id):
        let isCopying = watcher.hasTrees && publications[id]?.reading == .copying
        guard write(id, for: peer, &watcher, to: &bytes) else { break }
        if isCopying { held.append(queue[next]) } else { kept.append(queue[next]) }
      }
      next += 1
    }
    watcher.queue = held + queue[next...] + kept
    watcher.isUrgent = next < queue.count
    watcher.isHeld = next == queue.count && kept.isEmpty && !held.isEmpty
    if !bytes.isEmpty || !kept.isEmpty {
      hasUsedFrame = true
      watcher.nextFrame = frameBegan + (watcher.interest?.interval ?? .zero)
    }
    if !bytes.isEmpty {
      watcher.outgoing = bytes[...]
      watcher.progressed = now
      actions.append(.send(peer, bytes[...]))
    }
    watchers[peer] = watcher
    if !watcher.isRead { readRequests(of: peer) }
  }

  /// Writes what a watcher does not have of a publication.
  ///
  /// - Returns: Whether the tree has to be looked at in the next frame.
  private mutating func write(
    _ id: PublicationID, for peer: Peer, _ watcher: inout Watcher, to bytes: inout [UInt8]
  ) -> Bool {
    guard var watch = watcher.watches[id], let publication = publications[id] else { return false }
    if !watch.hasBegun, publication.end == nil {
      watch.hasBegun = true
      RelayEvent.began(publication.info, age: now - publication.began).appendLine(to: &bytes)
    }
    if watch.hasBegun, watcher.hasTrees {
      if let current = publication.current, watch.version != publication.version {
        let lines = lines(of: id, to: current, since: watch)
        // One tree alone is shared by all of its watchers.
        if bytes.isEmpty { bytes = lines } else { bytes += lines }
        (watch.version, watch.base) = (publication.version, current)
      }
      if let (forecast, time) = publication.forecast, watch.forecast != publication.forecastVersion
      {
        watch.forecast = publication.forecastVersion
        RelayEvent.forecast(id, forecast, time: time - publication.began).appendLine(to: &bytes)
      }
    }
    if let (reason, time) = publication.end {
      if watch.hasBegun {
        RelayEvent.ended(id, reason, time: time - publication.began).appendLine(to: &bytes)
      }
      watcher.watches[id] = nil
      release(id, peer, hasTrees: watcher.hasTrees)
      return false
    }
    watch.isQueued = watcher.hasTrees && publication.reading != .armed
    watcher.watches[id] = watch
    return watch.isQueued
  }

  /// The lines that lead a watcher to the last copy of a tree; they are made once for all that have the same.
  private mutating func lines(
    of id: PublicationID, to current: ProgressSnapshot, since watch: Watch
  ) -> [UInt8] {
    guard let publication = publications[id] else { return [] }
    if let lines = publication.lines[watch.version] { return lines }
    var lines: [UInt8] = []
    let change = TreeChange(from: watch.base, to: current)
    if !change.isEmpty {
      ProgressEvent(
        isWhole: watch.base == nil, time: publication.copied - publication.began, publication: id,
        change: change.withinLimits
      ).appendLines(to: &lines)
    }
    publications[id]?.lines[watch.version] = lines
    return lines
  }
}
