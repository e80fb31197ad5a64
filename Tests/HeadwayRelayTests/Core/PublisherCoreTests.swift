import HeadwayProgress
import HeadwayRun
import Testing

@testable import HeadwayRelay

/// What a publisher sends, and when.
struct PublisherCoreTests {
  private let exchange = Exchange()
  private let frame = RelayLimits.frameInterval

  @Test func `The greeting comes first, then what is there, then the answer`() throws {
    let root = ProgressNode("copy", total: 4)
    try exchange.publish(root, path: "/tmp/a")
    exchange.advance(by: .milliseconds(1_500))
    let link = exchange.connect()
    exchange.deliver(link)
    #expect(
      link.takeLines() == [
        #"{"event":"hello","time":0.000,"version":2,"pid":7,"program":"test"}"#
      ])
    exchange.request(.subscribe(Interest()), link)
    exchange.deliver(link)
    #expect(
      link.takeLines() == [
        """
        {"event":"publication_began","time":1.500,"publication":"7.1","kind":"work","path":"/tmp/a",\
        "accepts":["cancel","pause"]}
        """,
        """
        {"event":"progress","time":1.500,"publication":"7.1",\
        "nodes":[{"node":0,"label":"copy","total":4}]}
        """,
        #"{"event":"answer","time":0.000,"id":1,"ok":true}"#,
      ])
    #expect(link.began.map(\.isOld) == [true])
    try exchange.publish(ProgressNode("later"))
    exchange.frame()
    #expect(link.began.map(\.isOld) == [true, false])
  }

  @Test func `A change after a rest is sent at once, and what follows comes together`() throws {
    let root = ProgressNode("copy", total: 100)
    let id = try exchange.publish(root)
    let link = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    link.frames = []
    let start = exchange.now
    for _ in 0..<10 {
      root.complete(1)
      exchange.touch(id)
      exchange.advance(by: .milliseconds(1))
    }
    exchange.advance(by: .seconds(1))
    #expect(link.frames == [start, start + frame])
    #expect(exchange.copies[id]?.count == 3)
    exchange.deliver(link)
    #expect(link.mirrors[id]?.root.completed == 10)
  }

  @Test func `An unchanged tree costs nothing`() throws {
    let root = ProgressNode("copy", total: 100)
    let id = try exchange.publish(root)
    let links = (0..<10).map { _ in exchange.subscribe() }
    exchange.advance(by: .seconds(1))
    for link in links { exchange.deliver(link) }
    #expect(exchange.armed == [id])
    let (wakes, frames) = (exchange.wakes, links.map(\.frames))
    exchange.advance(by: .seconds(86_400))
    #expect(exchange.nextDeadline == nil)
    #expect(exchange.wakes == wakes && links.map(\.frames) == frames)
    #expect(exchange.copies[id]?.count == 1)
  }

  @Test func `A tree that nobody watches is neither read nor observed`() throws {
    let root = ProgressNode("copy", total: 100)
    let id = try exchange.publish(root)
    let link = exchange.subscribe(Interest(hasTrees: false))
    exchange.publisher.changed(id, now: exchange.now)
    exchange.advance(by: .seconds(10))
    #expect(exchange.copies[id] == [] && exchange.armed == [])
    #expect(link.began.map(\.info.id) == [id])
    #expect(exchange.watcherCount(of: id) == 1)
  }

  @Test
  func `A tree whose last watcher leaves is not observed any more, and read anew for the next`()
    throws
  {
    let root = ProgressNode("copy", total: 100)
    let id = try exchange.publish(root)
    let first = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    #expect(exchange.armed == [id])
    exchange.disconnect(first)
    #expect(exchange.armed == [])
    root.complete(5)
    exchange.touch(id)
    let second = exchange.subscribe()
    #expect(second.mirrors[id]?.root.completed == 5)
    exchange.request(.unsubscribe, second)
    exchange.advance(by: .seconds(1))
    #expect(exchange.armed == [])
    #expect(exchange.watcherCount(of: id) == 0)
  }

  @Test func `A slow watcher gets fewer frames, and holds up nobody`() throws {
    let root = ProgressNode("copy", total: 1_000)
    let id = try exchange.publish(root)
    let (slow, quick) = (exchange.subscribe(), exchange.subscribe())
    exchange.advance(by: .seconds(1))
    (slow.frames, quick.frames) = ([], [])
    slow.capacity = 10
    for _ in 0..<60 {
      root.complete(1)
      exchange.touch(id)
      exchange.advance(by: frame)
      exchange.deliver(quick)
    }
    #expect(slow.frames.count == 1 && quick.frames.count >= 59)
    #expect(quick.mirrors[id]?.root.completed == 60)
    // The rest of its buffer is older than what it gets then, which is the newest.
    slow.capacity = .max
    exchange.deliver(slow)
    #expect(slow.mirrors[id]?.root.completed == 60)
    #expect(slow.frames.count == 2)
    exchange.frame()
    #expect(slow.frames.count == 2)
  }

  @Test func `A watcher that never reads is disconnected after 30 seconds`() throws {
    let id = try exchange.publish(ProgressNode("copy"))
    let link = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    link.capacity = 0
    exchange.roots[id]?.complete(1)
    exchange.touch(id)
    exchange.advance(by: .seconds(29))
    #expect(!link.isClosed)
    exchange.advance(by: .seconds(2))
    #expect(link.isClosed && link.error == .stalled)
    #expect(exchange.watcherCount(of: id) == 0)
    #expect(exchange.nextDeadline == nil)
  }

  @Test func `A watcher that reads a little now and then is not disconnected`() throws {
    let id = try exchange.publish(ProgressNode("copy"))
    let link = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    link.capacity = 1
    exchange.roots[id]?.complete(1)
    exchange.touch(id)
    for _ in 0..<10 {
      exchange.advance(by: .seconds(29))
      exchange.deliver(link, 1)
    }
    #expect(!link.isClosed)
  }

  @Test func `A connection that asks for nothing is closed after five seconds`() {
    let (silent, asking) = (exchange.connect(), exchange.connect())
    exchange.send(#"{"request":"sub"#, silent)
    exchange.request(.unsubscribe, asking)
    exchange.advance(by: .milliseconds(4_999))
    #expect(!silent.isClosed)
    exchange.advance(by: .milliseconds(1))
    #expect(silent.isClosed && silent.error == .silent)
    exchange.advance(by: .seconds(3_600))
    #expect(!asking.isClosed)
  }

  @Test func `A watcher can ask for fewer frames`() throws {
    let root = ProgressNode("copy", total: 1_000)
    let id = try exchange.publish(root)
    let link = exchange.subscribe(Interest(interval: .seconds(1)))
    exchange.advance(by: .seconds(2))
    link.frames = []
    for _ in 0..<100 {
      root.complete(1)
      exchange.touch(id)
      exchange.advance(by: .milliseconds(50))
    }
    #expect((5...6).contains(link.frames.count))
    for (early, late) in zip(link.frames, link.frames.dropFirst()) {
      #expect(late - early >= .seconds(1))
    }
    // Answers do not wait for it.
    exchange.request(.ask(.pause, id, node: nil), link)
    exchange.frame()
    #expect(link.answers.count == 2)
  }

  @Test func `An answer follows what its request has changed`() throws {
    let root = ProgressNode("copy", total: 4)
    let id = try exchange.publish(root)
    let link = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    _ = link.takeLines()
    exchange.request(.ask(.pause, id, node: nil), link)
    #expect(root.isPaused)
    exchange.deliver(link)
    #expect(
      link.takeLines() == [
        """
        {"event":"progress_changed","time":1.000,"publication":"7.1","nodes":[{"node":0,"paused":true}]}
        """,
        #"{"event":"answer","time":0.000,"id":2,"ok":true}"#,
      ])
    // It was paused already: there is only the answer.
    exchange.advance(by: .seconds(1))
    exchange.request(.ask(.pause, id, node: nil), link)
    exchange.deliver(link)
    #expect(link.takeLines() == [#"{"event":"answer","time":0.000,"id":3,"ok":true}"#])
  }

  @Test func `An answer waits for its frame, the request does not`() throws {
    let root = ProgressNode("copy", total: 4)
    let id = try exchange.publish(root)
    let link = exchange.subscribe()
    exchange.request(.ask(.cancel, id, node: nil), link)
    #expect(root.isCancelled)
    exchange.deliver(link)
    #expect(link.answers.count == 1)
    exchange.advance(by: frame)
    exchange.deliver(link)
    #expect(link.answers.count == 2)
    #expect(link.mirrors[id]?.root.isCancelled == true)
  }

  @Test func `The last state comes before the end`() throws {
    let root = ProgressNode("copy", total: 4)
    let id = try exchange.publish(root)
    let other = try exchange.publish(ProgressNode("other"))
    let link = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    _ = link.takeLines()
    root.complete(4)
    root.finish()
    exchange.unpublish(id, .finished)
    exchange.unpublish(other, .unpublished)
    exchange.frame()
    #expect(
      link.takeLines() == [
        """
        {"event":"progress_changed","time":1.000,"publication":"7.1",\
        "nodes":[{"node":0,"completed":4,"finished":true}]}
        """,
        """
        {"event":"publication_ended","time":1.000,"publication":"7.1","reason":"finished"}
        """,
        """
        {"event":"publication_ended","time":1.000,"publication":"7.2","reason":"unpublished"}
        """,
      ])
    #expect(link.ended == [id: .finished, other: .unpublished])
    #expect(exchange.publications.isEmpty && exchange.armed == [])
    exchange.unpublish(id, .unpublished)
    #expect(exchange.nextDeadline == nil)
  }

  @Test func `What begins and ends while a watcher does not read is not told`() throws {
    let link = exchange.subscribe()
    let first = try exchange.publish(ProgressNode("first"))
    exchange.frame()
    link.capacity = 0
    exchange.roots[first]?.complete(1)
    exchange.touch(first)
    exchange.advance(by: frame)
    for _ in 0..<100 {
      exchange.unpublish(try exchange.publish(ProgressNode("short")), .finished)
      exchange.advance(by: .milliseconds(20))
    }
    link.capacity = .max
    // The writes that failed are tried again when there is room.
    exchange.publisher.writable(link.peer, now: exchange.now)
    exchange.settle()
    for _ in 0..<3 { exchange.frame() }
    #expect(link.began.map(\.info.id) == [first] && link.ended.isEmpty)
    #expect(exchange.publications.count == 1)
  }

  @Test func `A thousand watchers share one copy and one buffer`() throws {
    let root = ProgressNode("copy", total: 10)
    let id = try exchange.publish(root)
    let links = (0..<1_000).map { _ in exchange.subscribe() }
    exchange.advance(by: .seconds(1))
    let copies = exchange.copies[id]?.count ?? 0
    for link in links { link.capacity = 0 }
    root.complete(1)
    exchange.touch(id)
    #expect(exchange.copies[id]?.count == copies + 1)
    let buffers = links.compactMap { exchange.watchers[$0.peer]?.outgoing }
    #expect(buffers.count == 1_000 && Set(buffers).count == 1 && buffers[0].count <= 200)
  }

  @Test func `There are not more watchers and publications than the limits allow`() throws {
    let small = Exchange(watcherLimit: 2)
    let links = (0..<3).map { _ in small.connect() }
    #expect(links.map(\.isClosed) == [false, false, true])
    #expect(links[2].error == .tooMany("watchers of one process", limit: 2))
    // It is told why.
    small.deliver(links[2])
    small.disconnect(links[0])
    #expect(!small.connect().isClosed)
    for number in 1...RelayLimits.publications {
      try small.publisher.publish(PublicationID("7.\(number)"), kind: "work", now: .zero)
    }
    let next = PublicationID("7.10001")
    #expect(throws: RelayError.self) { try small.publisher.publish(next, kind: "work", now: .zero) }
    small.publisher.unpublish(PublicationID("7.5"), .finished, now: .zero)
    try small.publisher.publish(next, kind: "work", now: .zero)
  }

  @Test func `Ten thousand publications come in several buffers`() throws {
    for number in 1...RelayLimits.publications {
      try exchange.publisher.publish(PublicationID("7.\(number)"), kind: "work", now: .zero)
    }
    let link = exchange.connect()
    exchange.request(.subscribe(Interest(hasTrees: false)), link)
    #expect(link.arriving.count < RelayLimits.outgoingBytes + 1_000)
    #expect(link.answers.isEmpty)
    for _ in 0..<10 { exchange.frame() }
    #expect(link.began.count == RelayLimits.publications && link.answers.count == 1)
    #expect(exchange.nextDeadline == nil)
  }

  @Test func `Frames cost at most two percent of the time`() throws {
    let root = ProgressNode("copy", total: 1_000)
    let id = try exchange.publish(root)
    let link = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    link.frames = []
    exchange.costOfCopy = .milliseconds(2)
    for _ in 0..<1_000 {
      root.complete(1)
      exchange.touch(id)
      exchange.advance(by: .milliseconds(1))
    }
    #expect((9...12).contains(link.frames.count))
    // What took very long once does not keep the tree from being seen.
    exchange.costOfCopy = .seconds(10)
    root.complete(1)
    exchange.touch(id)
    exchange.advance(by: .milliseconds(200))
    exchange.costOfCopy = .zero
    root.complete(1)
    exchange.touch(id)
    exchange.frame()
    exchange.advance(by: RelayLimits.longestPause)
    exchange.deliver(link)
    #expect(link.mirrors[id]?.root.completed == root.completed)
  }

  @Test func `A copy that waits for other programs delays no frame`() throws {
    let root = ProgressNode("work", total: 1_000)
    let id = try exchange.publish(root)
    let link = exchange.subscribe()
    exchange.advance(by: .seconds(1))
    link.frames = []
    exchange.delayOfCopy = .milliseconds(2)
    for _ in 0..<1_000 {
      root.complete(1)
      exchange.touch(id)
      exchange.advance(by: .milliseconds(1))
    }
    #expect(link.frames.count > 50)
  }

  @Test func `Answers wait for trees that are read later, and nothing else does`() throws {
    let (quick, slow) = (ProgressNode("quick", total: 10), ProgressNode("slow", total: 10))
    let quickID = try exchange.publish(quick)
    let slowID = try exchange.publish(slow)
    exchange.slow = [slowID]
    let link = exchange.connect()
    let subscription = exchange.request(.subscribe(Interest()), link)
    exchange.frame()
    #expect(link.mirrors.keys.map(\.description) == [quickID.description])
    let wakes = exchange.wakes
    exchange.advance(by: .seconds(60))
    #expect(exchange.wakes == wakes, "it waits without looking again and again")
    quick.complete(3)
    exchange.touch(quickID)
    exchange.frame()
    #expect(link.mirrors[quickID]?.root.completed == 3)
    #expect(link.answers[subscription] == nil)
    exchange.copy(slowID)
    exchange.frame()
    #expect(link.mirrors[slowID]?.root.label == "slow")
    #expect(link.answers[subscription] == .some(nil))

    let cancel = exchange.request(.ask(.cancel, slowID, node: nil), link)
    exchange.frame()
    #expect(slow.isCancelled && link.answers[cancel] == nil)
    // A tree that cannot be read does not hold an answer back forever.
    exchange.publisher.copied(slowID, nil, now: exchange.now)
    exchange.frame()
    #expect(link.answers[cancel] == .some(nil))
  }

  @Test func `Of forecasts, the newest one is sent`() throws {
    let id = try exchange.publish(ProgressNode("run"), kind: "run")
    let link = exchange.subscribe()
    let list = exchange.subscribe(Interest(hasTrees: false))
    exchange.advance(by: .seconds(1))
    for part in [0.25, 0.5, 0.75] {
      exchange.publisher.forecast(RunForecast(fraction: part), of: id, now: exchange.now)
    }
    exchange.settle()
    exchange.frame()
    #expect(link.forecasts == [RunForecast(fraction: 0.75)] && list.forecasts.isEmpty)
    let late = exchange.subscribe()
    #expect(late.forecasts == [RunForecast(fraction: 0.75)])
    exchange.frame()
    #expect(link.forecasts.count == 1 && late.forecasts.count == 1)
  }

  @Test func `A tree that is too long for a line comes in parts, as one`() throws {
    let root = ProgressNode(String(repeating: "\u{1B}", count: 500), total: 999)
    let children = (1..<1_000).map { number in
      let child = root.child(String(repeating: "\u{1B}", count: 500), units: 1, total: 10)
      child.detail = String(repeating: "\"", count: 2_000)
      child.filePath = "/" + String(repeating: "x", count: 4_000)
      return child
    }
    exchange.checksCopies = false
    let id = try exchange.publish(root)
    let link = exchange.connect()
    exchange.request(.subscribe(Interest()), link)
    for _ in 0..<3 { exchange.frame() }
    let lines = link.takeLines().filter { $0.contains(#""event":"progress"#) }
    #expect(lines.count > 1 && lines.count <= RelayLimits.parts)
    #expect(lines.allSatisfy { $0.utf8.count < RelayLimits.eventBytes })
    #expect(lines.dropLast().allSatisfy { $0.contains(#""more":true"#) })
    #expect(link.error == nil && !link.isClosed)
    let seen = link.mirrors[id]?.root.snapshot()
    #expect(seen?.children.count == children.count)
    #expect(seen?.label.count == 42 && seen?.children[0].detail?.count == 512)
  }
}
