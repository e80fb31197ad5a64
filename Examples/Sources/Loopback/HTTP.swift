import HeadwayProgress

/// The small part of HTTP/1.0 that the examples use: one request and one response for each connection.
package enum HTTP {
  /// The maximum number of bytes that are read or sent at once.
  static let pieceSize = 65_536
  /// The maximum number of bytes of a request, and of the head of a response.
  private static let headLimit = 8_192
  /// The separator between head and body.
  private static let gap = Array("\r\n\r\n".utf8)

  /// Downloads a page, and reports its bytes to the current node.
  ///
  /// When the node is cancelled it ends at once, even while it waits for a response; while the node is paused nothing
  /// is read.
  ///
  /// - Parameters:
  ///   - path: The path of the page.
  ///   - port: The port of the server.
  /// - Returns: The body of the answer.
  /// - Throws: `HTTPError` if the response is not the page, `NetworkError` if there is none, and `CancellationError` if
  ///   the node is cancelled.
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

  /// Reads a response to its end.
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
  /// - Parameter connection: The connection.
  /// - Returns: The head as text, and the part of the body that came with it.
  /// - Throws: `HTTPError` if there is no head, and `NetworkError`.
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

  /// Parses the head of a response, and returns the length of the body.
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

  /// Reads a request.
  ///
  /// - Parameter connection: The connection.
  /// - Returns: The page that is asked for.
  /// - Throws: `HTTPError` if it is not a request, and `NetworkError`.
  static func readQuestion(from connection: Connection) throws -> String {
    let words = try readHead(from: connection).head.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "GET" else { throw HTTPError.confused }
    return String(words[1])
  }

  /// Sends a response in chunks.
  ///
  /// - Parameters:
  ///   - answer: The response.
  ///   - connection: The connection.
  /// - Throws: `NetworkError` if the other side has closed the connection.
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

/// The error of a request that was not answered with a page.
package enum HTTPError: Error, Hashable, CustomStringConvertible {
  /// The server has responded with an error code and its reason.
  case status(Int, String)
  /// The connection was closed before the whole page was received.
  case cutOff(received: Int, promised: Int)
  /// The connection was closed without a response.
  case hungUp
  /// The other side does not speak HTTP.
  case confused

  /// The error as text.
  package var description: String {
    switch self {
    case .status(let code, let reason): "the server responded \(code) \(reason)"
    case .cutOff(let received, let promised):
      "the connection was closed after \(received) of \(promised) bytes"
    case .hungUp: "the server closed the connection without a response"
    case .confused: "the other side does not speak HTTP"
    }
  }
}

/// A response of a server.
package struct HTTPAnswer: Sendable {
  /// The status code: 200 for success.
  let status: Int
  /// The reason phrase.
  let reason: String
  /// The body.
  let body: [UInt8]
  /// The announced length; if it is more than the length of the body, the server hangs up.
  let promised: Int

  /// A page.
  ///
  /// - Parameters:
  ///   - body: The page.
  ///   - sent: The number of bytes that are sent before the server hangs up; nil for all of them.
  /// - Returns: The answer.
  package static func page(_ body: [UInt8], sent: Int? = nil) -> HTTPAnswer {
    let part = sent.map { Array(body.prefix($0)) } ?? body
    return HTTPAnswer(status: 200, reason: "OK", body: part, promised: body.count)
  }

  /// A page of text.
  package static func page(_ text: String) -> HTTPAnswer { .page(Array(text.utf8)) }

  /// The page does not exist.
  package static let notFound = failure(404, "Not Found")
  /// The server has failed.
  package static let broken = failure(500, "Internal Server Error")
  /// The server is still starting.
  package static let starting = failure(503, "Service Unavailable")

  /// A response without a page.
  private static func failure(_ status: Int, _ reason: String) -> HTTPAnswer {
    let body = Array("\(reason)\n".utf8)
    return HTTPAnswer(status: status, reason: reason, body: body, promised: body.count)
  }
}

extension LoopbackServer {
  /// Creates a server of pages.
  ///
  /// - Parameters:
  ///   - port: The port, 0 for one that is free.
  ///   - pages: Returns the response for a path; nil hangs up.
  /// - Throws: `NetworkError` if the port is in use.
  package convenience init(
    port: UInt16 = 0, pages: @escaping @Sendable (String) -> HTTPAnswer?
  ) throws(NetworkError) {
    try self.init(port: port) { connection in
      guard let answer = try pages(HTTP.readQuestion(from: connection)) else { return }
      try HTTP.send(answer, to: connection)
    }
  }
}
