internal import HeadwayText

/// Builds the tree of a YAML file from parser events, within limits.
///
/// It counts values after aliases are expanded, so that nested aliases lead to an error and not to exhausted
/// memory, and it rejects an alias inside the value that it repeats.
struct YAMLTreeBuilder {
  var tree = YAMLTree()
  private(set) var diagnostics = DiagnosticList()
  /// Whether a limit is exceeded and parsing must end.
  private(set) var isLimitExceeded = false
  /// The open lists and maps, outermost first.
  private var open: [Int] = []
  /// The node of each anchor.
  private var anchors: [ExactText: Int] = [:]
  /// The number of values so far, after aliases are expanded.
  private var total = 0

  /// The standard tags, which change nothing.
  private static let knownTags: Set<String> = [
    "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
    "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null", "tag:yaml.org,2002:map",
    "tag:yaml.org,2002:seq",
  ]

  /// The innermost open list or map.
  var enclosing: YAMLTree.Node? { open.last.map { tree.nodes[$0] } }

  /// Adds a text whose bytes are already at the end of the tree's text.
  mutating func addText(
    length: Int, isQuoted: Bool, at mark: YAMLMark, _ properties: YAMLProperties
  ) {
    var node = YAMLTree.Node(kind: isQuoted ? .quoted : .plain, mark)
    node.start = UInt32(tree.text.count - length)
    node.extent = UInt32(length)
    // The length counts too, or aliases could repeat a long text without limit.
    node.weight = UInt32(1 + length / 64)
    add(node, properties, at: mark)
  }

  /// Opens a list or map.
  mutating func open(
    _ kind: YAMLTree.Kind, isFlow: Bool, at mark: YAMLMark, _ properties: YAMLProperties
  ) {
    guard open.count < PlanLimits.depth else {
      return exceedLimit(
        mark, "lists and maps are nested more than \(PlanLimits.depth) levels deep; flatten them")
    }
    var node = YAMLTree.Node(kind: kind, mark)
    node.isFlow = isFlow
    node.start = UInt32(clamping: total)
    let index = tree.nodes.count
    add(node, properties, at: mark)
    if !isLimitExceeded { open.append(index) }
  }

  /// Closes the innermost list or map.
  mutating func close() {
    guard let index = open.popLast() else { return }
    tree.nodes[index].extent = UInt32(tree.nodes.count)
    tree.nodes[index].weight = UInt32(clamping: total - Int(tree.nodes[index].start))
    tree.nodes[index].start = 0
    updateHeight(child: tree.nodes[index].height)
  }

  /// Adds an alias of the node with an anchor.
  mutating func addAlias(_ name: String, at mark: YAMLMark) {
    guard let target = anchors[ExactText(name)] else {
      diagnose(
        mark,
        "unknown alias \"*\(name)\"; put \"&\(name)\" before the value it repeats, or quote the text"
      )
      return add(YAMLTree.Node(kind: .missing, mark), .none, at: mark)
    }
    guard !open.contains(target) else {
      diagnose(
        mark, "alias \"*\(name)\" is inside the value that it repeats; write the value out")
      return add(YAMLTree.Node(kind: .missing, mark), .none, at: mark)
    }
    var node = YAMLTree.Node(kind: .alias, mark)
    node.start = UInt32(target)
    node.weight = tree.nodes[target].weight
    node.height = tree.nodes[target].height
    guard open.count + Int(node.height) <= PlanLimits.depth else {
      return exceedLimit(
        mark,
        "aliases nest lists and maps more than \(PlanLimits.depth) levels deep; flatten them")
    }
    add(node, .none, at: mark)
  }

  /// Closes everything that is open after an error ended parsing.
  mutating func truncate() {
    tree.isTruncated = true
    while let index = open.last {
      if tree.nodes[index].kind == .map, !tree.openChildren(of: index).count.isMultiple(of: 2) {
        // The last key has no value yet.
        let node = tree.nodes[index]
        tree.nodes.append(YAMLTree.Node(kind: .missing, line: node.line, column: node.column))
      }
      close()
    }
  }

  /// Adds a node, and registers its anchor.
  private mutating func add(_ node: YAMLTree.Node, _ properties: YAMLProperties, at mark: YAMLMark)
  {
    if let tag = properties.tag, !Self.knownTags.contains(tag) {
      diagnose(
        mark,
        "unsupported tag \(quoted(tag)); remove it, or quote text that starts with \"!\""
      )
    }
    total += Int(node.weight)
    guard total <= PlanLimits.values else {
      return exceedLimit(
        mark,
        "the plan has more than \(grouped(PlanLimits.values)) values after aliases are expanded; make it smaller"
      )
    }
    if let anchor = properties.anchor { anchors[ExactText(anchor)] = tree.nodes.count }
    tree.nodes.append(node)
    updateHeight(child: node.height)
  }

  /// Makes the innermost open list or map higher than a child.
  private mutating func updateHeight(child: UInt16) {
    guard let index = open.last else { return }
    tree.nodes[index].height = max(tree.nodes[index].height, child + 1)
  }

  /// Reports an error that does not end parsing.
  mutating func diagnose(_ mark: YAMLMark, _ message: @autoclosure () -> String) {
    diagnostics.add(line: mark.line, column: mark.column, message())
  }

  /// Reports an exceeded limit, which ends parsing and replaces all other errors.
  private mutating func exceedLimit(_ mark: YAMLMark, _ message: String) {
    isLimitExceeded = true
    diagnostics = DiagnosticList()
    diagnose(mark, message)
  }
}

extension YAMLTree.Node {
  /// Creates a node at a location.
  fileprivate init(kind: YAMLTree.Kind, _ mark: YAMLMark) {
    self.init(kind: kind, line: UInt32(clamping: mark.line), column: UInt32(clamping: mark.column))
  }
}
