/// Builds the tree of a YAML file from its events and bounds what the file may ask for.
///
/// It counts values with aliases written out, so that a few lines of aliases to aliases end in one mistake and
/// not in memory, and it refuses an alias inside what it repeats.
struct YAMLTreeBuilder {
  /// The tree so far.
  var tree = YAMLTree()
  /// The mistakes found while building.
  private(set) var mistakes = MistakeList()
  /// Whether a limit has been passed and reading must end.
  private(set) var isOver = false
  /// The lists and maps that are open, outermost first.
  private var open: [Int] = []
  /// The value that each anchor names.
  private var anchors: [String: Int] = [:]
  /// The values so far, aliases written out.
  private var total = 0

  /// The tags that say what a value is anyway.
  private static let knownTags: Set<String> = [
    "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
    "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null", "tag:yaml.org,2002:map",
    "tag:yaml.org,2002:seq",
  ]

  /// Creates a builder of an empty tree.
  init() {}

  /// Whether the innermost open list or map is in brackets.
  var isInFlow: Bool { open.last.map { tree.nodes[$0].isFlow } ?? false }

  /// Adds text whose bytes already stand at the end of the tree's text.
  mutating func addText(length: Int, isQuoted: Bool, at mark: YAMLMark, _ label: YAMLLabel) {
    var node = YAMLTree.Node(kind: isQuoted ? .quoted : .plain, mark)
    node.start = UInt32(tree.text.count - length)
    node.extent = UInt32(length)
    // Text counts for its length too, or aliases could repeat a long one without end.
    node.weight = UInt32(1 + length / 64)
    add(node, label, at: mark)
  }

  /// Opens a list or map.
  mutating func open(_ kind: YAMLTree.Kind, isFlow: Bool, at mark: YAMLMark, _ label: YAMLLabel) {
    guard open.count < PlanLimits.depth else {
      return stop(
        mark, "lists and maps nest deeper than \(PlanLimits.depth) levels; write them flatter")
    }
    var node = YAMLTree.Node(kind: kind, mark)
    node.isFlow = isFlow
    node.start = UInt32(clamping: total)
    let place = tree.nodes.count
    add(node, label, at: mark)
    if !isOver { open.append(place) }
  }

  /// Closes the innermost list or map.
  mutating func close() {
    guard let place = open.popLast() else { return }
    tree.nodes[place].extent = UInt32(tree.nodes.count)
    tree.nodes[place].weight = UInt32(clamping: total - Int(tree.nodes[place].start))
    tree.nodes[place].start = 0
    raise(above: tree.nodes[place].height)
  }

  /// Adds a value that repeats the one with an anchor.
  mutating func addAlias(_ name: String, at mark: YAMLMark) {
    guard let target = anchors[name] else {
      note(
        mark,
        "unknown alias \"*\(name)\"; put \"&\(name)\" before the value it repeats, or quote the text"
      )
      return add(YAMLTree.Node(kind: .missing, mark), .none, at: mark)
    }
    guard !open.contains(target) else {
      note(mark, "alias \"*\(name)\" stands inside the value that it repeats; write that part out")
      return add(YAMLTree.Node(kind: .missing, mark), .none, at: mark)
    }
    var node = YAMLTree.Node(kind: .alias, mark)
    node.start = UInt32(target)
    node.weight = tree.nodes[target].weight
    node.height = tree.nodes[target].height
    guard open.count + Int(node.height) <= PlanLimits.depth else {
      return stop(
        mark,
        "aliases nest lists and maps deeper than \(PlanLimits.depth) levels; write them flatter")
    }
    add(node, .none, at: mark)
  }

  /// Closes everything that is still open after a mistake ended the reading.
  mutating func cut() {
    tree.isCut = true
    while let place = open.last {
      let children =
        tree.nodes[place].kind == .map ? tree.children(of: place, end: tree.nodes.count) : 0
      if !children.isMultiple(of: 2) {
        let node = tree.nodes[place]
        tree.nodes.append(YAMLTree.Node(kind: .missing, line: node.line, column: node.column))
      }
      close()
    }
  }

  /// Adds a value, remembers its anchor and counts it.
  private mutating func add(_ node: YAMLTree.Node, _ label: YAMLLabel, at mark: YAMLMark) {
    if let tag = label.tag, !Self.knownTags.contains(tag) {
      note(
        mark,
        "a plan has no use for the tag \(quoted(tag)); remove it, or quote text that starts with \"!\""
      )
    }
    total += Int(node.weight)
    guard total <= PlanLimits.values else {
      return stop(
        mark,
        "the plan grows past \(grouped(PlanLimits.values)) values, with aliases written out; make it smaller"
      )
    }
    if let anchor = label.anchor { anchors[anchor] = tree.nodes.count }
    tree.nodes.append(node)
    raise(above: node.height)
  }

  /// Makes the innermost open list or map higher than what it holds.
  private mutating func raise(above height: UInt16) {
    guard let place = open.last else { return }
    tree.nodes[place].height = max(tree.nodes[place].height, height + 1)
  }

  /// Notes a mistake that does not end the reading.
  mutating func note(_ mark: YAMLMark, _ message: @autoclosure () -> String) {
    mistakes.add(line: mark.line, column: mark.column, message())
  }

  /// Notes a mistake that ends the reading and makes all others uninteresting.
  private mutating func stop(_ mark: YAMLMark, _ message: String) {
    isOver = true
    mistakes = MistakeList()
    note(mark, message)
  }
}

extension YAMLTree.Node {
  /// Creates a node at a place of the file.
  fileprivate init(kind: YAMLTree.Kind, _ mark: YAMLMark) {
    self.init(kind: kind, line: UInt32(clamping: mark.line), column: UInt32(clamping: mark.column))
  }
}

extension YAMLTree {
  /// Counts the children of a list or map that is still open.
  fileprivate func children(of place: Int, end: Int) -> Int {
    var count = 0
    var child = place + 1
    while child < end {
      let node = nodes[child]
      child = node.kind == .list || node.kind == .map ? Int(node.extent) : child + 1
      count += 1
    }
    return count
  }
}
