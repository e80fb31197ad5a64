package import HeadwayProgress
package import HeadwayRun

/// A line from a watcher to a publishing process.
package struct RelayRequest: Hashable, Sendable {
  /// What the watcher wants.
  package enum Body: Hashable, Sendable {
    /// The publications that match, now and later.
    case subscribe(Interest)
    /// No more lines about publications.
    case unsubscribe
    /// That a node of a publication, nil for the first one, is cancelled, paused or resumed.
    case ask(ProgressMirror.Request, PublicationID, node: UInt32?)
    /// That a publication does something that only work of its kind knows.
    case control(ControlRequest, PublicationID)
    /// That the work of this program is shown below a share of the other one; the two sides change their roles.
    case offer(share: String)
    /// That a share of the other program moves.
    case tell(share: String, Told)
    /// Something of a later version.
    case other(String)
  }

  /// The number that the answer has, too; chosen by the watcher.
  package var id: Int
  package var body: Body

  /// Creates a request.
  package init(id: Int, _ body: Body) { (self.id, self.body) = (id, body) }
}

/// Something that only work of a kind knows, such as ending one task of a run.
package struct ControlRequest: Hashable, Sendable {
  /// What is asked for, such as `cancel`.
  package var action: String
  /// The task that it is about, nil for the whole.
  package var task: String?

  /// Creates a request.
  package init(_ action: String, task: String? = nil) { (self.action, self.task) = (action, task) }
}

/// What a watcher wants to know.
package struct Interest: Hashable, Sendable {
  /// The only publication, nil for all.
  package var publication: PublicationID?
  /// The kind of publications, nil for all.
  package var kind: String?
  /// The path of a file, or of a directory with the files that publications are about; nil for all.
  package var path: String?
  /// Whether to send the trees, too.
  package var hasTrees: Bool
  /// The least time between two frames, from `RelayLimits.frameInterval` to `RelayLimits.longestInterval`.
  package private(set) var interval: Duration

  /// Creates an interest.
  package init(
    publication: PublicationID? = nil, kind: String? = nil, path: String? = nil,
    hasTrees: Bool = true, interval: Duration = RelayLimits.frameInterval
  ) {
    (self.publication, self.kind, self.path) = (publication, kind, path)
    self.hasTrees = hasTrees
    self.interval = Self.allowed(interval)
  }

  /// The nearest interval within the limits.
  private static func allowed(_ interval: Duration) -> Duration {
    min(max(interval, RelayLimits.frameInterval), RelayLimits.longestInterval)
  }

  /// Whether a publication is wanted.
  ///
  /// - Parameter info: The publication.
  /// - Returns: Whether it has the ID, the kind and the path, as far as they are given.
  /// - Complexity: O(length of the paths).
  package func includes(_ info: PublicationInfo) -> Bool {
    if let publication, publication != info.id { return false }
    if let kind, kind != info.kind { return false }
    guard let path else { return true }
    guard let file = info.path else { return false }
    let (wanted, found) = (path.split(separator: "/"), file.split(separator: "/"))
    return !found.isEmpty && (found == wanted || found.dropLast() == wanted[...])
  }
}

extension RelayRequest: EventRecord {
  /// Writes the name, the number and the fields of the request.
  ///
  /// - Parameter sink: The destination.
  /// - Throws: The error of the sink.
  package func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    switch body {
    case .subscribe(let interest):
      try sink.add(.request, RelayRequestName.subscribe)
      try sink.add(.id, number: id)
      if let publication = interest.publication {
        try sink.add(.publication, text: publication.text)
      }
      if let kind = interest.kind { try sink.add(.kind, text: kind) }
      if let path = interest.path { try sink.add(.path, text: path) }
      if !interest.hasTrees { try sink.add(.trees, flag: false) }
      if interest.interval > RelayLimits.frameInterval {
        try sink.add(.interval, seconds: interest.interval)
      }
    case .unsubscribe:
      try sink.add(.request, RelayRequestName.unsubscribe)
      try sink.add(.id, number: id)
    case .ask(let request, let publication, let node):
      try sink.add(.request, RelayRequestName(request))
      try sink.add(.id, number: id)
      try sink.add(.publication, text: publication.text)
      if let node { try sink.add(.node, number: Int(node)) }
    case .control(let control, let publication):
      try sink.add(.request, RelayRequestName.control)
      try sink.add(.id, number: id)
      try sink.add(.publication, text: publication.text)
      try sink.add(.action, text: control.action)
      if let task = control.task { try sink.add(.task, text: task) }
    case .offer(let share):
      try sink.add(.request, RelayRequestName.offer)
      try sink.add(.id, number: id)
      try sink.add(.share, text: share)
    case .tell(let share, let told):
      try sink.add(.request, RelayRequestName.tell)
      try sink.add(.id, number: id)
      try sink.add(.share, text: share)
      try told.write(to: &sink)
    case .other(let name):
      try sink.add(.request, text: name)
      try sink.add(.id, number: id)
    }
  }

  /// Reads a request from its fields.
  ///
  /// - Parameter fields: The fields.
  /// - Throws: `DecodingError` if a field of a known request is missing or invalid.
  package init(_ fields: EventFields) throws {
    let name = try fields.text(.request, bytes: RelayLimits.nameBytes)
    id = try fields.number(.id)
    body =
      switch RelayRequestName(rawValue: name) {
      case .subscribe: .subscribe(try Interest(fields))
      case .unsubscribe: .unsubscribe
      case .cancel: try fields.ask(.cancel)
      case .pause: try fields.ask(.pause)
      case .resume: try fields.ask(.resume)
      case .control:
        .control(
          ControlRequest(
            try fields.shortText(.action),
            task: fields.contains(.task) ? try fields.text(.task) : nil), try fields.publication)
      case .offer: .offer(share: try fields.shortText(.share))
      case .tell: .tell(share: try fields.shortText(.share), try Told(fields))
      case nil: .other(name)
      }
  }
}

/// The number of a request, for an answer to one that cannot be read otherwise.
struct RequestNumber: EventRecord {
  let id: Int

  func write<Sink: FieldSink>(to sink: inout Sink) throws(Sink.Problem) {
    try sink.add(.id, number: id)
  }

  init(_ fields: EventFields) throws { id = try fields.number(.id) }
}

extension Interest {
  fileprivate init(_ fields: EventFields) throws {
    self.init()
    if fields.contains(.publication) { publication = try fields.publication }
    if fields.contains(.kind) { kind = try fields.shortText(.kind) }
    if fields.contains(.path) {
      let path = try fields.text(.path, bytes: RelayLimits.pathBytes)
      guard path.hasPrefix("/") else { throw fields.wrong(.path, "must begin with '/'") }
      self.path = path
    }
    if fields.contains(.trees) { hasTrees = try fields.flag(.trees) }
    if fields.contains(.interval) { interval = Self.allowed(try fields.duration(.interval)) }
  }
}

extension RelayRequestName {
  /// The name of what a watcher asks a node to do.
  fileprivate init(_ request: ProgressMirror.Request) {
    switch request {
    case .cancel: self = .cancel
    case .pause: self = .pause
    case .resume: self = .resume
    }
  }
}

extension EventFields {
  /// Reads what a node is asked to do.
  fileprivate func ask(_ request: ProgressMirror.Request) throws -> RelayRequest.Body {
    let node = contains(.node) ? UInt32(try number(.node, in: 0...Int(UInt32.max))) : nil
    return .ask(request, try publication, node: node)
  }
}
