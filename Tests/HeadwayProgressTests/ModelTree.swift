internal import HeadwayProgress

/// Trees of progress beside a plain model of them that reckons with exact fractions.
struct ModelTree {
  /// A node of the model.
  private struct Node {
    /// The true node, nil when the test has let go of it.
    var held: ProgressNode?
    /// Whether the true node is still in memory: the test or a child holds it.
    var isAlive = true
    /// The place of the parent, nil for a root.
    var parent: Int?
    /// The places of the children that are in memory.
    var children: [Int] = []
    /// The units of the work, nil while not known.
    var total: UInt64?
    /// The units of the parent that the node stands for.
    var share: UInt64 = 0
    /// The completed units.
    var count: UInt64 = 0
    /// Whether the work has ended.
    var isFinished = false
    /// The distance from the root of the tree, which is 1.
    var level = 1
    /// Whether the tree of this root was read.
    var isRead = false
    /// The largest fraction that was shown.
    var shown = 0.0
  }

  /// The deepest level for which the fraction is promised to be exact.
  static let levels = 32
  /// The largest count for which it is.
  static let counts: UInt64 = 1 << 62

  /// The nodes, those that are gone among them.
  private var nodes: [Node] = []
  /// What to do next is drawn from these.
  private var dice: Dice
  /// One in how many shares may be more than the total of its parent.
  private let excess: Int
  /// What differed from the model, nil for nothing.
  private(set) var mistake: String?
  /// How many fractions were compared.
  private(set) var reads = 0
  /// The deepest level that was reached.
  private(set) var deepest = 1

  /// Creates a tree of one node.
  ///
  /// - Parameters:
  ///   - dice: What all is drawn from.
  ///   - excess: One in how many shares may be more than the total of its parent; 0 for none.
  init(dice: Dice, excess: Int) {
    self.dice = dice
    self.excess = excess
    addRoot()
  }

  /// Changes and reads the tree.
  ///
  /// - Parameters:
  ///   - size: The most nodes.
  ///   - steps: How many things to do.
  ///   - checks: Whether to look for contradictions in the tree after each step.
  mutating func run(size: Int, steps: Int, checks: Bool) {
    // Most trees are bushes, some are chains.
    let chain = dice.number(below: 4) == 0 ? 2 : 12
    for _ in 0..<steps where mistake == nil {
      if nodes.count < size, dice.isOne(in: 2) {
        addNode(chain: chain)
      } else {
        change(dice.number(below: nodes.count))
      }
      if checks { checkInvariants() }
    }
    for place in nodes.indices where mistake == nil { read(place) }
    if mistake == nil { checkInvariants() }
  }

  /// Makes a new node somewhere.
  private mutating func addNode(chain: Int) {
    if dice.isOne(in: 12) { return addRoot() }
    let parent = dice.isOne(in: chain) ? dice.number(below: nodes.count) : nodes.count - 1
    addChild(of: parent)
  }

  /// Changes or reads a node.
  private mutating func change(_ place: Int) {
    switch dice.number(below: 16) {
    case 0...3: complete(place)
    case 4: setCompleted(place)
    case 5: takeBack(place)
    case 6: setTotal(place)
    case 7: addToTotal(place)
    case 8: finish(place)
    case 9: drop(place)
    case 10: add(place, to: dice.number(below: nodes.count))
    default: read(place)
    }
  }

  /// Looks for contradictions in all trees.
  private mutating func checkInvariants() {
    for node in nodes where node.parent == nil {
      if let broken = node.held?.brokenInvariants(), let first = broken.first { mistake = first }
    }
  }
}

// What is done to both the tree and the model.
extension ModelTree {
  /// Draws a total.
  private mutating func drawTotal() -> UInt64? {
    dice.isOne(in: 10) ? nil : dice.anySize(upTo: Self.counts)
  }

  /// Makes a new tree.
  private mutating func addRoot() {
    let total = drawTotal()
    nodes.append(Node(held: ProgressNode(total: total.map(Int.init)), total: total))
  }

  /// Makes a child.
  private mutating func addChild(of parent: Int) {
    guard let node = nodes[parent].held, nodes[parent].level < Self.levels else { return }
    let total = drawTotal()
    let share = drawShare(of: parent)
    let way = dice.number(below: 3)
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

  /// Draws the units for a child: mostly so many that all children together have the parent's total at most.
  private mutating func drawShare(of parent: Int) -> UInt64 {
    if excess > 0, dice.isOne(in: excess) { return dice.anySize(upTo: Self.counts) }
    let taken = nodes[parent].children.reduce(0 as UInt64) { $0 &+ nodes[$1].share }
    let total = nodes[parent].total ?? 100
    guard total > taken else { return 0 }
    return dice.isOne(in: 3) ? total - taken : dice.anySize(upTo: total - taken)
  }

  /// Completes units.
  private mutating func complete(_ place: Int) {
    guard let node = nodes[place].held else { return }
    let units = dice.anySize(upTo: nodes[place].total ?? 1 << 20)
    guard nodes[place].isFinished || nodes[place].count + units <= Self.counts else { return }
    node.complete(Int(units))
    if !nodes[place].isFinished { nodes[place].count += units }
  }

  /// Sets the completed units.
  private mutating func setCompleted(_ place: Int) {
    guard let node = nodes[place].held else { return }
    let units = dice.anySize(upTo: nodes[place].total ?? 1 << 20)
    node.setCompleted(Int(units))
    if !nodes[place].isFinished { nodes[place].count = units }
  }

  /// Takes units back.
  private mutating func takeBack(_ place: Int) {
    guard let node = nodes[place].held else { return }
    let units = dice.anySize(upTo: 1 << 40)
    node.takeBack(Int(units))
    if !nodes[place].isFinished { nodes[place].count -= min(units, nodes[place].count) }
  }

  /// Sets the total.
  private mutating func setTotal(_ place: Int) {
    guard let node = nodes[place].held else { return }
    let total = drawTotal()
    // With no child that has more than its parent, totals do not shrink below what children have.
    if excess == 0, let total, total < taken(of: place) { return }
    node.total = total.map(Int.init)
    if !nodes[place].isFinished { nodes[place].total = total }
  }

  /// Adds to the total, or takes from it.
  private mutating func addToTotal(_ place: Int) {
    guard let node = nodes[place].held else { return }
    let total = nodes[place].total ?? 0
    let units = dice.anySize(upTo: Self.counts - total)
    if total > 0, excess > 0, dice.isOne(in: 3) {
      node.addToTotal(-Int(units))
      if !nodes[place].isFinished { nodes[place].total = total - min(units, total) }
    } else {
      if excess == 0, total + units < taken(of: place) { return }
      node.addToTotal(Int(units))
      if !nodes[place].isFinished { nodes[place].total = total + units }
    }
  }

  /// The units of a node that its children stand for.
  private func taken(of place: Int) -> UInt64 {
    nodes[place].children.reduce(0 as UInt64) { $0 &+ nodes[$1].share }
  }

  /// Ends the work of a node.
  private mutating func finish(_ place: Int) {
    guard let node = nodes[place].held, canCredit(place) else { return }
    node.finish()
    markFinished(place)
  }

  /// Whether the units of a node fit into the count of its parent.
  private func canCredit(_ place: Int) -> Bool {
    guard let parent = nodes[place].parent else { return true }
    return nodes[parent].count + nodes[place].share <= Self.counts
  }

  /// Ends the work of a node in the model.
  private mutating func markFinished(_ place: Int) {
    guard !nodes[place].isFinished else { return }
    nodes[place].isFinished = true
    guard let parent = nodes[place].parent, !nodes[parent].isFinished else { return }
    nodes[parent].count += nodes[place].share
  }

  /// Lets go of a node.
  private mutating func drop(_ place: Int) {
    guard nodes[place].held != nil, canCredit(place) else { return }
    nodes[place].held = nil
    settle(place)
  }

  /// Lets a node go in the model, if nobody holds it, and with it those that only it has held.
  private mutating func settle(_ place: Int) {
    var next: Int? = place
    while let place = next, nodes[place].held == nil, nodes[place].children.isEmpty {
      markFinished(place)
      nodes[place].isAlive = false
      if let parent = nodes[place].parent { nodes[parent].children.removeAll { $0 == place } }
      next = nodes[place].parent
    }
  }

  /// Adds a root to another node, or tries it in vain.
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
    if seen != wanted { mistake = "adding throws \(String(describing: seen))" }
    guard wanted == nil else { return }
    nodes[root].parent = parent
    nodes[root].share = share
    nodes[parent].children.append(root)
    lower(root, to: nodes[parent].level + 1)
  }

  /// The places of a node and those above it.
  private func path(from place: Int) -> [Int] {
    var path = [place]
    while let last = path.last, let parent = nodes[last].parent { path.append(parent) }
    return path
  }

  /// The number of levels that a node and what is below it take.
  private func height(of place: Int) -> Int {
    1 + nodes[place].children.reduce(0) { max($0, height(of: $1)) }
  }

  /// Notes new levels.
  private mutating func lower(_ place: Int, to level: Int) {
    nodes[place].level = level
    deepest = max(deepest, level)
    for child in nodes[place].children { lower(child, to: level + 1) }
  }
}

// What is compared.
extension ModelTree {
  /// Reads a node and compares.
  private mutating func read(_ place: Int) {
    guard let node = nodes[place].held else { return }
    let model = nodes[place]
    let (fraction, shown) = dice.isOne(in: 2) ? both(of: node) : bothOfSnapshot(of: node)
    reads += 1
    if let root = path(from: place).last { nodes[root].isRead = true }
    if node.completed != Int(model.count) {
      mistake = "\(node.completed) units are completed, not \(model.count)"
    }
    if node.isFinished != model.isFinished { mistake = "one of the two has finished" }
    if node.total != model.total.map(Int.init) { mistake = "the totals differ" }
    if shown < model.shown { mistake = "shown goes back from \(model.shown) to \(shown)" }
    nodes[place].shown = shown
    if model.isFinished {
      if fraction != 1 || shown != 1 { mistake = "a finished node reads \(fraction)" }
      return
    }
    if fraction >= 1 || shown >= 1 { mistake = "a node at work reads \(fraction)" }
    let (exact, error) = exactFraction(of: place)
    // What an excess of shares over totals adds to the error.
    let slack = max(1, (error * 0x1p-52 * 1e12).rounded(.up))
    if slack < 1e12, !exact.isNear(fraction, slack: UInt64(slack)) {
      mistake = "\(fraction) is too far from the truth, with a slack of \(slack)"
    }
    if excess == 0, slack > 1 { mistake = "the model allows too much" }
    if shown < fraction - 1e-12 { mistake = "\(shown) is shown for \(fraction)" }
  }

  /// Reads both fractions one by one.
  private func both(of node: ProgressNode) -> (fraction: Double, shown: Double) {
    (node.fraction, node.shownFraction)
  }

  /// Reads both fractions at a time.
  private func bothOfSnapshot(of node: ProgressNode) -> (fraction: Double, shown: Double) {
    let snapshot = node.snapshot(limit: 1)
    return (snapshot.fraction, snapshot.shownFraction)
  }

  /// The exact fraction of a node at work, and how many times 2⁻⁵² the true one may be away.
  private func exactFraction(of place: Int) -> (fraction: Rational, error: Double) {
    let node = nodes[place]
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
