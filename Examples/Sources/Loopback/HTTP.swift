import HeadwayProgress

/// The little of HTTP/1.0 that the examples speak: one question and one answer for each connection.
package enum HTTP {
  /// The most bytes that are read or sent at once.
  static let pieceSize = 65_536
  /// The most bytes of a question, and of what stands before the body of an answer.
  private static let headLimit = 8_192
  /// What stands between a head and its body.
  private static let gap = Array("\r\n\r\n".utf8)

  /// Gets a page, and reports how far it is to the current node, in bytes.
  ///
  /// It joins the node by itself, and knows nothing of who watches. When the node is cancelled it ends at once, also in
  /// the middle of waiting for an answer; while it is paused nothing is read.
  ///
  /// - Parameters:
  ///   - path: Which page.
  ///   - port: The port of the server.
  /// - Returns: The body of the answer.
  /// - Throws: `HTTPError` for another answer than the page, `NetworkError` when there is none, and `CancellationError`
  ///   when the node is cancelled.
  package static func get(_ path: String, from port: UInt16) throws -> [UInt8] {
    let progress = ProgressNode.joinCurrent("downloading")
    defer { progress.finish() }
    progress.kind = .file(.downloading)
    let connection = try Connection(to: port)
    let handler = progress.onCancel { connection.interrupt() }
    defer { handler.remove() }
    do {
      try connection.send("GET \(path) HTTP/1.0\r\n\r\n")
      return try readAnswer(from: connection, progress)
    } catch {
      // An interrupted connection looks like a broken one.
      throw progress.isCancelled ? CancellationError() : error
    }
  }

  /// Reads an answer to its end.
  private static func readAnswer(
    from connection: Connection, _ progress: ProgressNode
  ) throws -> [UInt8] {
    var (head, body) = try readHead(from: connection)
    let length = try length(promisedBy: head)
    progress.total = length
    progress.complete(body.count)
    body.reserveCapacity(length)
    var piece = [UInt8](repeating: 0, count: pieceSize)
    while body.count < length {
      try progress.blockingCheckpoint()
      let count = try connection.receive(into: &piece)
      guard count > 0 else { throw HTTPError.cutOff(received: body.count, promised: length) }
      body += piece[..<count]
      progress.complete(count)
    }
    return body
  }

  /// Reads up to the end of a head.
  ///
  /// - Parameter connection: Where it comes from.
  /// - Returns: The head as text, and what came of the body with it.
  /// - Throws: `HTTPError` when there is no head, and `NetworkError`.
  private static func readHead(from connection: Connection) throws -> (head: String, rest: [UInt8])
  {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: headLimit)
    while true {
      let count = try connection.receive(into: &piece)
      guard count > 0 else { throw bytes.isEmpty ? HTTPError.hungUp : HTTPError.confused }
      bytes += piece[..<count]
      if let gap = bytes.firstRange(of: gap) {
        let head = String(decoding: bytes[..<gap.lowerBound], as: UTF8.self)
        return (head, Array(bytes[gap.upperBound...]))
      }
      guard bytes.count < headLimit else { throw HTTPError.confused }
    }
  }

  /// Reads the head of an answer: how long the body will be.
  private static func length(promisedBy head: String) throws(HTTPError) -> Int {
    let lines = head.split(separator: "\r\n")
    let words = lines.first.map { $0.split(separator: " ", maxSplits: 2) } ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else {
      throw .confused
    }
    guard status == 200 else { throw .status(status, words.count > 2 ? String(words[2]) : "") }
    for line in lines.dropFirst() {
      let field = line.split(separator: ":", maxSplits: 1)
      guard field.count == 2, field[0].lowercased() == "content-length" else { continue }
      if let length = Int(field[1].drop { $0 == " " }), length >= 0 { return length }
    }
    throw .confused
  }

  /// Reads a question.
  ///
  /// - Parameter connection: Where it comes from.
  /// - Returns: The page that is asked for.
  /// - Throws: `HTTPError` when it is no question, and `NetworkError`.
  static func readQuestion(from connection: Connection) throws -> String {
    let words = try readHead(from: connection).head.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "GET" else { throw HTTPError.confused }
    return String(words[1])
  }

  /// Sends an answer, piece by piece.
  ///
  /// - Parameters:
  ///   - answer: The answer.
  ///   - connection: Where it goes.
  /// - Throws: `NetworkError` when nobody takes it.
  static func send(_ answer: HTTPAnswer, to connection: Connection) throws(NetworkError) {
    let first = "HTTP/1.0 \(answer.status) \(answer.reason)"
    try connection.send("\(first)\r\nContent-Length: \(answer.promised)\r\n\r\n")
    var rest = answer.body[...]
    while !rest.isEmpty {
      try connection.send(rest.prefix(pieceSize))
      rest = rest.dropFirst(pieceSize)
    }
  }
}

/// Why a page could not be had, although somebody was there.
package enum HTTPError: Error, Hashable, CustomStringConvertible {
  /// The server answers with a code other than that of success, and its reason.
  case status(Int, String)
  /// The connection ended before the whole page was there.
  case cutOff(received: Int, promised: Int)
  /// The connection ended without an answer.
  case hungUp
  /// What was said is not HTTP.
  case confused

  /// The error in words.
  package var description: String {
    switch self {
    case .status(let code, let reason): "the server answers \(code) \(reason)"
    case .cutOff(let received, let promised):
      "the connection ended after \(received) of \(promised) bytes"
    case .hungUp: "the server hung up without an answer"
    case .confused: "the other end does not speak HTTP"
    }
  }
}

/// What a server answers.
package struct HTTPAnswer: Sendable {
  /// The code: 200 for success.
  let status: Int
  /// The code in words.
  let reason: String
  /// What is sent after the head.
  let body: [UInt8]
  /// The length that is told before; where it is more than is sent, the server breaks off.
  let promised: Int

  /// A page.
  ///
  /// - Parameters:
  ///   - body: The page.
  ///   - sent: How much of it is really sent before the server hangs up; nil for all of it.
  /// - Returns: The answer.
  package static func page(_ body: [UInt8], sent: Int? = nil) -> HTTPAnswer {
    let part = sent.map { Array(body.prefix($0)) } ?? body
    return HTTPAnswer(status: 200, reason: "OK", body: part, promised: body.count)
  }

  /// A page of text.
  package static func page(_ text: String) -> HTTPAnswer { .page(Array(text.utf8)) }

  /// There is no such page.
  package static let notFound = failure(404, "Not Found")
  /// The server does not work.
  package static let broken = failure(500, "Internal Server Error")
  /// The server is still starting.
  package static let starting = failure(503, "Service Unavailable")

  /// An answer that is no page.
  private static func failure(_ status: Int, _ reason: String) -> HTTPAnswer {
    let body = Array("\(reason)\n".utf8)
    return HTTPAnswer(status: status, reason: reason, body: body, promised: body.count)
  }
}

extension LoopbackServer {
  /// Begins to serve pages.
  ///
  /// - Parameters:
  ///   - port: The port, 0 for one that is free.
  ///   - pages: The answer to the question for a page; nil hangs up.
  /// - Throws: `NetworkError` when the port is taken.
  package convenience init(
    port: UInt16 = 0, pages: @escaping @Sendable (String) -> HTTPAnswer?
  ) throws(NetworkError) {
    try self.init(port: port) { connection in
      guard let answer = try pages(HTTP.readQuestion(from: connection)) else { return }
      try HTTP.send(answer, to: connection)
    }
  }
}
