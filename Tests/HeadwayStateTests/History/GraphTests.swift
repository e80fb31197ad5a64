import HeadwayCollections
import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// Graphs as they are encoded, stored and read again.
struct GraphTests {
  /// A graph with unusual names, kinds and edges.
  private static let odd = TestGraph(
    [
      TaskIdentity(name: "src/ä.o", kind: "cc", fingerprint: .max),
      TaskIdentity(name: "src/ö.o", kind: "", fingerprint: 0),
      TaskIdentity(name: "", kind: "cc", fingerprint: 1 << 63),
      TaskIdentity(name: "link\u{0}\n", kind: "ld", fingerprint: 300),
    ],
    TaskGraph(
      taskCount: 4,
      edges: [.init(before: 0, after: 3), .init(before: 2, after: 0), .init(before: 1, after: 3)]))

  @Test func `A graph is decoded as it was encoded`() throws {
    let packed = try #require(PackedGraph(Self.odd))
    #expect(packed.graph == Self.odd)
    #expect(PackedGraph(bytes: packed.bytes, digest: packed.digest) == packed)
  }

  @Test func `Graphs of any shape come back`() throws {
    var numbers = SplitMix64(seed: 7)
    for size in 1...60 {
      let tasks = (0..<size).map { place in
        TaskIdentity(
          name: String(repeating: "x", count: numbers.below(300)) + "\(place)",
          kind: "k\(numbers.below(5))", fingerprint: numbers.next())
      }
      let edges = (0..<numbers.below(200)).map { _ in
        TaskGraph.Edge(before: numbers.below(size), after: numbers.below(size))
      }
      let graph = TestGraph(tasks, TaskGraph(taskCount: size, edges: edges))
      #expect(try #require(PackedGraph(graph)).graph == graph)
    }
  }

  @Test func `Malformed bytes are not a graph and do not trap`() throws {
    let packed = try #require(PackedGraph(Self.odd))
    var numbers = SplitMix64(seed: 11)
    for place in packed.bytes.indices {
      var bytes = packed.bytes
      bytes[place] ^= UInt8(1 + numbers.below(255))
      #expect(PackedGraph(bytes: bytes, digest: packed.digest) == nil)
      // Even if the digest fits, as in a forged file.
      let made = PackedGraph(bytes: bytes, digest: fingerprint(of: bytes))
      if let graph = made?.graph { #expect(graph.graph.count == graph.tasks.count) }
      let cut = Array(packed.bytes[..<place])
      #expect(PackedGraph(bytes: cut, digest: fingerprint(of: cut))?.graph == nil)
    }
    for _ in 0..<2000 {
      let noise = [1] + (0..<numbers.below(60)).map { _ in UInt8(numbers.below(256)) }
      let made = PackedGraph(bytes: noise, digest: fingerprint(of: noise))
      if let graph = made?.graph { #expect(graph.graph.count == graph.tasks.count) }
    }
  }

  @Test func `A graph in the encoding of a later version is not read`() throws {
    var bytes = try #require(PackedGraph(Self.odd)).bytes
    bytes[0] += 1
    let later = try #require(PackedGraph(bytes: bytes, digest: fingerprint(of: bytes)))
    #expect(later.graph == nil)
  }

  @Test func `A graph of 100,000 tasks of a usual plan has room`() throws {
    let tasks = (0..<100_000).map { index in
      TaskIdentity(
        name: "compile sources/module\(index / 100)/part\(index % 100).o", kind: "cc",
        fingerprint: UInt64(index) &* 0x9e37_79b9_7f4a_7c15)
    }
    let edges = (1..<100_000).flatMap { index in
      [
        TaskGraph.Edge(before: index - 1, after: index),
        TaskGraph.Edge(before: index / 2, after: index),
      ]
    }
    let graph = TestGraph(tasks, TaskGraph(taskCount: tasks.count, edges: edges))
    let packed = try #require(PackedGraph(graph, limit: HistoryLimits().graphBytes))
    #expect(packed.bytes.count < 3 << 20)
    #expect(packed.graph == graph)
  }

  @Test func `A run is found by its name, with its graph and tasks`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("p", name: "one", began: 1, graph: .chain(["a", "b"]), [.of("b")])
    store.store("q", name: "two", began: 2, [.of("c")])
    store.store("p", name: "three", began: 3, graph: .chain(["a"]), [.of("a")])
    let one = try #require(store.run(named: "one"))
    #expect(one.plan == "p")
    #expect(one.began == 1)
    #expect(TestGraph(one) == .chain(["a", "b"]))
    #expect(one.records.map(\.index) == [1])
    let two = try #require(store.run(named: "two"))
    #expect(TestGraph(two) == nil)
    #expect(two.tasks.map(\.name) == ["c"] && two.records.map(\.index) == [0])
    #expect(store.run(named: nil)?.name == "three")
    #expect(store.run(named: "latest")?.name == "three")
    #expect(store.run(named: "four") == nil)
    #expect(store.runs(limit: 2).map(\.name) == ["three", "two"])
    #expect(store.runs(limit: 9).map(\.plan) == ["p", "q", "p"])
    #expect(store.runs(limit: 0).isEmpty)
    #expect(HistoryStore(path: "\(folder.path)/none", creates: false).run(named: nil) == nil)
  }

  @Test func `Runs of one graph share it, and it is deleted with the last of them`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let shapes = [TestGraph.chain(["a", "b"]), .chain(["a", "b", "c"])]
    for run in 0..<60 {
      store.store("p", name: "\(run)", graph: shapes[run < 20 ? 0 : 1], [.of("a")])
      #expect(try folder.graphs() == (run < 20 ? 1 : 2))
    }
    for run in 60..<70 { store.store("p", name: "\(run)", graph: shapes[1], [.of("a")]) }
    #expect(try folder.graphs() == 1)
    #expect(TestGraph(store.run(named: "69")) == shapes[1])
    store.store("q", name: "other", graph: shapes[0], [.of("a")])
    #expect(store.clear(plan: "p"))
    #expect(try folder.graphs() == 1)
    #expect(TestGraph(store.run(named: nil)) == shapes[0])
    #expect(store.clear())
    #expect(try folder.graphs() == 0)
  }

  @Test func `A graph that takes more than an eighth of the file is not kept`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.bytes = 256 << 10
    let store = HistoryStore(path: folder.history, limits: limits)
    let large = TestGraph.chain((0..<3000).map { "a rather long name of a task, number \($0)" })
    store.store("p", graph: large, [.of("a")])
    let run = try #require(store.run(named: nil))
    #expect(TestGraph(run) == nil)
    #expect(run.records.count == 1)
    #expect(store.warnings == [])
    #expect(try folder.graphs() == 0)
  }

  @Test(
    arguments: [
      "UPDATE graph SET bytes = x'00'", "UPDATE graph SET bytes = x''",
      "UPDATE graph SET digest = digest + 1", "DELETE FROM graph",
      "UPDATE sample SET place = 7", "UPDATE sample SET place = 2",
      "UPDATE sample SET place = -1",
    ] as [StaticString])
  func `An invalid graph is ignored, and the rest of the run is read`(
    damage: StaticString
  ) throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.store("p", name: "one", graph: .chain(["a", "b"]), [.of("a")])
    try folder.makeDatabase(damage)
    let run = try #require(store.run(named: "one"))
    #expect(TestGraph(run) == nil)
    #expect(run.records.count == 1)
    #expect(store.warnings == [])
    // The next run stores it again.
    store.store("p", name: "two", graph: .chain(["a", "b"]), [.of("a")])
    #expect(TestGraph(store.run(named: "two")) == .chain(["a", "b"]))
  }

  @Test func `A graph that a lock has kept out is stored later`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).store("p", [.of("a")])
    let other = try Database(path: folder.history, access: .creating)
    try other.run("BEGIN IMMEDIATE")
    let store = HistoryStore(path: folder.history)
    #expect(!store.store("p", name: "late", graph: .chain(["a", "b"]), [.of("a")]))
    try other.run("COMMIT")
    #expect(store.store("p", name: "late", graph: .chain(["a", "b"]), [.of("a")]))
    #expect(TestGraph(store.run(named: "late")) == .chain(["a", "b"]))
  }
}

extension SplitMix64 {
  /// The next number below a bound.
  fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}

extension PackedGraph {
  fileprivate init?(_ graph: TestGraph, limit: Int = .max) {
    self.init(graph.tasks, graph.graph, limit: limit)
  }

  fileprivate var graph: TestGraph? { unpacked.map { TestGraph($0.tasks, $0.graph) } }
}
