import CYAML

/// A location in a YAML file.
struct YAMLMark: Equatable {
  /// The line, from 1.
  var line: Int
  /// The column in characters, from 1.
  var column: Int
}

/// The properties of a YAML node, written before its value.
struct YAMLProperties {
  /// The name by which aliases refer to the node.
  var anchor: String?
  /// The tag, expanded.
  var tag: String?

  static let none = YAMLProperties()
}

/// A syntax error as libyaml reports it.
struct YAMLSyntaxError {
  /// What is wrong, in libyaml's words.
  var problem: String
  /// What libyaml was reading, in its words, or empty.
  var context: String
  /// The location of the error.
  var mark: YAMLMark
  /// The start of what libyaml was reading.
  var contextMark: YAMLMark
  /// Whether the error is within a token, not in the order of tokens.
  var isInToken: Bool
  /// The offset of a byte that is not a valid character, or `nil` if the characters are valid.
  var invalidByte: Int?
  /// The innermost open list or map.
  var enclosing: YAMLTree.Node?
  /// Whether the error is after the end of the plan.
  var isAfterPlan = false
}

/// The result of parsing a file as YAML.
struct YAMLReading {
  /// The values up to the first syntax error.
  var tree: YAMLTree
  /// The errors other than the syntax error.
  var diagnostics: DiagnosticList
  /// The syntax error that ended parsing.
  var error: YAMLSyntaxError?
  /// Whether parsing ended because the file exceeds a limit; nothing else is worth reporting then.
  var isLimitExceeded: Bool
}

extension YAMLReading {
  /// Parses the first document of a file.
  ///
  /// - Parameter bytes: The file as UTF-8 without a byte order mark.
  /// - Complexity: O(*n*) for *n* bytes.
  init(_ bytes: [UInt8]) {
    var builder = YAMLTreeBuilder()
    // A plan has about one value in eight bytes. Pages that are never written take no memory.
    builder.tree.nodes.reserveCapacity(min(bytes.count / 8, PlanLimits.values))
    builder.tree.text.reserveCapacity(bytes.count)
    var error = unsafe bytes.withUnsafeBufferPointer { buffer in
      // The parser lives inside the closure, so the bytes outlive it.
      unsafe Self.parse(buffer, into: &builder)
    }
    error?.enclosing = builder.enclosing
    error?.isAfterPlan = builder.enclosing == nil && !builder.tree.nodes.isEmpty
    if error != nil || builder.isLimitExceeded { builder.truncate() }
    self.init(
      tree: builder.tree, diagnostics: builder.diagnostics, error: error,
      isLimitExceeded: builder.isLimitExceeded)
  }

  /// Runs libyaml over bytes that outlive the call.
  private static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, into builder: inout YAMLTreeBuilder
  ) -> YAMLSyntaxError? {
    // The parser keeps a pointer to itself, so its memory must not move.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { unsafe parser.deallocate() }
    guard unsafe yaml_parser_initialize(parser) == 1 else { preconditionFailure("out of memory") }
    defer { unsafe yaml_parser_delete(parser) }
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    var documents = 0
    while !builder.isLimitExceeded {
      var event = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(parser, &event) == 1 else {
        return unsafe YAMLSyntaxError(parser)
      }
      defer { unsafe yaml_event_delete(&event) }
      if unsafe event.type == YAML_STREAM_END_EVENT { return nil }
      if unsafe event.type == YAML_DOCUMENT_START_EVENT {
        documents += 1
        if documents > 1 {
          builder.diagnose(
            unsafe YAMLMark(event.start_mark),
            "a plan file must contain a single document; remove this \"---\" and everything after it"
          )
          return nil
        }
      }
      unsafe add(&event, to: &builder)
    }
    return nil
  }

  /// Passes the event of a value to the builder.
  private static func add(_ event: inout yaml_event_t, to builder: inout YAMLTreeBuilder) {
    let mark = unsafe YAMLMark(event.start_mark)
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      // The event owns the text until it is deleted; the tree takes a copy.
      let scalar = unsafe event.data.scalar
      unsafe builder.tree.text.append(
        contentsOf: UnsafeBufferPointer(start: scalar.value, count: scalar.length))
      let properties = unsafe YAMLProperties(scalar.anchor, scalar.tag)
      let isQuoted = unsafe scalar.style != YAML_PLAIN_SCALAR_STYLE
      builder.addText(length: unsafe scalar.length, isQuoted: isQuoted, at: mark, properties)
    case YAML_SEQUENCE_START_EVENT:
      let list = unsafe event.data.sequence_start
      let isFlow = unsafe list.style == YAML_FLOW_SEQUENCE_STYLE
      builder.open(.list, isFlow: isFlow, at: mark, unsafe YAMLProperties(list.anchor, list.tag))
    case YAML_MAPPING_START_EVENT:
      let map = unsafe event.data.mapping_start
      let isFlow = unsafe map.style == YAML_FLOW_MAPPING_STYLE
      builder.open(.map, isFlow: isFlow, at: mark, unsafe YAMLProperties(map.anchor, map.tag))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      builder.close()
    case YAML_ALIAS_EVENT:
      // An alias always has a null-terminated name.
      builder.addAlias(unsafe String(cString: event.data.alias.anchor), at: mark)
    default:
      // The start and end of the stream and of a document contain no values.
      break
    }
  }
}

extension YAMLMark {
  /// Converts a location of libyaml, which counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}

extension YAMLProperties {
  /// Copies the properties of an event, which are `nil` or null-terminated.
  fileprivate init(_ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?) {
    self.anchor = unsafe anchor.map { unsafe String(cString: $0) }
    self.tag = unsafe tag.map { unsafe String(cString: $0) }
  }
}

extension YAMLSyntaxError {
  /// Copies the error of a parser; its strings are constants of the library.
  fileprivate init(_ parser: UnsafeMutablePointer<yaml_parser_t>) {
    let state = unsafe parser.pointee
    self.init(
      problem: unsafe state.problem.map { unsafe String(cString: $0) } ?? "out of memory",
      context: unsafe state.context.map { unsafe String(cString: $0) } ?? "",
      mark: unsafe YAMLMark(state.problem_mark), contextMark: unsafe YAMLMark(state.context_mark),
      isInToken: unsafe state.error == YAML_SCANNER_ERROR,
      invalidByte: unsafe state.error == YAML_READER_ERROR ? Int(state.problem_offset) : nil)
  }
}
