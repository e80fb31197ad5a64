/// The values of a YAML file as a flat array of nodes, in the order of the file.
///
/// A list or map is followed by its children and knows the index after its last one, so that the array needs no
/// pointers: `[a, {b: c}]` is list, `a`, map, `b`, `c`. Texts share one array of bytes. An alias holds the index
/// of the node that it repeats; readers see that node instead.
struct YAMLTree {
  /// The kind of a node.
  enum Kind: UInt8 {
    /// Text without quotes, which may be a number, a boolean or null.
    case plain
    /// Text in quotes or a block.
    case quoted
    case list
    /// A map, with alternating keys and values.
    case map
    /// An alias of an earlier node.
    case alias
    /// A value whose error is already reported.
    case missing
  }

  /// A value.
  struct Node {
    var kind: Kind
    /// Whether it is a list or map in brackets or braces.
    var isFlow = false
    /// 0 for text, one more than that of the highest child for a list or map.
    var height: UInt16 = 0
    /// The line, from 1.
    var line: UInt32
    /// The column, from 1.
    var column: UInt32
    /// For text, the index of its first byte; for an alias, the node that it repeats.
    var start: UInt32 = 0
    /// For text, the number of its bytes; for a list or map, the index after its last child.
    var extent: UInt32 = 0
    /// The number of values that it contains after aliases are expanded.
    var weight: UInt32 = 1
  }

  /// The nodes; the first one contains all others.
  var nodes: [Node] = []
  /// The bytes of all texts.
  var text: [UInt8] = []
  /// Whether parsing ended at an error, so that the rest is unknown.
  var isTruncated = false

  /// Returns a node, or the node that it repeats for an alias.
  func resolved(_ node: Int) -> Int {
    nodes[node].kind == .alias ? Int(nodes[node].start) : node
  }

  /// Returns the text of a node, unquoted.
  func string(_ node: Int) -> String {
    let start = Int(nodes[node].start)
    return String(decoding: text[start..<(start + Int(nodes[node].extent))], as: UTF8.self)
  }

  /// Returns whether a node is text.
  func isText(_ node: Int) -> Bool {
    nodes[node].kind == .plain || nodes[node].kind == .quoted
  }

  /// Returns whether a node is null in YAML: empty, `~` or `null`.
  func isNull(_ node: Int) -> Bool {
    guard nodes[node].kind == .plain else { return false }
    return nodes[node].extent == 0 || ["~", "null", "Null", "NULL"].contains(string(node))
  }

  /// Returns the children of a list or map.
  func children(of node: Int) -> Children {
    Children(tree: self, cursor: node + 1, end: Int(nodes[node].extent))
  }

  /// Returns the children of a list or map that is still open.
  func openChildren(of node: Int) -> Children {
    Children(tree: self, cursor: node + 1, end: nodes.count)
  }

  /// The children of a list or map, with aliases resolved.
  struct Children: Sequence, IteratorProtocol {
    fileprivate let tree: YAMLTree
    fileprivate var cursor: Int
    fileprivate let end: Int

    mutating func next() -> Int? {
      guard cursor < end else { return nil }
      let child = cursor
      let node = tree.nodes[child]
      cursor = node.kind == .list || node.kind == .map ? Int(node.extent) : child + 1
      return tree.resolved(child)
    }

    /// The number of remaining children.
    ///
    /// - Complexity: O(*n*) for *n* children.
    var count: Int { reduce(0) { count, _ in count + 1 } }
  }
}
