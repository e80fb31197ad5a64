import Testing

@testable import HeadwayStore

/// What waits for what, as it is packed, kept and read again.
struct GraphTests {
  /// A graph with all that is odd.
  private static let odd = GraphRecord(
    tasks: [
      TaskIdentity(name: "src/ä.o", kind: "cc", fingerprint: .max),
      TaskIdentity(name: "src/ö.o", kind: "", fingerprint: 0),
      TaskIdentity(name: "", kind: "cc", fingerprint: 1 << 63),
      TaskIdentity(name: "link\u{0}\n", kind: "ld", fingerprint: 300),
    ],
    needs: [.init(task: 3, before: 0), .init(task: 0, before: 2), .init(task: 3, before: 1)])

  @Test func `A graph is read as it was packed, in the order of its needs`() throws {
    let packed = try #require(PackedGraph(Self.odd, most: .max))
    #expect(packed.graph == Self.odd)
    #expect(PackedGraph(bytes: packed.bytes, digest: packed.digest) == packed)
  }

  @Test func `Graphs of any shape come back`() throws {
    var numbers = Numbers(seed: 7)
    for size in 1...60 {
      let tasks = (0..<size).map { place in
        TaskIdentity(
          name: String(repeating: "x", count: numbers.below(300)) + "\(place)",
          kind: "k\(numbers.below(5))", fingerprint: numbers.next())
      }
      let needs = (0..<numbers.below(200)).map { _ in
        GraphRecord.Need(task: numbers.below(size), before: numbers.below(size))
      }
      let graph = GraphRecord(tasks: tasks, needs: needs)
      #expect(try #require(PackedGraph(graph, most: .max)).graph == graph)
    }
  }

  @Test func `Bytes that were not written make no graph, and stop nobody`() throws {
    let packed = try #require(PackedGraph(Self.odd, most: .max))
    var numbers = Numbers(seed: 11)
    for place in packed.bytes.indices {
      var bytes = packed.bytes
      bytes[place] ^= UInt8(1 + numbers.below(255))
      #expect(PackedGraph(bytes: bytes, digest: packed.digest) == nil)
      // Nor do they where the digest fits, as that of a file that somebody made up.
      let made = PackedGraph(bytes: bytes, digest: fingerprint(of: bytes))
      if let graph = made?.graph { #expect(graph.needs.allSatisfy { $0.task < graph.tasks.count }) }
      let cut = Array(packed.bytes[..<place])
      #expect(PackedGraph(bytes: cut, digest: fingerprint(of: cut))?.graph == nil)
    }
    for _ in 0..<2000 {
      let noise = [1] + (0..<numbers.below(60)).map { _ in UInt8(numbers.below(256)) }
      let made = PackedGraph(bytes: noise, digest: fingerprint(of: noise))
      if let graph = made?.graph { #expect(graph.needs.allSatisfy { $0.task < graph.tasks.count }) }
    }
  }

  @Test func `Needs of tasks that do not exist are left out`() throws {
    var graph = GraphRecord.chain(["a", "b"])
    graph.needs += [.init(task: 2, before: 0), .init(task: 0, before: -1)]
    let packed = try #require(PackedGraph(graph, most: .max))
    #expect(packed.graph == .chain(["a", "b"]))
  }

  @Test func `A graph of 100,000 tasks of a usual plan has room`() throws {
    let graph = GraphRecord(
      tasks: (0..<100_000).map { place in
        TaskIdentity(
          name: "compile sources/module\(place / 100)/part\(place % 100).o", kind: "cc",
          fingerprint: UInt64(place) &* 0x9e37_79b9_7f4a_7c15)
      },
      needs: (1..<100_000).flatMap { place in
        [.init(task: place, before: place - 1), .init(task: place, before: place / 2)]
      })
    let packed = try #require(PackedGraph(graph, most: HistoryLimits().graphBytes))
    #expect(packed.bytes.count < 3 << 20)
    #expect(packed.graph == graph)
  }

  @Test func `A run is found by its name, with its graph and tasks`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.keep("p", name: "one", began: 1, graph: .chain(["a", "b"]), [.of("b", place: 1)])
    store.keep("q", name: "two", began: 2, [.of("c")])
    store.keep("p", name: "three", began: 3, graph: .chain(["a"]), [.of("a")])
    let one = try #require(store.run(named: "one"))
    #expect(one.plan == "p")
    #expect(one.run.began == 1)
    #expect(one.run.graph == .chain(["a", "b"]))
    #expect(one.tasks.map(\.name) == ["b"])
    #expect(one.run.records.map(\.place) == [1])
    #expect(store.run(named: "two")?.run.graph == nil)
    #expect(store.run(named: nil)?.run.name == "three")
    #expect(store.run(named: "latest")?.run.name == "three")
    #expect(store.run(named: "four") == nil)
    #expect(store.runs(limit: 2).map(\.name) == ["three", "two"])
    #expect(store.runs(limit: 9).map(\.plan) == ["p", "q", "p"])
    #expect(store.runs(limit: 0) == [])
    #expect(HistoryStore(path: "\(folder.path)/none", makes: false).run(named: nil) == nil)
  }

  @Test func `Runs of one graph share it, and it is forgotten with the last of them`() throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    let shapes = [GraphRecord.chain(["a", "b"]), .chain(["a", "b", "c"])]
    for run in 0..<60 {
      store.keep("p", name: "\(run)", graph: shapes[run < 20 ? 0 : 1], [.of("a")])
      #expect(try folder.graphs() == (run < 20 ? 1 : 2))
    }
    for run in 60..<70 { store.keep("p", name: "\(run)", graph: shapes[1], [.of("a")]) }
    #expect(try folder.graphs() == 1)
    #expect(store.run(named: "69")?.run.graph == shapes[1])
    store.keep("q", name: "other", graph: shapes[0], [.of("a")])
    #expect(store.clear(plan: "p"))
    #expect(try folder.graphs() == 1)
    #expect(store.run(named: nil)?.run.graph == shapes[0])
    #expect(store.clear())
    #expect(try folder.graphs() == 0)
  }

  @Test func `A graph that takes more than an eighth of the file is not kept`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.bytes = 256 << 10
    let store = HistoryStore(path: folder.history, limits: limits)
    let large = GraphRecord.chain((0..<3000).map { "a rather long name of a task, number \($0)" })
    store.keep("p", graph: large, [.of("a", place: 2999)])
    let run = try #require(store.run(named: nil))
    #expect(run.run.graph == nil)
    #expect(run.run.records.count == 1)
    #expect(store.remarks == [])
    #expect(try folder.graphs() == 0)
  }

  @Test(
    arguments: [
      "UPDATE graph SET bytes = x'00'", "UPDATE graph SET bytes = x''",
      "UPDATE graph SET digest = digest + 1", "DELETE FROM graph",
      "UPDATE sample SET place = 7", "UPDATE sample SET place = -1",
    ] as [StaticString])
  func `A graph that does not fit is not read, and the rest of the run is`(
    damage: StaticString
  ) throws {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    store.keep("p", name: "one", graph: .chain(["a", "b"]), [.of("a")])
    try folder.makeDatabase(damage)
    let run = try #require(store.run(named: "one"))
    #expect(run.run.graph == nil)
    #expect(run.run.records.count == 1)
    #expect(store.remarks == [])
    // The next run has its own again.
    store.keep("p", name: "two", graph: .chain(["a", "b"]), [.of("a")])
    #expect(store.run(named: "two")?.run.graph == .chain(["a", "b"]))
  }

  @Test func `A graph that waited for a lock is kept`() throws {
    let folder = Folder()
    HistoryStore(path: folder.history).keep("p", [.of("a")])
    let other = try Database(path: folder.history, access: .creating)
    try other.run("BEGIN IMMEDIATE")
    let store = HistoryStore(path: folder.history)
    store.begin(.of("p", name: "late", graph: .chain(["a", "b"])))
    #expect(!store.append([.of("a")]))
    try other.run("COMMIT")
    #expect(store.append([.of("b", place: 1)]))
    #expect(store.run(named: "late")?.run.graph == .chain(["a", "b"]))
  }
}

/// Numbers that are the same in every run of the tests.
private struct Numbers {
  /// What comes next depends on it.
  private var state: UInt64

  /// Begins a row of numbers.
  init(seed: UInt64) { state = seed }

  /// The next number (SplitMix64, by Steele, Lea and Flood).
  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var value = state
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
  }

  /// The next number below another one.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
