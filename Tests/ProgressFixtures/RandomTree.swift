package import HeadwayCollections
package import HeadwayProgress

/// A tree that changes at random, and the nodes of it that are alive.
package struct RandomTree {
  package let root = ProgressNode("root", total: 10)
  /// The numbers that decide what changes.
  package var random: SplitMix64
  private var nodes: [ProgressNode] = []

  /// Creates a tree of one node.
  package init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    nodes = [root]
  }

  /// Changes something in one node.
  package mutating func step() {
    let index = number(below: nodes.count)
    let node = nodes[index]
    switch number(below: 17) {
    case 0...3:
      nodes.append(
        node.child(
          isOne(in: 2) ? "child" : "", units: number(below: 5),
          total: isOne(in: 4) ? nil : number(below: 20)))
    case 4, 5: node.complete(number(below: 6))
    case 6: node.takeBack(number(below: 4))
    case 7: node.total = isOne(in: 4) ? nil : number(below: 30)
    case 8:
      node.label = "node \(number(below: 3))"
      node.detail = isOne(in: 2) ? nil : "step \(number(below: 3))"
    case 9: node.kind = isOne(in: 2) ? .work : .file(.copying)
    case 10:
      node.totalFileCount = isOne(in: 3) ? nil : number(below: 9)
      node.throughput = Double(number(below: 9)) / 4
      node.filePath = isOne(in: 2) ? nil : "/f\(number(below: 3))"
    case 11: if isOne(in: 2) { node.pause() } else { node.resume() }
    case 12: if isOne(in: 4) { node.cancel() }
    case 13:
      node.isPausable = isOne(in: 2)
      node.isCancellable = isOne(in: 2)
    case 14: _ = node.changeUnits(to: number(below: 5))
    default:
      guard index > 0 else { return }
      if isOne(in: 2) { node.finish() }
      nodes.remove(at: index)
    }
  }

  /// Draws a number from 0 to below a bound.
  package mutating func number(below bound: Int) -> Int {
    Int(random.next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Returns true once in a number of times, on average.
  package mutating func isOne(in times: Int) -> Bool { number(below: times) == 0 }
}
