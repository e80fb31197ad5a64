import HeadwayProgress
import Testing

/// Shares of the units of a node.
struct ProgressShareTests {
  @discardableResult
  private func work(_ share: consuming ProgressShare) async -> ProgressNode {
    let node = share.start("work", total: 2)
    await Task.yield()
    node.complete(1)
    return node
  }

  /// Drops a share.
  private func forget(_ share: consuming ProgressShare) {}

  /// Uses a share or drops it.
  private func use(_ share: consuming ProgressShare, really: Bool) {
    if really { share.start(total: 1).complete(1) }
  }

  private func fail(_ share: consuming ProgressShare) throws { throw CancellationError() }

  @Test func `A share is passed to an asynchronous function`() async {
    let node = ProgressNode(total: 6)
    let child = await work(node.share(of: 3))
    #expect(node.fraction == 0.25)
    child.finish()
    #expect(node.completed == 3)
  }

  @Test func `A share is passed to a child task`() async {
    let node = ProgressNode(total: 6)
    async let first = work(node.share(of: 3))
    async let second = work(node.share(of: 3))
    let children = await [first, second]
    #expect(node.fraction == 0.5)
    for child in children { child.finish() }
    #expect(node.completed == 6)
  }

  @Test func `A share is started before an escaping closure`() async {
    let node = ProgressNode(total: 6)
    let child = node.share(of: 3).start(total: 2)
    let task = Task { child.complete(1) }
    await task.value
    #expect(node.fraction == 0.25)
  }

  @Test func `A share that is dropped unused completes its units`() {
    let node = ProgressNode(total: 6)
    forget(node.share(of: 3))
    #expect(node.completed == 3)
    _ = node.share(of: 1)
    #expect(node.completed == 4)
  }

  @Test func `A share completes its units when its function throws before the start`() {
    let node = ProgressNode(total: 6)
    #expect(throws: CancellationError.self) { try fail(node.share(of: 2)) }
    #expect(node.completed == 2)
  }

  @Test(arguments: [false, true])
  func `A share completes its units once on each path through a function`(really: Bool) {
    let node = ProgressNode(total: 6)
    use(node.share(of: 2), really: really)
    #expect(node.completed == 2)
  }

  @Test func `A share can be finished without a child`() {
    let node = ProgressNode(total: 6)
    let share = node.share(of: 2)
    let units = share.units
    #expect(units == 2)
    #expect(node.completed == 0)
    share.finish()
    #expect(node.completed == 2)
  }

  @Test func `A share with negative units has none`() {
    let node = ProgressNode(total: 6)
    let share = node.share(of: -2)
    let units = share.units
    #expect(units == 0)
    share.finish()
    #expect(node.completed == 0)
  }

  @Test func `A share retains its node until it is consumed`() {
    weak var seen: ProgressNode?
    var node: ProgressNode? = ProgressNode(total: 6)
    seen = node
    var share = node?.share(of: 6)
    node = nil
    #expect(seen != nil)
    if let last = share.take() { last.finish() }
    #expect(seen == nil)
  }

  @Test func `A child that is dropped has finished`() {
    let node = ProgressNode(total: 2)
    var child: ProgressNode? = node.share(of: 1).start(total: 10)
    child?.complete(3)
    #expect(node.completed == 0)
    child = nil
    #expect(child == nil)
    #expect(node.completed == 1)
  }

  @Test func `A child can get its total later`() {
    let node = ProgressNode(total: 2)
    let child = node.share(of: 1).start()
    child.complete(3)
    #expect(child.isIndeterminate)
    #expect(node.fraction == 0)
    child.total = 6
    #expect(!child.isIndeterminate)
    #expect(node.fraction == 0.25)
  }

  @Test func `A child works like one of a share`() {
    let node = ProgressNode(total: 2)
    let child = node.child("by hand", units: 1, total: 4)
    child.complete(2)
    #expect(node.fraction == 0.25)
    #expect(node.snapshot().children.map(\.label) == ["by hand"])
  }
}
