import HeadwayCollections
internal import HeadwayProgress

/// Trees beside a simple model with exact fractions.
struct ModelTree {
  private struct Node {
    /// The node, nil after the test has dropped it.
    var held: ProgressNode?
    /// Whether the node is still in memory, retained by the test or by a child.
    var isAlive = true
    /// The index of the parent, nil for a root.
    var parent: Int?
    /// The indices of the children that are in memory.
    var children: [Int] = []
    var total: UInt64?
    var share: UInt64 = 0
    var count: UInt64 = 0
    var isFinished = false
    var level = 1
    /// Whether the tree of this root was read.
    var isRead = false
    var shown = 0.0
  }

  /// The deepest level for which fractions are exact.
  static let levels = 32
  /// The largest count for which fractions are exact.
  static let counts: UInt64 = 1 << 62

  /// The nodes, including deallocated ones.
  private var nodes: [Node] = []
  private var random: SplitMix64
  /// One in this number of shares may exceed the total of its parent; 0 for none.
  private let excess: Int
  /// The first difference from the model, nil for none.
  private(set) var difference: String?
  /// The number of fractions that were compared.
  private(set) var reads = 0
  private(set) var deepest = 1

  /// Creates a tree of one node.
  ///
  /// - Parameters:
  ///   - random: The source of random numbers.
  ///   - excess: One in this number of shares may exceed the total of its parent; 0 for none.
  init(random: SplitMix64, excess: Int) {
    self.random = random
    self.excess = excess
    addRoot()
  }

  /// Performs random operations on the tree.
  ///
  /// - Parameters:
  ///   - size: The most nodes.
  ///   - steps: The number of operations.
  ///   - checks: Whether to check the invariants after each step.
  mutating func run(size: Int, steps: Int, checks: Bool) {
    // Most trees are bushes, some are chains.
    let chain = random.number(below: 4) == 0 ? 2 : 12
    for _ in 0..<steps where difference == nil {
      if nodes.count < size, random.isOne(in: 2) {
        addNode(chain: chain)
      } else {
        change(random.number(below: nodes.count))
      }
      if checks { checkInvariants() }
    }
    for index in nodes.indices where difference == nil { read(index) }
    if difference == nil { checkInvariants() }
  }

  private mutating func addNode(chain: Int) {
    if random.isOne(in: 12) { return addRoot() }
    let parent = random.isOne(in: chain) ? random.number(below: nodes.count) : nodes.count - 1
    addChild(of: parent)
  }

  private mutating func change(_ index: Int) {
    switch random.number(below: 16) {
    case 0...3: complete(index)
    case 4: setCompleted(index)
    case 5: takeBack(index)
    case 6: setTotal(index)
    case 7: addToTotal(index)
    case 8: finish(index)
    case 9: drop(index)
    case 10: add(index, to: random.number(below: nodes.count))
    default: read(index)
    }
  }

  private mutating func checkInvariants() {
    for node in nodes where node.parent == nil {
      if let broken = node.held?.brokenInvariants(), let first = broken.first { difference = first }
    }
  }
}

// What is done to both the tree and the model.
extension ModelTree {
  private mutating func drawTotal() -> UInt64? {
    random.isOne(in: 10) ? nil : random.anySize(upTo: Self.counts)
  }

  private mutating func addRoot() {
    let total = drawTotal()
    nodes.append(Node(held: ProgressNode(total: total.map(Int.init)), total: total))
  }

  private mutating func addChild(of parent: Int) {
    guard let node = nodes[parent].held, nodes[parent].level < Self.levels else { return }
    let total = drawTotal()
    let share = drawShare(of: parent)
    let way = random.number(below: 3)
    let child =
      switch way {
      case 0: node.share(of: Int(share)).start(total: total.map(Int.init))
      case 1: node.child(units: Int(share), total: total.map(Int.init))
      default:
        node.withCurrent(units: Int(share)) {
          ProgressNode.joinCurrent(total: total.map(Int.init))
        }
      }
    let level = nodes[parent].level + 1
    nodes[parent].children.append(nodes.count)
    nodes.append(Node(held: child, parent: parent, total: total, share: share, level: level))
    deepest = max(deepest, level)
  }

  /// Draws the units of a child, mostly so that all children together do not exceed the parent's total.
  private mutating func drawShare(of parent: Int) -> UInt64 {
    if excess > 0, random.isOne(in: excess) { return random.anySize(upTo: Self.counts) }
    let taken = nodes[parent].children.reduce(0 as UInt64) { $0 &+ nodes[$1].share }
    let total = nodes[parent].total ?? 100
    guard total > taken else { return 0 }
    return random.isOne(in: 3) ? total - taken : random.anySize(upTo: total - taken)
  }

  private mutating func complete(_ index: Int) {
    guard let node = nodes[index].held else { return }
    let units = random.anySize(upTo: nodes[index].total ?? 1 << 20)
    guard nodes[index].isFinished || nodes[index].count + units <= Self.counts else { return }
    node.complete(Int(units))
    if !nodes[index].isFinished { nodes[index].count += units }
  }

  private mutating func setCompleted(_ index: Int) {
    guard let node = nodes[index].held else { return }
    let units = random.anySize(upTo: nodes[index].total ?? 1 << 20)
    node.setCompleted(Int(units))
    if !nodes[index].isFinished { nodes[index].count = units }
  }

  private mutating func takeBack(_ index: Int) {
    guard let node = nodes[index].held else { return }
    let units = random.anySize(upTo: 1 << 40)
    node.takeBack(Int(units))
    if !nodes[index].isFinished { nodes[index].count -= min(units, nodes[index].count) }
  }

  private mutating func setTotal(_ index: Int) {
    guard let node = nodes[index].held else { return }
    let total = drawTotal()
    // With no child that has more than its parent, totals do not shrink below what children have.
    if excess == 0, let total, total < taken(of: index) { return }
    node.total = total.map(Int.init)
    if !nodes[index].isFinished { nodes[index].total = total }
  }

  /// Adds to the total or subtracts from it.
  private mutating func addToTotal(_ index: Int) {
    guard let node = nodes[index].held else { return }
    let total = nodes[index].total ?? 0
    let units = random.anySize(upTo: Self.counts - total)
    if total > 0, excess > 0, random.isOne(in: 3) {
      node.addToTotal(-Int(units))
      if !nodes[index].isFinished { nodes[index].total = total - min(units, total) }
    } else {
      if excess == 0, total + units < taken(of: index) { return }
      node.addToTotal(Int(units))
      if !nodes[index].isFinished { nodes[index].total = total + units }
    }
  }

  private func taken(of index: Int) -> UInt64 {
    nodes[index].children.reduce(0 as UInt64) { $0 &+ nodes[$1].share }
  }

  private mutating func finish(_ index: Int) {
    guard let node = nodes[index].held, canCredit(index) else { return }
    node.finish()
    markFinished(index)
  }

  private func canCredit(_ index: Int) -> Bool {
    guard let parent = nodes[index].parent else { return true }
    return nodes[parent].count + nodes[index].share <= Self.counts
  }

  /// Finishes a node in the model.
  private mutating func markFinished(_ index: Int) {
    guard !nodes[index].isFinished else { return }
    nodes[index].isFinished = true
    guard let parent = nodes[index].parent, !nodes[parent].isFinished else { return }
    nodes[parent].count += nodes[index].share
  }

  private mutating func drop(_ index: Int) {
    guard nodes[index].held != nil, canCredit(index) else { return }
    nodes[index].held = nil
    settle(index)
  }

  /// Releases a node in the model if it has no references, and the ancestors that only it retained.
  private mutating func settle(_ index: Int) {
    var next: Int? = index
    while let index = next, nodes[index].held == nil, nodes[index].children.isEmpty {
      markFinished(index)
      nodes[index].isAlive = false
      if let parent = nodes[index].parent { nodes[parent].children.removeAll { $0 == index } }
      next = nodes[index].parent
    }
  }

  /// Adds a root to another node, and checks the error if that is impossible.
  private mutating func add(_ root: Int, to parent: Int) {
    guard let node = nodes[root].held, let above = nodes[parent].held else { return }
    let height = self.height(of: root)
    guard nodes[parent].level + height <= Self.levels else { return }
    let share = drawShare(of: parent)
    var wanted: ProgressError?
    if path(from: parent).contains(root) {
      wanted = .isAncestor
    } else if nodes[root].parent != nil || nodes[root].isFinished {
      wanted = .notARoot
    } else if nodes[root].isRead {
      wanted = .alreadyRead
    }
    var seen: ProgressError?
    do { try above.add(node, units: Int(share)) } catch { seen = error }
    if seen != wanted { difference = "adding throws \(String(describing: seen))" }
    guard wanted == nil else { return }
    nodes[root].parent = parent
    nodes[root].share = share
    nodes[parent].children.append(root)
    lower(root, to: nodes[parent].level + 1)
  }

  /// The indices of a node and its ancestors.
  private func path(from index: Int) -> [Int] {
    var path = [index]
    while let last = path.last, let parent = nodes[last].parent { path.append(parent) }
    return path
  }

  /// The number of levels of a subtree.
  private func height(of index: Int) -> Int {
    1 + nodes[index].children.reduce(0) { max($0, height(of: $1)) }
  }

  private mutating func lower(_ index: Int, to level: Int) {
    nodes[index].level = level
    deepest = max(deepest, level)
    for child in nodes[index].children { lower(child, to: level + 1) }
  }
}

// What is compared.
extension ModelTree {
  /// Reads a node and compares it with the model.
  private mutating func read(_ index: Int) {
    guard let node = nodes[index].held else { return }
    let model = nodes[index]
    let (fraction, shown) = random.isOne(in: 2) ? both(of: node) : bothOfSnapshot(of: node)
    reads += 1
    if let root = path(from: index).last { nodes[root].isRead = true }
    if node.completed != Int(model.count) {
      difference = "\(node.completed) units are completed, not \(model.count)"
    }
    if node.isFinished != model.isFinished { difference = "one of the two has finished" }
    if node.total != model.total.map(Int.init) { difference = "the totals differ" }
    if shown < model.shown { difference = "shown goes back from \(model.shown) to \(shown)" }
    nodes[index].shown = shown
    if model.isFinished {
      if fraction != 1 || shown != 1 { difference = "a finished node reads \(fraction)" }
      return
    }
    if fraction >= 1 || shown >= 1 { difference = "a node at work reads \(fraction)" }
    let (exact, error) = exactFraction(of: index)
    // What an excess of shares over totals adds to the error.
    let slack = max(1, (error * 0x1p-52 * 1e12).rounded(.up))
    if slack < 1e12, !exact.isNear(fraction, slack: UInt64(slack)) {
      difference = "\(fraction) is too far from the truth, with a slack of \(slack)"
    }
    if excess == 0, slack > 1 { difference = "the model allows too much" }
    if shown < fraction - 1e-12 { difference = "\(shown) is shown for \(fraction)" }
  }

  private func both(of node: ProgressNode) -> (fraction: Double, shown: Double) {
    (node.fraction, node.shownFraction)
  }

  private func bothOfSnapshot(of node: ProgressNode) -> (fraction: Double, shown: Double) {
    let snapshot = node.snapshot(limit: 1)
    return (snapshot.fraction, snapshot.shownFraction)
  }

  /// The exact fraction of an unfinished node, and the permitted error in units of 2⁻⁵².
  private func exactFraction(of index: Int) -> (fraction: Rational, error: Double) {
    let node = nodes[index]
    guard let total = node.total else { return (.zero, 0) }
    guard total > 0 else { return (.one, 0) }
    var parts: [(share: UInt64, fraction: Rational)] = []
    var error = 0.0
    for child in node.children where !nodes[child].isFinished {
      let (fraction, childError) = exactFraction(of: child)
      parts.append((nodes[child].share, fraction))
      error += Double(nodes[child].share) * (childError + 1)
    }
    return (Rational(count: node.count, parts: parts, total: total), error / Double(total) + 2)
  }
}
