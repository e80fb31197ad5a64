internal import HeadwayCollections
package import HeadwayProgress
internal import HeadwayRun

/// Decides what a process that publishes work sends to its watchers, and when.
///
/// A value without descriptors, threads and trees: the shell tells it what has happened, and then does what `nextAction()`
/// says until it is nil. Each call takes the time since any fixed moment; it never goes back. When nothing happens, the
/// shell waits until `nextDeadline`, or for ever, and calls `advance(to:)`.
///
/// ```text
///   changed ─▶ publication: changed ─▶ queue of each watcher of its tree
///   frame (at most one in 1/60 s):  arm ─▶ copy ─▶ a buffer for each watcher that has sent its last one ─▶ send
/// ```
///
/// - **Frames.** All that has changed comes together, one buffer for each watcher and frame. A tree is copied once for
///   all of them. After a frame its observer is not armed; the next frame arms it, which finds the next change or nothing.
///   So a busy tree wakes nobody, and an unchanged one costs nothing: no byte, no deadline.
/// - **Slow watchers.** A watcher whose buffer is not sent gets no other one. Nothing is queued for it but numbers: each
///   publication is in its queue at most once, with the last snapshot that was sent, from which the next change is
///   computed. So it gets fewer frames, and what it gets is right. One that reads nothing for 30 s is disconnected.
/// - **Answers** are in the same queue, behind the publications that they are about: a watcher sees what its request has
///   changed, and after it the answer. That of a subscription comes after everything that was there already. So an answer
///   waits as long as a publication before it is being copied.
/// - **Costs.** A frame is O(changed nodes · watchers); an event of one watcher O(its lines); `nextDeadline` and a call of
///   `nextAction()` that returns nil are O(watchers).
package struct PublisherCore: ~Copyable {
  /// A connection of a watcher.
  ///
  /// Numbers must not be used again, as those of descriptors are.
  package struct Peer: Hashable, Comparable, Sendable {
    package let number: Int

    /// Creates the name of a connection.
    package init(_ number: Int) { self.number = number }

    /// Whether a connection is older.
    package static func < (left: Peer, right: Peer) -> Bool { left.number < right.number }
  }

  /// Where the answer to a request goes.
  package struct Reply: Hashable, Sendable {
    /// What was asked.
    package let publication: PublicationID
    let peer: Peer
    let id: Int
  }

  /// What a watcher asks published work to do.
  package struct Command: Hashable, Sendable {
    package let reply: Reply
    /// The number of the node, nil for the first one.
    package let node: UInt32?
    package let request: ProgressMirror.Request
  }

  /// What a watcher asks published work to do that only work of its kind knows.
  package struct Control: Hashable, Sendable {
    package let reply: Reply
    package let request: ControlRequest
  }

  /// What the shell has to do.
  ///
  /// Actions for a connection that it has closed itself are void.
  package enum Action: Sendable {
    /// Write what can be written without waiting, and call `sent`.
    case send(Peer, ArraySlice<UInt8>)
    /// Begin or stop to read from a connection; at first it is read.
    case read(Peer, Bool)
    /// Close a connection, which the core has forgotten; the error is for the log.
    case close(Peer, RelayError?)
    /// Arm the observer of a tree, and call `changed` when it has changed, at once or later.
    case arm(PublicationID)
    /// Disarm it.
    case disarm(PublicationID)
    /// Take a snapshot and call `copied`, or `unpublish` if the tree is gone: before the next action, or later if the tree
    /// cannot be read here. The answers behind it wait until then, and nothing else does.
    case copy(PublicationID)
    /// Do what a watcher asks for, and call `carriedOut`, at once or later.
    case carryOut(Command)
    /// Pass a request on to the work, and call `carriedOut` once it has answered.
    case control(Control)
    /// Do what a program below a share asks for, and call `answered` or `handOver`.
    case share(ShareRequest)
  }

  /// A connection.
  struct Watcher {
    /// What is to come: a publication, if something may have changed in it, or an answer.
    enum Item {
      case publication(PublicationID)
      case answer(Int, RelayRefusal?)
    }

    let connected: Duration
    var input = LineBuffer(limit: RelayLimits.requestBytes)
    var isRead = true
    var hasAsked = false
    /// The number of requests that are not answered in `outgoing`.
    var pending = 0
    /// What is not sent of the last buffer.
    var outgoing: ArraySlice<UInt8> = []
    /// When a part of the buffer was sent, or it was filled.
    var progressed: Duration = .zero
    var interest: Interest?
    var watches: [PublicationID: Watch] = [:]
    var queue: [Item] = []
    /// Whether the queue has something that does not wait for the interval of the watcher.
    var isUrgent = false
    /// Whether all that is in the queue waits for trees that are being copied.
    var isHeld = false
    /// When the next frame may be made.
    var nextFrame: Duration = .zero

    /// When the queue may be sent, nil if it need not or cannot.
    var due: Duration? {
      queue.isEmpty || isHeld || !outgoing.isEmpty ? nil : isUrgent ? .zero : nextFrame
    }
    var hasTrees: Bool { interest?.hasTrees ?? false }
  }

  /// What a watcher has got of a publication.
  struct Watch {
    var hasBegun = false
    var isQueued = true
    /// The version of the last tree, 0 for none, and that tree.
    var version = 0
    var base: ProgressSnapshot?
    /// The version of the last forecast, 0 for none.
    var forecast = 0
  }

  /// A publication.
  struct Publication {
    /// What is known of the tree since the last copy.
    enum Reading {
      /// Nothing.
      case resting
      /// It has not changed; the observer says when.
      case armed
      /// It may have changed, or there is no copy.
      case changed
      /// It is being copied.
      case copying
    }

    let info: PublicationInfo
    /// The order of publications.
    let number: Int
    let began: Duration
    var watchers: Set<Peer> = []
    var treeWatchers = 0
    var reading: Reading = .changed
    /// The last copy, nil if nobody watches; its version and its time.
    var current: ProgressSnapshot?
    var version = 0
    var copied: Duration = .zero
    /// The lines from earlier versions to this one, for the watchers that have the same.
    var lines: [Int: [UInt8]] = [:]
    var forecast: (value: RunForecast, time: Duration)?
    var forecastVersion = 0
    var end: (reason: PublicationEnd, time: Duration)?

    /// Replaces the copy.
    mutating func set(_ snapshot: ProgressSnapshot, at now: Duration) {
      (current, copied) = (snapshot, now)
      version += 1
      lines.removeAll()
    }
  }

  /// How far the frame is, which needs the shell in between.
  enum Phase {
    case none
    case arming
    case copying
  }

  let program: String
  let pid: Int32
  private let watcherLimit: Int
  /// The time that the processor has spent here.
  let processorTime: @Sendable () -> Duration
  var watchers: [Peer: Watcher] = [:]
  var publications: [PublicationID: Publication] = [:]
  /// The number of publications that have not ended.
  var liveCount = 0
  /// The number of publications so far.
  var count = 0
  /// What the shell has not done yet.
  var actions = Queue<Action>()
  /// The latest time that was given.
  var now: Duration = .zero
  var phase: Phase = .none
  /// The watchers that the frame is for.
  var served: [Peer] = []
  var frameBegan: Duration = .zero
  /// `processorTime` when the frame began to copy.
  var copyingBegan: Duration = .zero
  /// Whether something was copied or sent in the frame.
  var hasUsedFrame = false
  /// The only connection that may see the publications, nil for all.
  var onlyPeer: Peer?
  /// When the next frame may begin.
  var nextFrame: Duration = .zero
  /// The publications that have got or lost a watcher since the last call of `takeWatchChanges`.
  var watchChanges: Set<PublicationID> = []

  /// Creates the core of a process that publishes nothing.
  ///
  /// - Parameters:
  ///   - program: The name of the program, for watchers.
  ///   - pid: The number of the process, the first part of the IDs of its publications.
  ///   - watcherLimit: The most connections, at most `RelayLimits.watchers`.
  ///   - processorTime: The processor time of the thread since any fixed moment, called twice in a frame: what copying the
  ///     trees takes of it limits the frames. Not the time of a clock, which also runs while other programs are served.
  package init(
    program: String, pid: Int32, watcherLimit: Int = RelayLimits.watchers,
    processorTime: @escaping @Sendable () -> Duration = { .zero }
  ) {
    self.processorTime = processorTime
    self.program = JSONLine.prefix(of: program, bytes: RelayLimits.nameBytes)
    self.pid = pid
    self.watcherLimit = min(watcherLimit, RelayLimits.watchers)
  }

  /// How many connections watch a publication.
  ///
  /// - Parameter publication: The publication.
  /// - Returns: The number of connections, those without its tree included; 0 for an unknown publication.
  /// - Complexity: O(1).
  package func watcherCount(of publication: PublicationID) -> Int {
    publications[publication]?.watchers.count ?? 0
  }

  /// Takes the publications that have got or lost a watcher since the last call.
  ///
  /// - Complexity: O(1).
  package mutating func takeWatchChanges() -> Set<PublicationID> {
    defer { watchChanges = [] }
    return watchChanges
  }

  /// Whether nothing is published, and all watchers were told.
  ///
  /// - Complexity: O(watchers).
  package var isOver: Bool {
    publications.isEmpty && watchers.values.allSatisfy { $0.outgoing.isEmpty && $0.pending == 0 }
  }

  /// Whether watchers have not got all that was sent, or were not told of an end.
  ///
  /// - Complexity: O(watchers + publications).
  package var hasUnsent: Bool {
    watchers.values.contains { !$0.outgoing.isEmpty || $0.pending > 0 }
      || publications.values.contains { $0.end != nil }
  }

  /// Lets the next frame begin at once, because the process ends.
  ///
  /// - Complexity: O(watchers).
  package mutating func hurry() {
    nextFrame = .zero
    for peer in watchers.keys { watchers[peer]?.isUrgent = true }
  }

  /// The time to call ``advance(to:)`` if nothing happens before, nil for never.
  ///
  /// To be read when there are no more actions.
  ///
  /// - Complexity: O(watchers).
  package var nextDeadline: Duration? {
    var earliest: Duration?
    func consider(_ time: Duration) { earliest = min(earliest ?? time, time) }
    for watcher in watchers.values {
      if !watcher.hasAsked { consider(watcher.connected + RelayLimits.silence) }
      if !watcher.outgoing.isEmpty { consider(watcher.progressed + RelayLimits.stall) }
      if let due = watcher.due { consider(max(due, nextFrame)) }
    }
    return earliest
  }

  /// Takes what the shell does next.
  ///
  /// - Returns: The action, nil if there is nothing to do before the next event or deadline.
  /// - Complexity: O(1) between frames, amortized; O(watchers) when it returns nil.
  package mutating func nextAction() -> Action? {
    while true {
      if let action = actions.popFirst() { return action }
      guard continueFrame() else { return nil }
    }
  }

  /// Notes the time, and disconnects who has been silent or has not read for too long.
  ///
  /// - Parameter now: The time.
  /// - Complexity: O(watchers).
  package mutating func advance(to now: Duration) {
    note(now)
    var late: [(peer: Peer, error: RelayError)] = []
    for (peer, watcher) in watchers {
      if !watcher.hasAsked, now >= watcher.connected + RelayLimits.silence {
        late.append((peer, .silent))
      } else if !watcher.outgoing.isEmpty, now >= watcher.progressed + RelayLimits.stall {
        late.append((peer, .stalled))
      }
    }
    for (peer, error) in late.sorted(by: { $0.peer < $1.peer }) { disconnect(peer, error) }
  }

  /// Notes the time.
  mutating func note(_ now: Duration) { self.now = max(self.now, now) }

  /// Greets a new watcher, or refuses it if there are too many.
  ///
  /// - Parameters:
  ///   - peer: The connection.
  ///   - now: The time.
  package mutating func connected(_ peer: Peer, now: Duration) {
    note(now)
    var bytes: [UInt8] = []
    RelayEvent.hello(version: RelayLimits.version, pid: pid, program: program)
      .appendLine(to: &bytes)
    if watchers.count >= watcherLimit {
      let error = RelayError.tooMany("watchers of one process", limit: watcherLimit)
      let refusal = RelayRefusal(.tooMany, error.description)
      RelayEvent.answer(nil, refusal).appendLine(to: &bytes)
      actions.append(.send(peer, bytes[...]))
      actions.append(.close(peer, error))
      return
    }
    watchers[peer] = Watcher(connected: self.now)
    send(bytes, to: peer)
  }

  /// Takes what was written of the last `send`.
  ///
  /// - Parameters:
  ///   - count: The number of bytes. If it is not all, call `writable` once more can be written.
  ///   - peer: The connection.
  ///   - now: The time.
  /// - Complexity: O(1).
  package mutating func sent(_ count: Int, to peer: Peer, now: Duration) {
    note(now)
    guard let rest = watchers[peer]?.outgoing.dropFirst(count) else { return }
    // An empty slice keeps the whole buffer.
    watchers[peer]?.outgoing = rest.isEmpty ? [] : rest
    if count > 0 { watchers[peer]?.progressed = self.now }
  }

  /// Sends the rest of a buffer.
  ///
  /// Call it only after a `sent` of less than all.
  ///
  /// - Parameters:
  ///   - peer: The connection, to which can be written.
  ///   - now: The time.
  /// - Complexity: O(1).
  package mutating func writable(_ peer: Peer, now: Duration) {
    note(now)
    if let rest = watchers[peer]?.outgoing, !rest.isEmpty { actions.append(.send(peer, rest)) }
  }

  /// Forgets a connection that the other side has closed, or that failed.
  ///
  /// - Parameters:
  ///   - peer: The connection.
  ///   - now: The time.
  /// - Complexity: O(its publications).
  package mutating func closed(_ peer: Peer, now: Duration) {
    note(now)
    _ = forget(peer)
  }

  /// Disconnects a watcher, and tells it why if that can be done without waiting.
  mutating func disconnect(_ peer: Peer, _ error: RelayError, _ kind: RelayRefusal.Kind = .invalid)
  {
    guard let watcher = forget(peer) else { return }
    if watcher.outgoing.isEmpty {
      var bytes: [UInt8] = []
      RelayEvent.answer(nil, RelayRefusal(kind, error.description)).appendLine(to: &bytes)
      actions.append(.send(peer, bytes[...]))
    }
    actions.append(.close(peer, error))
  }

  /// Forgets a connection and what it watches.
  mutating func forget(_ peer: Peer) -> Watcher? {
    guard let watcher = watchers.removeValue(forKey: peer) else { return nil }
    for id in watcher.watches.keys { release(id, peer, hasTrees: watcher.hasTrees) }
    return watcher
  }

  /// Fills the buffer of a watcher, which is empty, and sends it.
  private mutating func send(_ bytes: [UInt8], to peer: Peer) {
    watchers[peer]?.outgoing = bytes[...]
    watchers[peer]?.progressed = now
    actions.append(.send(peer, bytes[...]))
  }
}
