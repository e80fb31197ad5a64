/// What the nodes of a mirror were asked for and the mirrored tree does not know yet.
///
/// The lock of the tree guards it, so requests are passed on in the order in which they have taken effect.
final class MirrorRequests: @unchecked Sendable {
  private typealias Entry = (id: UInt32, request: ProgressMirror.Request)

  /// Takes the requests; called outside of all locks, by one thread at a time.
  private let receive: @Sendable (UInt32, ProgressMirror.Request) -> Void
  /// The numbers of the nodes in the mirrored tree, by their addresses.
  private var numbers: [UInt: UInt32] = [:]
  private var waiting: [Entry] = []
  /// Whether a thread is passing requests on.
  private var isPassing = false
  private var isOver = false

  init(_ receive: @escaping @Sendable (UInt32, ProgressMirror.Request) -> Void) {
    self.receive = receive
  }

  /// Notes the number of a node, under the lock.
  func insert(_ node: NodeReference, id: UInt32) { numbers[node.bits] = id }

  /// Forgets a node, under the lock.
  func remove(_ node: NodeReference) { numbers[node.bits] = nil }

  /// Adds a request, under the lock.
  ///
  /// - Returns: Whether it has to be passed on; false if the work of the node is over.
  func add(_ request: ProgressMirror.Request, at node: NodeReference) -> Bool {
    guard !isOver, !node.isFinished, let id = numbers[node.bits] else { return false }
    waiting.append((id, request))
    return true
  }

  /// Forgets all requests and nodes, under the lock; later ones are ignored.
  func end() {
    isOver = true
    waiting = []
    numbers = [:]
  }

  /// Passes on all requests, outside of all locks, unless another thread is doing that.
  ///
  /// - Parameter node: A node of the tree whose lock guards this.
  func passOn(_ node: ProgressNode) {
    var isFirst = true
    while let next = node.withTree({ _, _ in takeNext(isFirst: isFirst) }) {
      isFirst = false
      receive(next.id, next.request)
    }
  }

  private func takeNext(isFirst: Bool) -> Entry? {
    if isFirst, isPassing { return nil }
    isPassing = !waiting.isEmpty
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }
}

extension ProgressMirror.Request {
  /// Whether a pause or its end has to be passed on.
  ///
  /// - Parameters:
  ///   - node: The node on which it was called.
  ///   - before: The bits of its pause before.
  ///   - after: The bits of its pause now.
  /// - Returns: Whether the mirrored tree may not know it.
  func isDue(at node: NodeReference, before: UInt8, after: UInt8) -> Bool {
    switch self {
    case .cancel: true
    case .pause: after & ~before & NodeState.pausedHere != 0
    // A node below a paused one may also have been paused itself, which a mirror cannot see. But above the first node
    // of a mirror, the pause is not one of the mirrored tree.
    case .resume: before != 0 && (after == 0 || !node.isFirstOfMirror)
    }
  }
}

extension NodeReference {
  /// Whether this is the first node of a mirror.
  var isFirstOfMirror: Bool { existingExtras?.requests != nil }
}
