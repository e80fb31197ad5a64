import CYAML

/// A place in a YAML file.
struct YAMLMark {
  /// The line, from 1.
  var line: Int
  /// The column in characters, from 1.
  var column: Int
}

/// What may stand before a value.
struct YAMLLabel {
  /// The name that aliases repeat it by.
  var anchor: String?
  /// The tag that says what it is, written out.
  var tag: String?

  /// The label of most values.
  static let none = YAMLLabel()
}

/// What libyaml says about text that is not YAML.
struct YAMLProblem {
  /// What is wrong, in the words of libyaml.
  var problem: String
  /// What it was reading, in the words of libyaml; empty where it does not say.
  var context: String
  /// Where it is wrong.
  var mark: YAMLMark
  /// Where the part begins that it was reading.
  var contextMark: YAMLMark
  /// Whether it stands inside a list or map in brackets.
  var isInFlow = false
  /// The place of the byte that cannot be read, nil where characters are right.
  var byte: Int?
}

/// What reading a file as YAML gives.
struct YAMLReading {
  /// What could be read.
  var tree: YAMLTree
  /// The mistakes found beside the syntax.
  var mistakes: MistakeList
  /// Why reading ended early.
  var problem: YAMLProblem?
  /// Whether a limit ended the reading; nothing else is worth telling then.
  var isOver: Bool
}

extension YAMLReading {
  /// Reads the first document of a file.
  ///
  /// - Parameter bytes: The file as UTF-8 without a byte order mark.
  /// - Complexity: O(*n*) for *n* bytes.
  init(_ bytes: [UInt8]) {
    var builder = YAMLTreeBuilder()
    var problem = unsafe bytes.withUnsafeBufferPointer { buffer in
      // The parser lives inside the closure, so the bytes outlive it.
      unsafe Self.parse(buffer, into: &builder)
    }
    problem?.isInFlow = builder.isInFlow
    if problem != nil || builder.isOver { builder.cut() }
    self.init(
      tree: builder.tree, mistakes: builder.mistakes, problem: problem, isOver: builder.isOver)
  }

  /// Runs libyaml over bytes that outlive the call.
  private static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, into builder: inout YAMLTreeBuilder
  ) -> YAMLProblem? {
    // The parser keeps a pointer to itself, so it stands in memory that does not move.
    let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
    defer { unsafe parser.deallocate() }
    guard unsafe yaml_parser_initialize(parser) == 1 else { preconditionFailure("out of memory") }
    defer { unsafe yaml_parser_delete(parser) }
    unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    unsafe yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    var documents = 0
    while !builder.isOver {
      var event = unsafe yaml_event_t()
      guard unsafe yaml_parser_parse(parser, &event) == 1 else {
        return unsafe YAMLProblem(parser)
      }
      defer { unsafe yaml_event_delete(&event) }
      if unsafe event.type == YAML_STREAM_END_EVENT { return nil }
      if unsafe event.type == YAML_DOCUMENT_START_EVENT {
        documents += 1
        if documents > 1 {
          builder.refuseDocument(at: unsafe YAMLMark(event.start_mark))
          return nil
        }
      }
      unsafe add(&event, to: &builder)
    }
    return nil
  }

  /// Hands one event of a value to the builder.
  private static func add(_ event: inout yaml_event_t, to builder: inout YAMLTreeBuilder) {
    let mark = unsafe YAMLMark(event.start_mark)
    switch unsafe event.type {
    case YAML_SCALAR_EVENT:
      // The event owns the text until it is deleted; the tree takes a copy.
      let scalar = unsafe event.data.scalar
      unsafe builder.tree.text.append(
        contentsOf: UnsafeBufferPointer(start: scalar.value, count: scalar.length))
      let label = unsafe YAMLLabel(scalar.anchor, scalar.tag)
      let isQuoted = unsafe scalar.style != YAML_PLAIN_SCALAR_STYLE
      builder.addText(length: unsafe scalar.length, isQuoted: isQuoted, at: mark, label)
    case YAML_SEQUENCE_START_EVENT:
      let list = unsafe event.data.sequence_start
      let isFlow = unsafe list.style == YAML_FLOW_SEQUENCE_STYLE
      builder.open(.list, isFlow: isFlow, at: mark, unsafe YAMLLabel(list.anchor, list.tag))
    case YAML_MAPPING_START_EVENT:
      let map = unsafe event.data.mapping_start
      let isFlow = unsafe map.style == YAML_FLOW_MAPPING_STYLE
      builder.open(.map, isFlow: isFlow, at: mark, unsafe YAMLLabel(map.anchor, map.tag))
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      builder.close()
    case YAML_ALIAS_EVENT:
      // An alias always has a name, closed by a zero byte.
      builder.addAlias(unsafe String(cString: event.data.alias.anchor), at: mark)
    default:
      // The starts and ends of the stream and its document hold no values.
      break
    }
  }
}

extension YAMLMark {
  /// Counts from 1 what libyaml counts from 0.
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}

extension YAMLLabel {
  /// Copies the label of an event, whose texts are nil or closed by a zero byte.
  fileprivate init(_ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?) {
    self.anchor = unsafe anchor.map { unsafe String(cString: $0) }
    self.tag = unsafe tag.map { unsafe String(cString: $0) }
  }
}

extension YAMLProblem {
  /// Copies what a parser that has failed says; its texts are constants of the library.
  fileprivate init(_ parser: UnsafeMutablePointer<yaml_parser_t>) {
    let state = unsafe parser.pointee
    self.init(
      problem: unsafe state.problem.map { unsafe String(cString: $0) } ?? "out of memory",
      context: unsafe state.context.map { unsafe String(cString: $0) } ?? "",
      mark: unsafe YAMLMark(state.problem_mark), contextMark: unsafe YAMLMark(state.context_mark),
      byte: unsafe state.error == YAML_READER_ERROR ? Int(state.problem_offset) : nil)
  }
}

extension YAMLTreeBuilder {
  /// Notes that a second document begins.
  fileprivate mutating func refuseDocument(at mark: YAMLMark) {
    note(mark, "a plan file holds one document; remove this \"---\" and what follows it")
  }
}
