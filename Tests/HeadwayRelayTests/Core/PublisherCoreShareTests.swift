import HeadwayProgress
import HeadwayRun
import Testing

@testable import HeadwayRelay

/// Shares: what programs that report for another one send, and who sees their work.
struct PublisherCoreShareTests {
  private let exchange = Exchange()

  /// The requests about shares that a line makes.
  private func requests(
    _ line: String, to core: inout PublisherCore
  ) -> [PublisherCore.ShareRequest] {
    let peer = PublisherCore.Peer(1)
    core.connected(peer, now: .zero)
    while core.nextAction() != nil {}
    core.sent(.max, to: peer, now: .zero)
    core.received(Array((line + "\n").utf8)[...], from: peer, now: .zero)
    var found: [PublisherCore.ShareRequest] = []
    while let action = core.nextAction() {
      if case .share(let request) = action { found.append(request) }
    }
    return found
  }

  @Test func `All that a program tells arrives`() {
    var core = PublisherCore(program: "test", pid: 7)
    let line =
      #"{"request":"tell","id":3,"share":"s","completed":1,"total":2,"add":-3,"percent":4.5,"#
      + #""label":"l","detail":"","finished":true}"#
    var told = Told()
    (told.completed, told.total, told.added, told.percent) = (1, 2, -3, 4.5)
    (told.label, told.detail, told.isFinished) = ("l", "", true)
    let found = requests(line, to: &core)
    #expect(found.map(\.share) == ["s"] && found.first?.body == .tell(told))
    // It is written as it was read.
    var bytes: [UInt8] = []
    RelayRequest(id: 3, .tell(share: "s", told)).appendLine(to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == line + "\n")
  }

  @Test func `An offer takes the connection out, after its answer`() throws {
    var core = PublisherCore(program: "test", pid: 7)
    let found = try #require(
      requests(#"{"request":"offer","id":9,"share":"s"}"#, to: &core).first)
    #expect(found.body == .offer)
    let bytes = core.handOver(found, now: .zero)
    #expect(
      bytes.map { String(decoding: $0, as: UTF8.self) }
        == #"{"event":"answer","time":0.000,"id":9,"ok":true}"# + "\n")
    #expect(core.handOver(found, now: .zero) == nil && core.watchers.isEmpty)
    #expect(core.isOver && !core.hasUnsent)
  }

  @Test func `What another process shows is seen by that one only, and by all when it is gone`()
    throws
  {
    let id = try exchange.publish(ProgressNode("early"))
    let other = exchange.subscribe()
    let parent = exchange.connect()
    exchange.publisher.restrict(to: parent.peer, now: exchange.now)
    exchange.request(.subscribe(Interest()), parent)
    let late = try exchange.publish(ProgressNode("late"))
    exchange.frame()
    exchange.frame()
    #expect(parent.began.map(\.info.id) == [id, late])
    // What was seen before stays.
    #expect(other.began.map(\.info.id) == [id])
    let third = exchange.subscribe()
    exchange.request(.ask(.cancel, late, node: nil), third)
    exchange.frame()
    #expect(third.began.isEmpty && exchange.commands.isEmpty)
    #expect(third.answers.values.contains { $0?.kind == .unknownPublication })
    exchange.disconnect(parent)
    exchange.publisher.restrict(to: nil, now: exchange.now)
    exchange.settle()
    exchange.frame()
    exchange.frame()
    #expect(third.began.map(\.info.id) == [id, late])
    #expect(other.began.map(\.info.id) == [id, late])
  }

  @Test func `A process stays until its answers are sent`() throws {
    let id = try exchange.publish(ProgressNode("one"))
    let link = exchange.connect()
    exchange.frame()
    exchange.request(.ask(.pause, id, node: nil), link)
    exchange.frame()
    exchange.request(.ask(.resume, id, node: nil), link)
    exchange.unpublish(id, .finished)
    exchange.frame()
    exchange.frame()
    let isOverThen = exchange.publisher.isOver
    #expect(isOverThen && link.answers.count == 2)
  }

  @Test(arguments: [
    "", "2", "2;a", "1;a;/b", "2;a;b", "3;a;/b", "x;a;/b", ";;/",
  ])
  func `A variable of another form is none`(_ text: String) {
    #expect(ParentShare(text) == nil)
  }

  @Test func `A variable names the share and the socket`() {
    let share = ParentShare("2;token.3;/run/a;b/1.sock")
    #expect(share?.token == "token.3" && share?.path == "/run/a;b/1.sock")
  }

  @Test func `What is told moves a node`() {
    let node = ProgressNode("task")
    let share = OpenShare(node)
    var told = Told()
    told.percent = 30
    share.note(told)
    #expect(node.total == 100 && node.completed == 30)
    told = Told()
    (told.total, told.percent) = (.max, 100)
    share.note(told)
    #expect(node.completed == .max)
    told = Told()
    (told.completed, told.total, told.added, told.label, told.detail) = (4, 8, 2, "name", "words")
    share.note(told)
    #expect(node.completed == 6 && node.total == 8)
    #expect(node.label == "name" && node.detail == "words")
    told = Told()
    (told.added, told.detail) = (.min, "")
    share.note(told)
    #expect(node.completed == 0 && node.detail == nil)
    told.isFinished = true
    share.note(told)
    #expect(node.isFinished)
  }

  @Test func `A task keeps its name, and shows a label before the message`() {
    let node = ProgressNode("task")
    let share = OpenShare(node, isTask: true)
    /// Tells something, and returns what the node shows then.
    func words(label: String? = nil, _ detail: String? = nil) -> String? {
      var told = Told()
      (told.label, told.detail, told.completed) = (label, detail, 1)
      share.note(told)
      return node.detail
    }
    #expect(words(label: "Copying") == "Copying")
    #expect(words("photo 1") == "Copying: photo 1")
    #expect(words() == "Copying: photo 1")
    #expect(words(label: "Checking") == "Checking: photo 1")
    #expect(words("") == "Checking")
    #expect(words(label: "", "end") == "end")
    #expect(words("") == nil)
    #expect(node.label == "task" && node.completed == 1)
  }

  @Test func `The first label of a task does not hide what its run has said`() {
    let node = ProgressNode("task")
    node.detail = "attempt 2"
    let share = OpenShare(node, isTask: true)
    var told = Told()
    told.label = "Copying"
    share.note(told)
    #expect(node.detail == "Copying: attempt 2")
    told.detail = "photo 1"
    share.note(told)
    #expect(node.detail == "Copying: photo 1")
  }

  @Test func `A secret that label and message make together is hidden`() {
    let node = ProgressNode("task")
    let share = OpenShare(
      node, masked: { text, _ in text.replacing("user: word", with: "***") }, isTask: true)
    var told = Told()
    (told.label, told.detail) = ("user", "word")
    share.note(told)
    #expect(node.detail == "***")
  }

  @Test func `The first program stands for all of a share without a total`() {
    let open = OpenShare(ProgressNode("task"))
    let (first, second) = (open.makeRoot(), open.makeRoot())
    first.finish()
    #expect(open.node.total == 1 && open.node.completed == 1)
    second.finish()
    #expect(open.node.completed == 1)
    let counted = OpenShare(ProgressNode("task", total: 10))
    counted.makeRoot().finish()
    #expect(counted.node.completed == 0)
  }

  /// A program that reports for a share.
  private func watched(_ share: OpenShare) -> Watched {
    Watched(
      PublicationInfo(id: PublicationID("7.1"), kind: ""), in: share.makeRoot(), program: "test",
      pid: 7, isOld: false, client: 1, connection: 1)
  }

  @Test func `The first program stands for all of a task until it ends and the task goes on`() {
    let share = OpenShare(ProgressNode("task"), isTask: true)
    let first = watched(share)
    #expect(share.node.total == 1)
    let meanwhile = watched(share)
    share.end(meanwhile, .finished)
    #expect(share.node.total == 1 && share.node.completed == 0)
    share.end(first, .finished)
    #expect(first.mirror.root.isFinished)
    #expect(share.node.isIndeterminate && share.node.completed == 0)
    // Nor does a later one stand for all of it.
    share.end(watched(share), .died)
    #expect(share.node.isIndeterminate && share.node.completed == 0)
    // The script knows.
    var told = Told()
    told.percent = 40
    share.note(told)
    #expect(share.node.total == 100 && share.node.completed == 40)
  }

  @Test func `A program that ends because its task has ended completes it`() {
    let share = OpenShare(ProgressNode("task"), isTask: true)
    let program = watched(share)
    share.end(program, .unwatched)
    #expect(share.node.total == 1 && share.node.completed == 1)
  }

  @Test func `A script that counts itself keeps its counts when a program ends`() {
    let share = OpenShare(ProgressNode("task"), isTask: true)
    let program = watched(share)
    var told = Told()
    (told.completed, told.total) = (3, 10)
    share.note(told)
    share.end(program, .finished)
    #expect(share.node.total == 10 && share.node.completed == 3)
  }
}
