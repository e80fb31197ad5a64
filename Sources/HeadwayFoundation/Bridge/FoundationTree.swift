internal import Foundation
internal import HeadwayProgress

/// What can be found out of the progress below a Foundation `Progress`.
enum FoundationTree {
  /// The most progress to look at: a tree that is larger is one that nobody built by hand into a circle.
  static let limit = 1_000

  /// The nodes that stand below a progress.
  ///
  /// Foundation has no name for children; on Linux a mirror shows them, elsewhere nothing is found.
  static func nodes(below progress: Progress) -> [ProgressNode] {
    var nodes: [ProgressNode] = []
    var found = children(of: progress)
    var place = 0
    while place < found.count, place < limit {
      let child = found[place]
      place += 1
      if let child = child as? NodeProgress {
        if let node = child.node { nodes.append(node) }
        // What is added to it is below its node.
        continue
      }
      found += children(of: child)
    }
    return nodes
  }

  /// The children of a progress.
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
  /// Whether this is another node or stands below it.
  func isAtOrBelow(_ other: ProgressNode) -> Bool {
    if self === other { return true }
    let mark = ObjectIdentifier(self)
    // It stays: of two threads that ask at a time neither may take it away from the other.
    if self[AncestryMark.self]?.contains(mark) != true {
      update(AncestryMark.self) { $0 = ($0 ?? []).union([mark]) }
    }
    return other.snapshot(limit: 1).sum(of: AncestryMark.self)?.contains(mark) ?? false
  }
}

/// Tells a node from all others in the sums of those above it.
enum AncestryMark: ProgressKey {
  /// All marks of a subtree.
  static func combined(
    _ left: Set<ObjectIdentifier>, _ right: Set<ObjectIdentifier>
  ) -> Set<ObjectIdentifier> { left.union(right) }

  /// Nothing stays of them.
  static func kept(_ sum: Set<ObjectIdentifier>) -> Set<ObjectIdentifier>? { nil }
}
