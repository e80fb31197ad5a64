internal import HeadwayLock
internal import HeadwayProgress
internal import HeadwaySystem
internal import Synchronization

/// A share that other programs report for, as the thread of the loop has it.
///
/// Safe from any thread.
final class OpenShare: Sendable {
  /// Where programs are told how to report.
  static let variable = "HEADWAY_PROGRESS"
  /// The version of the variable's contents.
  static let version = 2

  private enum Address {
    case unknown(waiting: Int)
    case known(String?)
  }

  /// The label and the message of a program, both shown in the words of its task: `Copying: photo 3 of 10`.
  private struct Words {
    var label = ""
    /// The message, or what the run itself has said before; nil before the first label or message.
    var detail: String?

    /// Both in one text, empty if there is neither.
    var text: String { [label, detail ?? ""].filter { !$0.isEmpty }.joined(separator: ": ") }
  }

  private enum Whole {
    /// No program has reported yet.
    case none
    /// The program of a place.
    case program(ObjectIdentifier)
    /// None: the one that did has ended, and the work goes on.
    case over
  }

  /// What programs show to be allowed to report: nobody else can guess it.
  let token: String
  let node: ProgressNode
  /// Changes the texts of programs, nil to show them as they are.
  private let masked: TextMask?
  /// Whether it is that of a task: that keeps its name, and may go on once its first program has ended, which then was a part of it.
  private let isTask: Bool
  /// What programs have said of a task.
  private let words = Guarded(Words())
  /// The place of the program that stands for all of the work.
  private let whole = Guarded(Whole.none)
  private let closing = Atomic<Bool>(false)
  private let state = Guarded(Address.unknown(waiting: 0))
  private let changed = HeadwayLock.Semaphore()

  /// Creates a share.
  ///
  /// - Parameters:
  ///   - node: The node for which programs report.
  ///   - token: The token, nil for a new one.
  ///   - masked: Changes the texts of programs, nil to show them as they are.
  ///   - isTask: Whether it is that of a task, which keeps its name and may go on once its first program has ended.
  init(
    _ node: ProgressNode, token: String? = nil, masked: TextMask? = nil, isTask: Bool = false
  ) {
    self.node = node
    self.masked = masked
    self.isTask = isTask
    if let token {
      self.token = token
      return
    }
    let bits = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    self.token = String(bits.0, radix: 16) + "-" + String(bits.1, radix: 16)
  }

  /// Closes it.
  ///
  /// - Returns: Whether this is the first call.
  func close() -> Bool { !closing.exchange(true, ordering: .relaxed) }

  /// The path of the socket of this process, nil if there is none; waits until that is known.
  var address: String? {
    let known = state.withLock { state -> String?? in
      switch state {
      case .known(let address): return .some(address)
      case .unknown(let waiting):
        state = .unknown(waiting: waiting + 1)
        return nil
      }
    }
    if let known { return known }
    #if os(Linux)
      // A handler of the program, which waits in vain.
      if RelayLoop.shared.isOnThread { return nil }
    #endif
    changed.wait()
    return state.withLock { if case .known(let address) = $0 { address } else { nil } }
  }

  /// Notes the path of the socket; only the first call counts.
  func set(address: String?) {
    let waiting = state.withLock { state in
      guard case .unknown(let waiting) = state else { return 0 }
      state = .known(address)
      return waiting
    }
    changed.post(waiting)
  }

  /// Notes what a program says.
  func note(_ told: Told) {
    let told = masked.map { told.masked(by: $0) } ?? told
    if isTask, told.label != nil || told.detail != nil {
      let own = node.detail
      let text = words.withLock { words in
        words.label = told.label ?? words.label
        words.detail = told.detail ?? words.detail ?? own
        return words.text
      }
      // A secret may be in neither of them, but in both together.
      let shown = masked.map { $0(text, false) } ?? text
      node.detail = shown.isEmpty ? nil : shown
    } else {
      if let label = told.label { node.label = label }
      if let detail = told.detail { node.detail = detail.isEmpty ? nil : detail }
    }
    if let total = told.total { node.total = total }
    if let completed = told.completed { node.setCompleted(completed) }
    if let percent = told.percent {
      let total = node.total ?? 100
      node.total = total
      let completed = (Double(total) * percent / 100).rounded()
      // The largest total is rounded up to a number that is none.
      node.setCompleted(Int(exactly: completed) ?? total)
    }
    if let added = told.added {
      if added >= 0 { node.complete(added) } else { node.takeBack(added == .min ? .max : -added) }
    }
    if told.isFinished { node.finish() }
  }

  /// The place in which the work of a program is shown: the first one stands for all of the share, unless that counts
  /// itself.
  func makeRoot() -> ProgressNode {
    if case .over = whole.withLock({ $0 }) { return node.child("", units: 0) }
    let isFirst = node.total == nil
    let place = node.makePlaceOfProgram()
    if isFirst { whole.withLock { $0 = .program(ObjectIdentifier(place)) } }
    return place
  }

  /// Ends what a program has shown; if that stood for all of the work, and the work goes on, nobody knows how far that is.
  func end(_ watched: Watched, _ reason: WatchedEnd) {
    let isWhole = whole.withLock { whole in
      guard isTask, reason != .unwatched, case .program(let place) = whole,
        place == ObjectIdentifier(watched.mirror.root)
      else { return false }
      whole = .over
      return true
    }
    // Before the program completes its place, so that nobody sees complete work; a script may have set another total.
    if isWhole, node.total == 1 { node.total = nil }
    watched.end(reason)
    if isWhole { node.takeBack(1) }
  }
}

extension ProgressNode {
  /// The place in which the work of a program is shown, as in ``OpenShare/makeRoot()``.
  func makePlaceOfProgram() -> ProgressNode {
    guard total == nil else { return child("", units: 0) }
    total = 1
    return child("", units: 1)
  }
}

/// What a program finds in its environment if its parent shows its work.
package struct ParentShare: Sendable {
  let token: String
  /// The path of the socket of the parent.
  let path: String

  /// Reads the contents of the variable; nil if they have another form.
  package init?(_ text: String) {
    let parts = text.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "\(OpenShare.version)", parts[2].first == "/" else {
      return nil
    }
    (token, path) = (String(parts[1]), String(parts[2]))
  }

  /// The contents of the variable for a program on another machine, where a socket stands for that of the parent.
  ///
  /// - Parameter path: The path of that socket.
  /// - Returns: The contents.
  package func moved(to path: String) -> String { "\(OpenShare.version);\(token);\(path)" }

  #if os(Linux)
    /// Connects to the parent, nil if it is gone or belongs to another user.
    package func connect() -> RelaySocket? {
      let (folder, name) = splitPath(path)
      return try? RelaySocket.connect(in: RuntimeDirectory(shared: folder), name: name)
    }
  #endif
}

/// What a ``RelayClient`` finds publications for.
///
/// Called by the thread of the loop.
protocol WatchAudience: Sendable {
  /// The node in which the tree of a publication is shown.
  func makeRoot() -> ProgressNode
  /// The change of a tree as it may be shown.
  func shown(_ change: TreeChange) -> TreeChange
  /// Takes a publication whose tree has come.
  func found(_ watched: Watched)
  /// Ends a publication.
  func end(_ watched: Watched, _ reason: WatchedEnd)
  /// Tells of a problem.
  func report(_ problem: RelayError)
  /// Notes which processes were there at the beginning, none of which has answered.
  ///
  /// - Parameter sockets: The names of their sockets.
  func wait(for sockets: [String])
  /// Notes that one of them has answered, or cannot any more.
  func answered(_ socket: String)
  /// Notes that no further publications will be found.
  func finish()
}

extension WatchAudience {
  func shown(_ change: TreeChange) -> TreeChange { change }
  func end(_ watched: Watched, _ reason: WatchedEnd) { watched.end(reason) }
}

extension OpenShare: WatchAudience {
  func shown(_ change: TreeChange) -> TreeChange { masked.map { change.masked(by: $0) } ?? change }

  func found(_ watched: Watched) {
    #if os(Linux)
      // What its place was asked for before the program has come.
      let root = watched.mirror.root
      if root.isCancelled { watched.ask(.node(nil, .cancel)) }
      if root.isPaused { watched.ask(.node(nil, .pause)) }
    #endif
  }

  func report(_ problem: RelayError) {}
  func wait(for sockets: [String]) {}
  func answered(_ socket: String) {}
  func finish() {}
}
