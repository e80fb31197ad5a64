#if os(Linux)
  import Glibc
  import HeadwayCollections
  import HeadwayProgress
  import ProcessFixtures
  import ProgressFixtures
  import Repetitions
  import Testing

  @testable import HeadwayRelay

  /// Trees that change at random, published and watched over a real socket.
  @Suite(.serialized)
  struct RealTreeTests {
    /// The number of trees, in groups that are watched at the same time.
    private static let groups = repetitions(3, real: 10, underSanitizer: 2)
    private static let groupSize = 20

    // In a process of its own, because the environment of a process is one for all of its threads.
    @Test(arguments: 0..<groups)
    func `A watcher has the publisher's tree once it rests`(group: Int) async {
      let first = UInt64(group * Self.groupSize)
      let last = first + UInt64(Self.groupSize)
      await #expect(processExitsWith: .success) {
        [first = first as UInt64, last = last as UInt64] in
        let folder = Folder()
        unsafe setenv("XDG_RUNTIME_DIR", folder.path, 1)
        unsafe unsetenv("HEADWAY_PROGRESS")
        await followTrees(first..<last)
      }
    }
  }

  /// The watched publications by their names, as they are found.
  private actor Found {
    private var works: [String: WatchedPublication] = [:]

    func add(_ work: WatchedPublication) { works[work.name ?? ""] = work }

    func work(_ name: String) -> WatchedPublication? { works[name] }
  }

  /// Waits until a work has the state of a tree.
  private func rests(_ work: WatchedPublication, as tree: ProgressNode) -> Bool {
    eventually { work.node.snapshot() == tree.snapshot() }
  }

  /// Publishes and watches trees, one for each seed.
  private func followTrees(_ seeds: Range<UInt64>) async {
    var trees = seeds.map { RandomTree(seed: $0) }
    var random = SplitMix64(seed: seeds.lowerBound)
    // Some are seen from the beginning, and some as they were when the subscription began.
    var published = Set(trees.indices.filter { _ in Bool.random(using: &random) })
    func publish(_ index: Int) {
      trees[index].root.publish(kind: "random", name: "\(index)") { print("problem: \($0)") }
    }
    for index in published { publish(index) }
    let found = Found()
    let watching = Task {
      for await work in Subscription(.kind("random"), onProblem: { print("problem: \($0)") }) {
        await found.add(work)
      }
    }
    for step in 0..<(trees.count * 200) {
      let index = Int.random(in: trees.indices, using: &random)
      trees[index].step()
      if !published.contains(index), Bool.random(using: &random) {
        publish(index)
        published.insert(index)
      }
      // So that the changes come in many frames.
      if step % 20 == 0 { pauseAtRandom(upTo: .milliseconds(4), using: &random) }
    }
    for index in trees.indices where !published.contains(index) { publish(index) }
    for (index, tree) in trees.enumerated() {
      var work = await found.work("\(index)")
      while work == nil {
        await Task.yield()
        work = await found.work("\(index)")
      }
      guard let work else { return }
      #expect(rests(work, as: tree.root), "seed \(seeds.lowerBound + UInt64(index))")
      #expect(work.node.snapshot() == tree.root.snapshot())
      #expect(work.end == nil)
      tree.root.finish()
      #expect(await work.ended() == .finished)
      #expect(work.node.snapshot().completed == tree.root.snapshot().completed)
    }
    watching.cancel()
  }
#endif
