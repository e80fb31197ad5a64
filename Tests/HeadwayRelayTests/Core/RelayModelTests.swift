import HeadwayCollections
import HeadwayProgress
import ProgressFixtures
import Repetitions
import Testing

@testable import HeadwayRelay

/// Publishers and watchers at random: whatever the order of changes, partial writes and stalls, each watcher folds what the
/// publisher has copied, and in the end what is there.
struct RelayModelTests {
  private static let seeds = 0..<UInt64(repetitions(20, real: 100, underSanitizer: 10))

  /// One run.
  private struct Run {
    let exchange = Exchange()
    var random: SplitMix64
    var trees: [PublicationID: RandomTree] = [:]
    var links: [Exchange.Link] = []

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// The publications in their order, so that each run with a seed is the same.
    var ids: [PublicationID] {
      trees.keys.sorted { ($0.text.count, $0.text) < ($1.text.count, $1.text) }
    }

    mutating func step() throws {
      links.removeAll { $0.isClosed }
      switch Int.random(in: 0..<20, using: &random) {
      case 0 where trees.count < 4:
        let tree = RandomTree(seed: random.next())
        let kind = Bool.random(using: &random) ? "work" : "run"
        trees[try exchange.publish(tree.root, kind: kind)] = tree
      case 1 where links.count < 4:
        // Some cannot take a whole line at a time.
        links.append(exchange.connect(capacity: Int.random(in: 1...2_000, using: &random)))
      case 2:
        if let link = links.randomElement(using: &random) { subscribe(link) }
      case 3: askForSomething()
      case 4: endSomething()
      case 5...9: exchange.advance(by: .milliseconds(Int.random(in: 0...40, using: &random)))
      case 10...13:
        if let link = links.randomElement(using: &random) {
          exchange.deliver(link, Int.random(in: 1...3_000, using: &random))
        }
      default: changeSomething()
      }
    }

    private mutating func subscribe(_ link: Exchange.Link) {
      let milliseconds = Bool.random(using: &random) ? 0 : 50
      let interest = Interest(
        kind: Int.random(in: 0..<3, using: &random) == 0 ? "run" : nil,
        hasTrees: Int.random(in: 0..<4, using: &random) > 0,
        interval: .milliseconds(milliseconds))
      // A second subscription is refused, and changes nothing.
      exchange.request(.subscribe(interest), link)
      if Int.random(in: 0..<4, using: &random) == 0 { exchange.request(.unsubscribe, link) }
    }

    private mutating func askForSomething() {
      guard let link = links.randomElement(using: &random),
        let id = ids.randomElement(using: &random)
      else { return }
      let request: ProgressMirror.Request = Bool.random(using: &random) ? .pause : .resume
      exchange.request(.ask(request, id, node: nil), link)
    }

    private mutating func endSomething() {
      guard Int.random(in: 0..<4, using: &random) == 0 else { return }
      if Bool.random(using: &random), let id = ids.randomElement(using: &random) {
        if Bool.random(using: &random) { trees[id]?.root.finish() }
        let isFinished = trees[id]?.root.isFinished ?? false
        trees[id] = nil
        exchange.unpublish(id, isFinished ? .finished : .unpublished)
      } else if let index = links.indices.randomElement(using: &random) {
        exchange.disconnect(links.remove(at: index))
      }
    }

    private mutating func changeSomething() {
      guard let id = ids.randomElement(using: &random) else { return }
      for _ in 0..<Int.random(in: 1...5, using: &random) { trees[id]?.step() }
      exchange.touch(id)
    }

    /// Lets everything arrive.
    mutating func rest() {
      for link in links { link.capacity = .max }
      for _ in 0..<100 {
        exchange.deliverAll()
        exchange.advance(by: .milliseconds(100))
      }
      links.removeAll { $0.isClosed }
    }
  }

  @Test(arguments: seeds)
  func `What a watcher has folded is what the publisher has`(seed: UInt64) throws {
    var run = Run(seed: seed)
    for _ in 0..<300 { try run.step() }
    run.rest()
    let exchange = run.exchange
    for link in run.links {
      #expect(link.error == nil && link.unsent == 0 && link.arriving.isEmpty)
      for (early, late) in zip(link.frames, link.frames.dropFirst()) {
        #expect(late - early >= RelayLimits.frameInterval)
      }
      let watches = exchange.watchers[link.peer]?.watches ?? [:]
      let interest = exchange.watchers[link.peer]?.interest
      let wanted = exchange.publications.values.filter {
        interest?.includes($0.info) ?? false
      }
      #expect(Set(watches.keys) == Set(wanted.map(\.info.id)))
      for id in watches.keys where interest?.hasTrees ?? false {
        let seen = link.mirrors[id]?.root.snapshot()
        #expect(seen != nil && seen == run.trees[id]?.root.snapshot(), "\(id)")
      }
    }
    // Those that have ended are forgotten.
    #expect(Set(exchange.publications.keys) == Set(run.trees.keys))
    // Now there is nothing to do, and nothing is done.
    #expect(exchange.nextDeadline == nil)
    let wakes = exchange.wakes
    exchange.advance(by: .seconds(3_600))
    #expect(exchange.wakes == wakes)
  }
}
