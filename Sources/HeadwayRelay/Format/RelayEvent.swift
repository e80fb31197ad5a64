internal import HeadwayProgress
package import HeadwayRun

/// The ID of a publication, such as `12345.1`: a text that no other publication of the machine has.
package struct PublicationID: Hashable, Sendable, CustomStringConvertible {
  /// The ID as it is in lines.
  package let text: String

  /// Creates an ID.
  package init(_ text: String) { self.text = text }

  /// The ID as it is in lines.
  package var description: String { text }
}

/// What other processes may ask published work to do.
package struct AcceptedRequests: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// To end early.
  package static let cancel = AcceptedRequests(rawValue: 1)
  /// To pause and to resume.
  package static let pause = AcceptedRequests(rawValue: 2)
  /// To do what only work of its kind knows.
  package static let control = AcceptedRequests(rawValue: 4)
}

/// What is known of a publication, beside its tree.
package struct PublicationInfo: Hashable, Sendable {
  package var id: PublicationID
  /// What the work is, such as `run`; watchers choose by it.
  package var kind: String
  /// A second ID, for people.
  package var name: String?
  /// The path of the file that the work is about; watchers choose by it and by its directory.
  package var path: String?
  package var accepts: AcceptedRequests

  /// Describes a publication.
  package init(
    id: PublicationID, kind: String, name: String? = nil, path: String? = nil,
    accepts: AcceptedRequests = [.cancel, .pause]
  ) {
    (self.id, self.kind, self.name, self.path) = (id, kind, name, path)
    self.accepts = accepts
  }
}

/// Why a publication ended, while its process goes on.
package enum PublicationEnd: String, CaseIterable, Sendable {
  /// The work has ended.
  case finished
  /// The work has ended and has failed.
  case failed
  /// The work goes on, but is not shown any more.
  case unpublished
}

/// Why a request was not granted.
package struct RelayRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of refusal.
  package enum Kind: String, CaseIterable, Sendable {
    case unknownRequest = "unknown_request"
    case unknownPublication = "unknown_publication"
    case unknownNode = "unknown_node"
    case unknownShare = "unknown_share"
    /// The work cannot do that, or others may not ask it to.
    case refused
    /// The work has ended.
    case finished
    /// The request has wrong fields, or does not fit here.
    case invalid
    /// A limit is reached.
    case tooMany = "too_many"
  }

  package let kind: Kind
  /// A sentence for people, from another process: not safe to show as it is.
  package let description: String

  /// Creates a refusal.
  package init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}

/// A line from a publishing process to a watcher.
package enum RelayEvent: Sendable, Equatable {
  /// The greeting, which comes first.
  case hello(version: Int, pid: Int32, program: String)
  /// There is a publication, published so long ago.
  case began(PublicationInfo, age: Duration)
  /// The tree of a publication, or what has changed in it.
  case tree(ProgressEvent)
  /// The newest forecast for a publication; the time is that since the work was published.
  case forecast(PublicationID, RunForecast, time: Duration)
  /// A publication ended.
  case ended(PublicationID, PublicationEnd, time: Duration)
  /// The answer to a request: nil if it was granted. One to no request says why the connection is closed.
  case answer(Int?, RelayRefusal?)
  /// An event of a later version.
  case other(String)
}

extension RelayEvent: EventRecord {
  /// Writes the name, the time and the fields of the event.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    switch self {
    case .hello(let version, let pid, let program):
      try sink.add(.event, RelayEventName.hello)
      try sink.add(.time, seconds: .zero)
      try sink.add(.version, number: version)
      try sink.add(.pid, number: Int(pid))
      try sink.add(.program, text: program)
    case .began(let info, let age):
      try sink.add(.event, RelayEventName.publicationBegan)
      try sink.add(.time, seconds: age)
      try info.write(to: &sink)
    case .tree(let event): try event.write(to: &sink)
    case .forecast(let publication, let forecast, let time):
      try sink.add(.event, EventName.forecast)
      try sink.add(.time, seconds: time)
      try sink.add(.publication, text: publication.text)
      try forecast.write(to: &sink)
    case .ended(let publication, let reason, let time):
      try sink.add(.event, RelayEventName.publicationEnded)
      try sink.add(.time, seconds: time)
      try sink.add(.publication, text: publication.text)
      try sink.add(.reason, reason)
    case .answer(let id, let refusal):
      try sink.add(.event, RelayEventName.answer)
      try sink.add(.time, seconds: .zero)
      if let id { try sink.add(.id, number: id) }
      try sink.add(.ok, flag: refusal == nil)
      if let refusal {
        try sink.add(.error, refusal.kind)
        try sink.add(.message, text: refusal.description)
      }
    case .other(let name):
      try sink.add(.event, text: name)
      try sink.add(.time, seconds: .zero)
    }
  }

  /// Reads an event from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError` if a field of a known event is missing or invalid.
  package init(_ fields: EventFields) throws {
    let name = try fields.text(.event)
    let time = try fields.duration(.time)
    if ProgressEventName(rawValue: name) != nil {
      // Here, there are several trees.
      _ = try fields.publication
      self = .tree(try ProgressEvent(fields))
    } else if name == EventName.forecast.rawValue {
      self = .forecast(try fields.publication, try RunForecast(fields), time: time)
    } else if let name = RelayEventName(rawValue: name) {
      try self.init(name, fields, time)
    } else {
      self = .other(name)
    }
  }

  private init(_ name: RelayEventName, _ fields: EventFields, _ time: Duration) throws {
    switch name {
    case .hello:
      let version = try fields.number(.version)
      // A later version may have other fields.
      let isNewer = version > RelayLimits.version
      self = .hello(
        version: version,
        pid: isNewer ? 0 : Int32(try fields.number(.pid, in: 0...Int(Int32.max))),
        program: try isNewer && !fields.contains(.program) ? "" : fields.shortText(.program))
    case .publicationBegan: self = .began(try PublicationInfo(fields), age: time)
    case .publicationEnded:
      self = .ended(try fields.publication, try fields.name(.reason), time: time)
    case .answer:
      let id = fields.contains(.id) ? try fields.number(.id) : nil
      self = .answer(id, try fields.flag(.ok) ? nil : RelayRefusal(fields))
    }
  }
}

extension PublicationInfo: EventRecord {
  /// Writes the ID and the other fields.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.publication, text: id.text)
    try sink.add(.kind, text: kind)
    if let name { try sink.add(.name, text: name) }
    if let path { try sink.add(.path, text: path) }
    var accepted: [String] = []
    if accepts.contains(.cancel) { accepted.append(RelayRequestName.cancel.rawValue) }
    if accepts.contains(.pause) { accepted.append(RelayRequestName.pause.rawValue) }
    if accepts.contains(.control) { accepted.append(RelayRequestName.control.rawValue) }
    try sink.add(.accepts, texts: accepted)
  }

  /// Reads a publication from its fields.
  ///
  /// - Parameter fields: The fields; what it accepts beside the requests of this version is ignored.
  /// - Throws: `DecodingError`.
  package init(_ fields: EventFields) throws {
    let accepted = try fields.texts(.accepts)
    var accepts: AcceptedRequests = []
    if accepted.contains(RelayRequestName.cancel.rawValue) { accepts.insert(.cancel) }
    if accepted.contains(RelayRequestName.pause.rawValue) { accepts.insert(.pause) }
    if accepted.contains(RelayRequestName.control.rawValue) { accepts.insert(.control) }
    self.init(
      id: try fields.publication, kind: try fields.shortText(.kind), name: nil, path: nil,
      accepts: accepts)
    if fields.contains(.name) { name = try fields.shortText(.name) }
    if fields.contains(.path) { path = try fields.text(.path, bytes: RelayLimits.pathBytes) }
  }
}

extension RelayRefusal {
  /// Reads a refusal from its fields; an unknown kind of a later version is `refused`.
  fileprivate init(_ fields: EventFields) throws {
    self.init(Kind(rawValue: try fields.text(.error)) ?? .refused, try fields.text(.message))
  }
}

extension EventFields {
  /// The ID of the publication that the line is about.
  var publication: PublicationID {
    get throws { PublicationID(try shortText(.publication)) }
  }

  /// Reads a name.
  func shortText(_ key: EventKey) throws -> String { try text(key, bytes: RelayLimits.nameBytes) }

  /// Reads text of limited length.
  func text(_ key: EventKey, bytes limit: Int) throws -> String {
    let text = try text(key)
    guard text.utf8.count <= limit else {
      throw wrong(key, "must have at most \(limit) bytes, but has \(text.utf8.count)")
    }
    return text
  }
}

extension EventRecord {
  /// Appends the fields as one line of JSON, with its end.
  ///
  /// - Parameter bytes: The lines before.
  /// - Complexity: O(length of the line).
  func appendLine(to bytes: inout [UInt8]) {
    var line = JSONLine(names: [])
    // Moved, not copied.
    swap(&line.bytes, &bytes)
    line.begin()
    write(to: &line)
    line.end()
    line.bytes.append(LineBuffer.newline)
    swap(&line.bytes, &bytes)
  }
}

extension ProgressEvent {
  /// Appends the event as one line, or as several of the same moment if one would be too long.
  ///
  /// The parts are halves, halves of halves and so on; each prefix of them is a tree, as parents come before their
  /// children. All but the last say that there are more.
  ///
  /// - Parameters:
  ///   - bytes: The lines before.
  ///   - limit: The most bytes of a line; one node may take more.
  /// - Complexity: O(length of the lines · log(nodes)).
  func appendLines(to bytes: inout [UInt8], limit: Int = RelayLimits.eventBytes) {
    let start = bytes.count
    appendLine(to: &bytes)
    guard bytes.count - start > limit, change.nodes.count > 1 else { return }
    bytes.removeSubrange(start...)
    let middle = change.nodes.count / 2
    var first = self
    first.change.nodes = Array(change.nodes[..<middle])
    first.hasMore = true
    var second = self
    // What was whole goes on as a change.
    second.isWhole = false
    second.change.ended = []
    second.change.nodes = Array(change.nodes[middle...])
    first.appendLines(to: &bytes, limit: limit)
    second.appendLines(to: &bytes, limit: limit)
  }
}
