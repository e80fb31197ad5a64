internal import HeadwayCollections
package import HeadwayProgress
package import HeadwayRun

/// What is published, and how it changes.
extension PublisherCore {
  /// Publishes work.
  ///
  /// - Parameters:
  ///   - id: The ID of the publication, which no other one has or had.
  ///   - kind: What the work is.
  ///   - name: A second ID for people.
  ///   - path: The file that it is about. One that is too long for a line is left out.
  ///   - accepts: What others may ask it to do.
  ///   - now: The time.
  /// - Throws: `RelayError.tooMany` if the process publishes 10,000 already.
  /// - Complexity: O(watchers).
  package mutating func publish(
    _ id: PublicationID, kind: String, name: String? = nil, path: String? = nil,
    accepts: AcceptedRequests = [.cancel, .pause], now: Duration
  ) throws(RelayError) {
    note(now)
    guard liveCount < RelayLimits.publications else {
      throw .tooMany("publications of one process", limit: RelayLimits.publications)
    }
    liveCount += 1
    count += 1
    let longest = path.map { JSONLine.prefix(of: $0, bytes: RelayLimits.pathBytes) }
    let info = PublicationInfo(
      id: id, kind: JSONLine.prefix(of: kind, bytes: RelayLimits.nameBytes),
      name: name.map { JSONLine.prefix(of: $0, bytes: RelayLimits.nameBytes) },
      path: path == longest ? path : nil, accepts: accepts)
    publications[id] = Publication(info: info, number: count, began: self.now)
    for (peer, watcher) in watchers where watcher.interest?.includes(info) ?? false {
      guard isVisible(to: peer) else { continue }
      watch(id, peer)
    }
  }

  /// Ends a publication.
  ///
  /// A second call does nothing.
  ///
  /// - Parameters:
  ///   - id: The publication.
  ///   - reason: Why it ends.
  ///   - final: The last state of the tree, which its watchers get before they are told of the end.
  ///   - now: The time.
  /// - Complexity: O(watchers of it).
  package mutating func unpublish(
    _ id: PublicationID, _ reason: PublicationEnd, final: ProgressSnapshot? = nil, now: Duration
  ) {
    note(now)
    guard var publication = publications[id], publication.end == nil else { return }
    liveCount -= 1
    publication.end = (reason, self.now)
    if publication.reading == .armed { actions.append(.disarm(id)) }
    publication.reading = .resting
    if let final, publication.treeWatchers > 0 { publication.set(final, at: self.now) }
    // Those that are not told yet keep it.
    publications[id] = publication.watchers.isEmpty ? nil : publication
    for peer in publication.watchers { enqueue(id, peer, isUrgent: true) }
  }

  /// Notes that a tree has changed, or may have.
  ///
  /// - Parameters:
  ///   - id: The publication; one that has ended is ignored.
  ///   - now: The time.
  /// - Complexity: O(watchers of it).
  package mutating func changed(_ id: PublicationID, now: Duration) {
    note(now)
    markChanged(id)
  }

  /// Takes the snapshot that `copy` asked for.
  ///
  /// - Parameters:
  ///   - id: The publication.
  ///   - snapshot: The tree now, with at most `RelayLimits.nodes` nodes; nil if it is gone and its last state is not there
  ///     yet, which comes with `unpublish`, or if it cannot be read for now.
  ///   - now: The time after the copy.
  package mutating func copied(_ id: PublicationID, _ snapshot: ProgressSnapshot?, now: Duration) {
    note(now)
    guard let publication = publications[id], publication.end == nil, publication.treeWatchers > 0
    else { return }
    if let snapshot { publications[id]?.set(snapshot, at: self.now) }
    // A change that was told meanwhile may be a later one.
    if publications[id]?.reading == .copying { publications[id]?.reading = .resting }
    for peer in publication.watchers { watchers[peer]?.isHeld = false }
  }

  /// Takes a new forecast, of which watchers of the tree get the newest one.
  ///
  /// - Parameters:
  ///   - forecast: The forecast.
  ///   - id: The publication; one that has ended is ignored.
  ///   - now: The time.
  /// - Complexity: O(watchers of it).
  package mutating func forecast(_ forecast: RunForecast, of id: PublicationID, now: Duration) {
    note(now)
    guard publications[id]?.end == nil else { return }
    publications[id]?.forecast = (forecast, self.now)
    publications[id]?.forecastVersion += 1
    enqueueForTreeWatchers(id)
  }

  /// Marks a tree as changed.
  mutating func markChanged(_ id: PublicationID) {
    guard let publication = publications[id], publication.end == nil else { return }
    publications[id]?.reading = .changed
    enqueueForTreeWatchers(id)
  }

  private mutating func enqueueForTreeWatchers(_ id: PublicationID) {
    for peer in publications[id]?.watchers ?? [] where watchers[peer]?.hasTrees ?? false {
      enqueue(id, peer)
    }
  }

  /// Notes that there may be something new of a publication for a watcher.
  private mutating func enqueue(_ id: PublicationID, _ peer: Peer, isUrgent: Bool = false) {
    if watchers[peer]?.watches[id]?.isQueued == false {
      watchers[peer]?.watches[id]?.isQueued = true
      watchers[peer]?.queue.append(.publication(id))
    }
    watchers[peer]?.isHeld = false
    if isUrgent { watchers[peer]?.isUrgent = true }
  }

  /// Lets a connection watch a publication.
  mutating func watch(_ id: PublicationID, _ peer: Peer) {
    watchChanges.insert(id)
    watchers[peer]?.watches[id] = Watch()
    watchers[peer]?.queue.append(.publication(id))
    watchers[peer]?.isUrgent = true
    watchers[peer]?.isHeld = false
    publications[id]?.watchers.insert(peer)
    if watchers[peer]?.hasTrees ?? false { publications[id]?.treeWatchers += 1 }
  }

  /// Ends that a connection watches a publication.
  mutating func release(_ id: PublicationID, _ peer: Peer, hasTrees: Bool) {
    guard publications[id]?.watchers.remove(peer) != nil else { return }
    watchChanges.insert(id)
    if hasTrees { publications[id]?.treeWatchers -= 1 }
    guard let publication = publications[id] else { return }
    if publication.end != nil {
      if publication.watchers.isEmpty { publications[id] = nil }
    } else if publication.treeWatchers == 0 {
      // Nobody wants to know it any more.
      if publication.reading == .armed { actions.append(.disarm(id)) }
      publications[id]?.reading = .changed
      publications[id]?.current = nil
      publications[id]?.lines.removeAll()
    }
  }
}
