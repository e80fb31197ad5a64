internal import Foundation
internal import HeadwayProgress

/// The tree below a Foundation `Progress`, as far as it can be seen.
enum FoundationTree {
  /// The most objects to visit; a cycle in a larger tree is unlikely to be built by hand.
  static let limit = 1_000

  /// The nodes of the ``NodeProgress`` objects below a progress.
  ///
  /// Foundation has no API for children. On Linux a `Mirror` shows them; elsewhere the result is empty.
  static func nodes(below progress: Progress) -> [ProgressNode] {
    var nodes: [ProgressNode] = []
    var found = children(of: progress)
    var index = 0
    while index < found.count, index < limit {
      let child = found[index]
      index += 1
      if let child = child as? NodeProgress {
        if let node = child.node { nodes.append(node) }
        // Its children are below its node.
        continue
      }
      found += children(of: child)
    }
    return nodes
  }

  private static func children(of progress: Progress) -> [Progress] {
    var mirror: Mirror? = Mirror(reflecting: progress)
    while let level = mirror {
      for member in level.children {
        if let children = member.value as? Set<Progress>, !children.isEmpty {
          return Array(children)
        }
      }
      mirror = level.superclassMirror
    }
    return []
  }
}

extension ProgressNode {
  /// Whether this node is another node or one of its descendants, also through mirrors of nodes.
  func isAtOrBelow(_ other: ProgressNode) -> Bool {
    if self === other { return true }
    let mark = ObjectIdentifier(self)
    // The mark stays, as another thread may be checking at the same time.
    if self[AncestryMark.self]?.contains(mark) != true {
      update(AncestryMark.self) { $0 = ($0 ?? []).union([mark]) }
    }
    return other.snapshot(limit: 1).sum(of: AncestryMark.self)?.contains(mark) ?? false
  }
}

/// Marks a node so that it can be found in the sums of its ancestors.
enum AncestryMark: ProgressKey {
  static func combined(
    _ left: Set<ObjectIdentifier>, _ right: Set<ObjectIdentifier>
  ) -> Set<ObjectIdentifier> { left.union(right) }

  static func finalSum(_ sum: Set<ObjectIdentifier>) -> Set<ObjectIdentifier>? { nil }
}
