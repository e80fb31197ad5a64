import HeadwayProgress
import Testing

@testable import HeadwayRelay

/// What a publisher answers, and what it does not accept.
struct PublisherCoreRequestTests {
  private let exchange = Exchange()

  /// The answers to some lines.
  private func answers(to text: String, _ link: Exchange.Link) -> [String] {
    exchange.deliver(link)
    _ = link.takeLines()
    exchange.send(text + "\n", link)
    // Read without the watcher, which has not asked for it.
    exchange.advance(by: .milliseconds(20))
    defer { link.arriving = [] }
    return String(decoding: link.arriving, as: UTF8.self).split(separator: "\n").map { String($0) }
  }

  @Test(arguments: [
    (#"{"request":"dance","id":1}"#, "unknown_request", "no request 'dance'"),
    (#"{"request":"tell","id":2,"share":"x"}"#, "unknown_share", "no share 'x'"),
    (#"{"request":"offer","id":2,"share":"x"}"#, "unknown_share", "no share 'x'"),
    (#"{"request":"tell","id":2}"#, "invalid", "'share' is missing"),
    (#"{"request":"tell","id":2,"share":"x","percent":101}"#, "invalid", "from 0 to 100"),
    (#"{"request":"tell","id":2,"share":"x","completed":-1}"#, "invalid", "'completed'"),
    (#"{"request":"cancel","id":3,"publication":"9.9"}"#, "unknown_publication", "'9.9'"),
    (#"{"request":"subscribe","id":3,"publication":"7.3"}"#, "unknown_publication", "'7.3'"),
    (#"{"request":"cancel","id":4,"publication":"7.2"}"#, "refused", "cannot be cancelled"),
    (#"{"request":"resume","id":5,"publication":"7.2"}"#, "refused", "cannot be paused"),
    (
      #"{"request":"control","id":5,"publication":"7.1","action":"cancel"}"#, "refused",
      "cannot be controlled"
    ),
    (#"{"request":"control","id":5,"publication":"7.1"}"#, "invalid", "'action' is missing"),
    (
      #"{"request":"control","id":5,"publication":"9.9","action":"a"}"#, "unknown_publication",
      "'9.9'"
    ),
    (#"{"request":"cancel","id":6,"publication":"7.1","node":1}"#, "unknown_node", "no node 1"),
    (#"{"request":"cancel","id":7}"#, "invalid", "'publication' is missing"),
    (#"{"request":"cancel","id":8,"publication":3}"#, "invalid", "'publication' must be a text"),
    (#"{"request":"cancel","id":9,"publication":"7.1","node":-1}"#, "invalid", "'node'"),
    (#"{"request":"pause","id":9,"publication":"7.1","node":4294967296}"#, "invalid", "'node'"),
    (#"{"request":"subscribe","id":0,"trees":1}"#, "invalid", "'trees' must be true or false"),
    (#"{"request":"subscribe","id":0,"path":"a"}"#, "invalid", "must begin with '/'"),
    (#"{"request":"subscribe","id":0,"interval":1e300}"#, "invalid", "'interval'"),
    (#"{"id":10}"#, "invalid", "'request' is missing"),
  ])
  func `A request that cannot be granted is refused in words`(
    line: String, error: String, words: String
  ) throws {
    try exchange.publish(ProgressNode("one"))
    try exchange.publish(ProgressNode("two"), accepts: [])
    let link = exchange.connect()
    let lines = answers(to: line, link)
    #expect(lines.count == 1 && !link.isClosed)
    #expect(lines.first?.contains(#""ok":false,"error":"\#(error)""#) ?? false, "\(lines)")
    #expect(lines.first?.contains(words) ?? false, "\(lines)")
    // The connection goes on.
    #expect(answers(to: #"{"request":"unsubscribe","id":99}"#, link).count == 1)
  }

  @Test(arguments: [
    ("", "not JSON"), ("hello", "not JSON"), ("GET / HTTP/1.1\r", "not JSON"), ("[]", "an object"),
    ("7", "an object"), (#"{"request":"subscribe"}"#, "'id' is missing"),
    (#"{"request":"subscribe","id":-1}"#, "'id' must be from 0"),
    (#"{"request":"subscribe","id":1.5}"#, "'id'"),
    (
      #"{"request":"subscribe","id":18446744073709551616}"#,
      "'id' must be a whole number of 64 bits"
    ),
    (#"{"request":"subscribe","id":1e400}"#, "'id' must be a whole number of 64 bits"),
    (#"{"request":"subscribe","id":1,"id":2}"#, "a field appears twice"),
    (#"{"request":"subscribe","id":1}}"#, "not JSON"),
    (String(repeating: "[", count: 8_000), "not JSON"),
    (String(repeating: " ", count: 8_192), "more than 8192 bytes"),
  ])
  func `A line that is no request closes the connection, which is told why`(
    line: String, words: String
  ) throws {
    let id = try exchange.publish(ProgressNode("one"))
    let other = exchange.subscribe()
    let link = exchange.connect()
    exchange.deliver(link)
    exchange.send(line + "\n" + #"{"request":"cancel","id":5,"publication":"7.1"}"# + "\n", link)
    #expect(link.isClosed)
    #expect(link.error?.description.contains(words) ?? false, "\(String(describing: link.error))")
    let text = String(decoding: link.arriving, as: UTF8.self)
    #expect(text.hasPrefix(#"{"event":"answer","time":0.000,"ok":false,"error":"invalid","#))
    // What comes after it is not read, and nobody else is concerned.
    #expect(exchange.commands.isEmpty && !other.isClosed)
    exchange.roots[id]?.complete(1)
    exchange.touch(id)
    exchange.frame()
    #expect(other.mirrors[id]?.root.completed == 1)
  }

  @Test func `Invalid UTF-8, five megabytes and a truncated line do no harm`() {
    let invalid = exchange.connect()
    exchange.send(Array(#"{"request":""#.utf8) + [0xFF] + Array("\"}\n".utf8), invalid)
    #expect(invalid.isClosed)
    let long = exchange.connect()
    var sent = 0
    while !long.isClosed, sent < 5_000_000 {
      exchange.send([UInt8](repeating: UInt8(ascii: "a"), count: 1_000), long)
      sent += 1_000
    }
    #expect(long.isClosed && sent < 10_000)
    let truncated = exchange.connect()
    exchange.send(#"{"request":"subscribe","id":1}"#, truncated)
    exchange.disconnect(truncated)
    #expect(exchange.watchers.isEmpty && exchange.nextDeadline == nil)
  }

  @Test func `Unknown fields, their order and spaces do not matter`() throws {
    try exchange.publish(ProgressNode("one"))
    let link = exchange.connect()
    let lines = answers(
      to: #" { "new" : [{}] , "publication" : "7.1" , "id" : 4 , "request" : "pause" } "#, link)
    #expect(lines == [#"{"event":"answer","time":0.000,"id":4,"ok":true}"#])
    #expect(exchange.commands.map(\.request) == [.pause])
  }

  @Test func `A connection has one subscription at a time`() throws {
    let id = try exchange.publish(ProgressNode("one"))
    let link = exchange.subscribe()
    let second = exchange.request(.subscribe(Interest()), link)
    exchange.frame()
    #expect(link.answers[second]??.kind == .invalid)
    exchange.request(.unsubscribe, link)
    exchange.frame()
    _ = link.takeLines()
    exchange.roots[id]?.complete(1)
    exchange.touch(id)
    try exchange.publish(ProgressNode("two"))
    exchange.frame()
    #expect(link.takeLines() == [])
    exchange.request(.subscribe(Interest()), link)
    exchange.frame()
    #expect(link.began.count == 3 && link.mirrors.count == 2 && link.error == nil)
  }

  @Test func `Of many requests, 64 are read before their answers are sent`() throws {
    try exchange.publish(ProgressNode("one"))
    exchange.carriesOut = false
    let link = exchange.connect()
    let lines = (0..<200).map { #"{"request":"pause","id":\#($0),"publication":"7.1"}"# + "\n" }
    exchange.send(lines.joined(), link)
    #expect(exchange.commands.count == 64 && !link.isRead)
    exchange.advance(by: .seconds(1))
    #expect(exchange.commands.count == 64)
    for start in [0, 64, 128] {
      for command in exchange.commands[start...] { exchange.carryOut(command) }
      exchange.advance(by: .milliseconds(20))
    }
    #expect(exchange.commands.count == 200 && link.isRead)
    for command in exchange.commands[192...] { exchange.carryOut(command) }
    exchange.advance(by: .milliseconds(20))
    let text = String(decoding: link.arriving, as: UTF8.self)
    #expect(text.split(separator: "\n").count == 201)
    #expect(exchange.nextDeadline == nil)
  }

  @Test func `What only the work knows is passed on, and answered as the work does`() throws {
    let id = try exchange.publish(
      ProgressNode("run", total: 4), accepts: [.cancel, .pause, .control])
    let link = exchange.connect()
    let granted = exchange.request(.control(ControlRequest("cancel", task: "a"), id), link)
    exchange.deliver(link)
    let refused = exchange.request(.control(ControlRequest("cancel"), id), link)
    exchange.advance(by: .seconds(1))
    exchange.deliver(link)
    #expect(link.answers[granted] == .some(nil))
    #expect(link.answers[refused] == .some(RelayRefusal(.refused, "no task")))
  }

  @Test func `A request for work that has ended is refused, and one that is under way is answered`()
    throws
  {
    let id = try exchange.publish(ProgressNode("one"))
    exchange.carriesOut = false
    let link = exchange.subscribe()
    let first = exchange.request(.ask(.cancel, id, node: nil), link)
    link.capacity = 0
    exchange.unpublish(id, .finished)
    let second = exchange.request(.ask(.cancel, id, node: nil), link)
    #expect(exchange.commands.count == 1)
    for command in exchange.commands { exchange.carryOut(command) }
    link.capacity = .max
    exchange.settle()
    for _ in 0..<3 { exchange.frame() }
    #expect(link.answers[first] == .some(nil) && link.answers[second]??.kind == .finished)
  }

  @Test(arguments: [
    (Interest(), true), (Interest(kind: "run"), true), (Interest(kind: "work"), false),
    (Interest(publication: PublicationID("7.1")), true),
    (Interest(publication: PublicationID("7.10")), false),
    (Interest(path: "/src/a.yaml"), true), (Interest(path: "/src"), true),
    (Interest(path: "//src/"), true), (Interest(path: "/"), false),
    (Interest(path: "/sr"), false), (Interest(path: "/src/a"), false),
    (Interest(kind: "work", path: "/src"), false),
  ])
  func `A watcher chooses by ID, kind and path`(interest: Interest, isIncluded: Bool) {
    let info = PublicationInfo(id: PublicationID("7.1"), kind: "run", path: "/src/a.yaml")
    #expect(interest.includes(info) == isIncluded)
    let bare = PublicationInfo(id: PublicationID("7.1"), kind: "run")
    #expect(interest.includes(bare) == (isIncluded && interest.path == nil))
  }
}
