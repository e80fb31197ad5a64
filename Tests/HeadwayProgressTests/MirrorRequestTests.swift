import HeadwayCollections
import Repetitions
import Testing

@testable import HeadwayProgress

/// What the watcher of a mirror does with its nodes.
struct MirrorRequestTests {
  /// A node of a mirror that was asked for something.
  private struct Asked: Equatable {
    let node: UInt32
    let request: ProgressMirror.Request

    init(_ node: UInt32, _ request: ProgressMirror.Request) {
      self.node = node
      self.request = request
    }
  }

  /// A tree of a top with two children and a grandchild, and a mirror of it.
  private final class Pair {
    let root = ProgressNode("top", total: 2)
    let one: ProgressNode
    let two: ProgressNode
    let below: ProgressNode
    let mirror: ProgressMirror
    let asked = Box<[Asked]>([])
    private var last: ProgressSnapshot

    init(limit: Int = 10) throws {
      one = root.child("one", units: 1)
      two = root.child("two", units: 1)
      below = one.child("below", units: 1)
      last = root.snapshot()
      let asked = asked
      mirror = ProgressMirror(limit: limit) { node, request in
        asked.change { $0.append(Asked(node, request)) }
      }
      try mirror.apply(TreeChange(from: nil, to: last))
    }

    /// Brings the mirror up to date.
    func follow() throws {
      let next = root.snapshot()
      try mirror.apply(TreeChange(from: last, to: next))
      last = next
    }

    /// The node of the mirror for one of the tree.
    func mirrored(_ node: ProgressNode) throws -> ProgressNode {
      try #require(mirror.node(node.reference.id))
    }

    func id(_ node: ProgressNode) -> UInt32 { node.reference.id }

    /// Whether the mirror shows what the tree is.
    var agrees: Bool {
      mirror.root.snapshot() == root.snapshot() && mirror.root.brokenInvariants() == []
    }
  }

  @Test func `A request names the node on which it was called, once, and takes effect at once`()
    throws
  {
    let pair = try Pair()
    pair.mirror.root.pause()
    #expect(try pair.mirrored(pair.below).isPaused)
    pair.mirror.root.pause()
    pair.mirror.root.resume()
    pair.mirror.root.resume()
    try pair.mirrored(pair.one).cancel()
    try pair.mirrored(pair.one).cancel()
    try pair.mirrored(pair.below).cancel()
    #expect(
      pair.asked.value == [
        Asked(0, .pause), Asked(0, .resume), Asked(pair.id(pair.one), .cancel),
      ])
    #expect(try pair.mirrored(pair.below).isCancelled)
    #expect(try !pair.mirrored(pair.two).isCancelled)
  }

  @Test func `What was received is not passed on`() throws {
    let pair = try Pair()
    pair.root.pause()
    try pair.follow()
    pair.one.pause()
    pair.root.resume()
    try pair.follow()
    pair.root.cancel()
    try pair.follow()
    #expect(pair.asked.value == [])
    #expect(pair.agrees)
  }

  @Test func `A pause and its end reach a node below a paused one`() throws {
    let pair = try Pair()
    pair.root.pause()
    pair.one.pause()
    try pair.follow()
    // The mirror cannot see that this one is paused itself.
    try pair.mirrored(pair.one).resume()
    try pair.mirrored(pair.two).pause()
    #expect(
      pair.asked.value == [Asked(pair.id(pair.one), .resume), Asked(pair.id(pair.two), .pause)])
    #expect(try pair.mirrored(pair.one).isPaused)
    pair.one.resume()
    pair.two.pause()
    pair.root.resume()
    try pair.follow()
    #expect(try !pair.mirrored(pair.one).isPaused && pair.mirrored(pair.two).isPaused)
    #expect(pair.agrees)
  }

  @Test func `A node that stays paused when its parent resumes can be resumed`() throws {
    let pair = try Pair()
    pair.root.pause()
    pair.one.pause()
    try pair.follow()
    pair.root.resume()
    try pair.follow()
    #expect(pair.agrees)
    #expect(try pair.mirrored(pair.below).isPaused)
    try pair.mirrored(pair.one).resume()
    #expect(try !pair.mirrored(pair.below).isPaused)
    #expect(pair.asked.value == [Asked(pair.id(pair.one), .resume)])
  }

  @Test func `Work that cannot be cancelled or paused is not asked`() throws {
    let pair = try Pair()
    pair.one.isCancellable = false
    pair.one.isPausable = false
    try pair.follow()
    try pair.mirrored(pair.one).cancel()
    try pair.mirrored(pair.one).pause()
    #expect(pair.asked.value == [])
    pair.mirror.root.cancel()
    #expect(try !pair.mirrored(pair.one).isCancelled)
    pair.root.cancel()
    try pair.follow()
    #expect(pair.agrees)
  }

  @Test func `A refused request is taken back, and can be made again`() throws {
    let pair = try Pair()
    pair.one.pause()
    try pair.follow()
    let calls = Box<[String]>([])
    let mirrored = try pair.mirrored(pair.two)
    mirrored.onPause { calls.change { $0.append("pause") } }
    mirrored.onResume { calls.change { $0.append("resume") } }
    for _ in 0..<2 {
      pair.mirror.root.pause()
      pair.mirror.root.cancel()
      #expect(mirrored.isPaused && mirrored.isCancelled)
      pair.mirror.restore(0)
      #expect(pair.agrees)
      #expect(try pair.mirrored(pair.below).isPaused)
    }
    #expect(calls.value == ["pause", "resume", "pause", "resume"])
    let once = [Asked(0, .pause), Asked(0, .cancel)]
    #expect(pair.asked.value == once + once)
    pair.mirror.restore(77)
    #expect(pair.agrees)
  }

  @Test func `A granted request needs nothing but its answer`() throws {
    let pair = try Pair()
    pair.one.pause()
    try pair.follow()
    pair.mirror.root.resume()
    #expect(pair.asked.value == [])
    try pair.mirrored(pair.one).resume()
    // Meanwhile the tree was paused as a whole, so that nothing has changed in the end.
    pair.root.pause()
    pair.one.resume()
    try pair.follow()
    pair.mirror.restore(pair.id(pair.one))
    #expect(pair.agrees)
  }

  @Test func `What was asked for survives a whole tree that came before the answer`() throws {
    let pair = try Pair()
    pair.mirror.root.pause()
    try pair.mirrored(pair.two).cancel()
    try pair.mirror.replace(with: TreeChange(from: nil, to: pair.root.snapshot()))
    #expect(try pair.mirror.root.isPaused && pair.mirrored(pair.two).isCancelled)
    pair.mirror.restore(0)
    #expect(pair.agrees)
  }

  @Test func `After the end nothing is passed on`() throws {
    let pair = try Pair()
    let two = try pair.mirrored(pair.two)
    let one = try pair.mirrored(pair.one)
    pair.one.finish()
    try pair.follow()
    one.cancel()
    pair.mirror.end(detail: nil)
    pair.mirror.root.cancel()
    two.pause()
    #expect(pair.asked.value == [])
  }

  @Test func `Requests that a request leads to come after it`() throws {
    let root = ProgressNode("top")
    let asked = Box<[ProgressMirror.Request]>([])
    let held = Box<ProgressNode?>(nil)
    let mirror = ProgressMirror(limit: 10) { _, request in
      // A call in a call is passed on by the first one.
      let isFirst = asked.value.isEmpty
      if isFirst { held.value?.resume() }
      asked.change { $0.append(request) }
      if isFirst { held.value?.cancel() }
    }
    try mirror.apply(TreeChange(from: nil, to: root.snapshot()))
    held.value = mirror.root
    mirror.root.pause()
    #expect(asked.value == [.pause, .resume, .cancel])
    held.value = nil
  }

  @Test func `Requests of many threads are passed on in the order in which they took effect`()
    throws
  {
    let root = ProgressNode("top")
    let asked = Box<[ProgressMirror.Request]>([])
    let mirror = ProgressMirror(limit: 10) { _, request in asked.change { $0.append(request) } }
    try mirror.apply(TreeChange(from: nil, to: root.snapshot()))
    let top = mirror.root
    onThreads(4) { number in
      for _ in 0..<repetitions(500, real: 2_000, underSanitizer: 200) {
        if number % 2 == 0 { top.pause() } else { top.resume() }
      }
    }
    // A pause and its end take turns, and the last one is the state.
    let requests = asked.value
    let isAlternating = requests.enumerated().allSatisfy {
      $0.element == ($0.offset % 2 == 0 ? .pause : .resume)
    }
    #expect(isAlternating)
    #expect(top.isPaused == (requests.last == .pause))
    withExtendedLifetime(mirror) {}
  }

  @Test func `The first node of a mirror passes on what comes from above it`() throws {
    let pair = try Pair()
    let parent = ProgressNode("parent", total: 10)
    let place = parent.child("place", units: 4)
    let asked = Box<[Asked]>([])
    let mirror = ProgressMirror(limit: 10, root: place) { node, request in
      asked.change { $0.append(Asked(node, request)) }
    }
    let first = pair.root.snapshot()
    try mirror.apply(TreeChange(from: nil, to: first))
    parent.pause()
    #expect(asked.value == [Asked(0, .pause)])
    pair.root.pause()
    let second = pair.root.snapshot()
    try mirror.apply(TreeChange(from: first, to: second))
    mirror.restore(0)
    // The pause is one of the parent, so the end of it is, too.
    place.resume()
    #expect(place.isPaused)
    parent.resume()
    #expect(!place.isPaused)
    pair.root.resume()
    pair.one.complete(1)
    pair.root.complete(1)
    let third = pair.root.snapshot()
    try mirror.apply(TreeChange(from: second, to: third))
    #expect(parent.fraction == 0.2)
    parent.cancel()
    #expect(asked.value == [Asked(0, .pause), Asked(0, .resume), Asked(0, .cancel)])
    // Its nodes have numbers of the larger tree.
    #expect(parent.brokenInvariants() == [])
    pair.root.finish()
    try mirror.apply(TreeChange(from: third, to: pair.root.snapshot()))
    #expect(parent.completed == 4)
    #expect(parent.brokenInvariants() == [])
  }

  @Test func `Two trees that mirror each other and cancel together do not loop`() throws {
    let calls = Box(0)
    let left = ProgressNode("left")
    let right = ProgressNode("right")
    let mirrors = [left, right].map { node in
      ProgressMirror(limit: 10) { _, request in
        calls.change { $0 += 1 }
        switch request {
        case .cancel: node.cancel()
        case .pause: node.pause()
        case .resume: node.resume()
        }
      }
    }
    var last: [ProgressSnapshot?] = [nil, nil]
    func follow() throws {
      for (index, node) in [left, right].enumerated() {
        let next = node.snapshot()
        try mirrors[index].apply(TreeChange(from: last[index], to: next))
        last[index] = next
      }
    }
    try follow()
    // Each process links its own work and what it sees of the other's.
    for (own, other) in [(left, mirrors[1].root), (right, mirrors[0].root)] {
      own.onCancel { other.cancel() }
      other.onCancel { own.cancel() }
      own.onPause { other.pause() }
      other.onPause { own.pause() }
      own.onResume { other.resume() }
      other.onResume { own.resume() }
    }
    left.pause()
    try follow()
    try follow()
    #expect(right.isPaused && mirrors.allSatisfy { $0.root.isPaused })
    right.resume()
    try follow()
    try follow()
    #expect(!left.isPaused && mirrors.allSatisfy { !$0.root.isPaused })
    left.cancel()
    right.cancel()
    try follow()
    try follow()
    #expect(right.isCancelled && mirrors.allSatisfy { $0.root.isCancelled })
    #expect(calls.value == 6)
    // Their handlers hold each other.
    for node in [left, right] { node.finish() }
    for mirror in mirrors { mirror.end(detail: nil) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `Two watchers that ask against each other settle on what the tree is`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<repetitions(100, underSanitizer: 5) {
      var meeting = try Meeting(seed: random.next())
      for _ in 0..<60 { try meeting.step() }
      try meeting.settle()
      #expect(meeting.asked <= meeting.actions, "round \(round)")
      #expect(meeting.disagreement == nil, "round \(round)")
      if meeting.disagreement != nil { return }
    }
  }
}

/// A tree and two mirrors of it, between which everything is on its way for a random time.
private struct Meeting {
  /// One who watches the tree.
  private struct Watcher {
    let mirror: ProgressMirror
    /// The requests on their way to the tree.
    let requests: Box<[(node: UInt32, request: ProgressMirror.Request)]>
    /// The nodes whose answers are on their way to the mirror.
    var answers: [UInt32] = []
    var last: ProgressSnapshot
  }

  private var random: SplitMix64
  private let nodes: [ProgressNode]
  private var watchers: [Watcher] = []
  /// The number of calls of the watchers.
  private(set) var actions = 0
  /// The number of requests that have arrived.
  private(set) var asked = 0

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    var nodes = [ProgressNode("top", total: 10)]
    for number in 1..<8 {
      let parent = nodes[random.number(below: nodes.count)]
      nodes.append(parent.child("\(number)", units: 1, total: 5))
    }
    for node in nodes where random.isOne(in: 5) {
      node.isPausable = random.isOne(in: 2)
      node.isCancellable = random.isOne(in: 2)
    }
    self.nodes = nodes
    for _ in 0..<2 {
      let requests = Box<[(node: UInt32, request: ProgressMirror.Request)]>([])
      let mirror = ProgressMirror(limit: 100) { node, request in
        requests.change { $0.append((node, request)) }
      }
      let first = nodes[0].snapshot()
      try mirror.apply(TreeChange(from: nil, to: first))
      watchers.append(Watcher(mirror: mirror, requests: requests, last: first))
    }
  }

  mutating func step() throws {
    let index = random.number(below: 2)
    switch random.number(below: 6) {
    case 0, 1:
      let id = nodes[random.number(below: nodes.count)].reference.id
      guard let node = watchers[index].mirror.node(id) else { return }
      actions += 1
      ask(node)
    case 2: serve(index)
    case 3: try send(index)
    case 4:
      let node = nodes[random.number(below: nodes.count)]
      node.complete(1)
      ask(node)
    default: nodes[random.number(below: nodes.count)].isPausable.toggle()
    }
  }

  private mutating func ask(_ node: ProgressNode) {
    switch random.number(below: 7) {
    case 0...2: node.pause()
    case 3...5: node.resume()
    default: if random.isOne(in: 4) { node.cancel() }
    }
  }

  /// Lets a request arrive; one in four is refused.
  private mutating func serve(_ index: Int) {
    let requests = watchers[index].requests
    guard let next = requests.value.first else { return }
    requests.change { $0.removeFirst() }
    asked += 1
    watchers[index].answers.append(next.node)
    if random.isOne(in: 4) { return }
    let node = nodes.first { $0.reference.id == next.node }
    switch next.request {
    case .cancel: node?.cancel()
    case .pause: node?.pause()
    case .resume: node?.resume()
    }
  }

  /// Lets the state of the tree arrive, and the answers that were given before it.
  private mutating func send(_ index: Int) throws {
    let next = nodes[0].snapshot()
    let mirror = watchers[index].mirror
    if random.isOne(in: 3) {
      try mirror.replace(with: TreeChange(from: nil, to: next))
    } else {
      try mirror.apply(TreeChange(from: watchers[index].last, to: next))
    }
    watchers[index].last = next
    for node in watchers[index].answers { mirror.restore(node) }
    watchers[index].answers = []
  }

  /// Lets everything arrive that is on its way.
  mutating func settle() throws {
    for index in watchers.indices {
      while !watchers[index].requests.value.isEmpty { serve(index) }
    }
    for index in watchers.indices { try send(index) }
  }

  /// What a mirror shows wrongly, nil for nothing.
  var disagreement: String? {
    for watcher in watchers {
      if watcher.mirror.root.snapshot() != nodes[0].snapshot() { return "the mirror differs" }
      if let broken = watcher.mirror.root.brokenInvariants().first { return broken }
      if !watcher.requests.value.isEmpty { return "an answer was passed on" }
    }
    return nil
  }
}
