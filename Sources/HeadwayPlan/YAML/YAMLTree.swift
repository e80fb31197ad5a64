/// The values of a YAML file as one flat array, in the order in which they stand.
///
/// A list or map is followed by what it holds and knows the place after its end, so that the array needs no
/// pointers and no nesting: `[a, {b: c}]` is list, `a`, map, `b`, `c`. Texts share one array of bytes. An alias
/// is a value that names the place of what it repeats; readers see that place instead.
struct YAMLTree {
  /// What a value is.
  enum Kind: UInt8 {
    /// Text without quotes, which may be a number, a boolean or nothing.
    case plain
    /// Text in quotes or in a block.
    case quoted
    /// A list.
    case list
    /// A map; keys and values take turns.
    case map
    /// The same value as one before it.
    case alias
    /// A value that a mistake has already been told about.
    case missing
  }

  /// One value.
  struct Node {
    /// What it is.
    var kind: Kind
    /// Whether it is a list or map in brackets or braces.
    var isFlow = false
    /// How many levels it holds: 0 for text, one more than the highest child for a list or map.
    var height: UInt16 = 0
    /// The line, from 1.
    var line: UInt32
    /// The column, from 1.
    var column: UInt32
    /// For text the place of its first byte, for an alias the node that it repeats.
    var start: UInt32 = 0
    /// For text the number of its bytes, for a list or map the place after its last child.
    var extent: UInt32 = 0
    /// How many values it stands for when aliases are written out.
    var weight: UInt32 = 1
  }

  /// The values; the first one holds all others.
  var nodes: [Node] = []
  /// The bytes of all texts.
  var text: [UInt8] = []
  /// Whether reading ended at a mistake, so that what follows it is not known.
  var isCut = false

  /// Gives the value that a place stands for, which is another one for an alias.
  func resolved(_ place: Int) -> Int {
    nodes[place].kind == .alias ? Int(nodes[place].start) : place
  }

  /// Gives the text of a value as it would be without quotes.
  func string(_ place: Int) -> String {
    let node = nodes[place]
    return String(decoding: text[Int(node.start)..<Int(node.start + node.extent)], as: UTF8.self)
  }

  /// Tells whether a value is text.
  func isText(_ place: Int) -> Bool {
    nodes[place].kind == .plain || nodes[place].kind == .quoted
  }

  /// Tells whether a value is what YAML takes for nothing: an empty place, `~` or `null`.
  func isNothing(_ place: Int) -> Bool {
    guard nodes[place].kind == .plain else { return false }
    return nodes[place].extent == 0 || ["~", "null", "Null", "NULL"].contains(string(place))
  }

  /// Gives the values that a list or map holds.
  func children(of place: Int) -> Children {
    Children(tree: self, cursor: place + 1, end: Int(nodes[place].extent))
  }

  /// The values that a list or map holds, aliases replaced by what they repeat.
  struct Children: Sequence, IteratorProtocol {
    /// The tree.
    fileprivate let tree: YAMLTree
    /// The place of the next child.
    fileprivate var cursor: Int
    /// The place after the last child.
    fileprivate let end: Int

    /// Gives the place of the next child.
    mutating func next() -> Int? {
      guard cursor < end else { return nil }
      let child = cursor
      let node = tree.nodes[child]
      cursor = node.kind == .list || node.kind == .map ? Int(node.extent) : child + 1
      return tree.resolved(child)
    }
  }
}
