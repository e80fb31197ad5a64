import HeadwayRun
import ProcessFixtures
import Testing

@testable import HeadwayState

/// How a history stays small.
struct LimitTests {
  @Test func `Of each plan the newest runs are kept, and what only older ones knew is gone`() throws
  {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    for run in 1...60 {
      store.store("p", began: Int64(run), [.of("always"), .of("only \(run)")])
    }
    store.store("q", [.of("always")])
    let history = store.history(of: "p", limit: .max)
    #expect(history.runs.map(\.began) == Array((11...60).reversed()))
    #expect(
      store.list().plans == [
        .init(name: "p", runs: 50, tasks: 51, records: 100, last: 60),
        .init(name: "q", runs: 1, tasks: 1, records: 1, last: 1),
      ])
    #expect(try folder.integrity() == "ok")
  }

  @Test func `A file beyond its size forgets the oldest runs and shrinks`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.bytes = 256 << 10
    let store = HistoryStore(path: folder.history, limits: limits)
    for run in 1...40 {
      store.store(
        "plan \(run % 3)", began: Int64(run),
        (0..<300).map { .of("task \(run) \($0)", fingerprint: UInt64(run * 1000 + $0)) })
      #expect(store.list().bytes <= limits.bytes + 64 << 10)
    }
    let kept = store.list().plans
    #expect(kept.map(\.last).max() == 40)
    #expect(kept.reduce(0) { $0 + $1.runs } >= 3)
    #expect(store.warnings == [])
    #expect(try folder.integrity() == "ok")
  }

  @Test func `A history gives back the space of runs that it has forgotten`() {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.runs = 1
    let store = HistoryStore(path: folder.history, limits: limits)
    store.store("p", (0..<3_000).map { .of("task \($0)", fingerprint: UInt64($0)) })
    let before = store.list().bytes
    store.store("p", [.of("a")])
    #expect(store.list().plans.map(\.records) == [1])
    let after = store.list().bytes
    #expect(after < before / 2, "\(before) bytes became \(after)")
  }

  @Test(arguments: ["p", nil])
  func `A history that is cleared gives its space back`(plan: String?) {
    let folder = Folder()
    let store = HistoryStore(path: folder.history)
    for run in 1...3 {
      store.store("p", (0..<1_000).map { .of("task \(run) \($0)", fingerprint: UInt64($0)) })
    }
    let before = folder.size
    #expect(plan.map { store.clear(plan: $0) } ?? store.clear())
    #expect(folder.size < before / 2, "\(before) bytes became \(folder.size)")
  }

  @Test func `A run that is too large by itself is kept until the next one`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.bytes = 256 << 10
    let store = HistoryStore(path: folder.history, limits: limits)
    store.store("small", [.of("a")])
    let many = (0..<10_000).map { TestRecord.of("task \($0)", fingerprint: UInt64($0)) }
    #expect(store.store("large", many))
    #expect(store.warnings == [])
    #expect(store.list().plans.map(\.name) == ["large"])
    #expect(store.list().plans[0].records == many.count)
    #expect(store.list().bytes > limits.bytes)

    store.store("next", [.of("b")])
    #expect(store.list().plans.map(\.name) == ["next"])
    #expect(store.list().bytes <= limits.bytes + 64 << 10)
  }

  @Test func `The disk is full: what was committed stays, and one line says so`() throws {
    let folder = Folder()
    var limits = HistoryLimits()
    limits.pages = 40
    let store = HistoryStore(path: folder.history, limits: limits)
    var kept: [String] = []
    while kept.count < 100,
      store.store("p", (0..<20).map { .of("task \(kept.count) \($0)", fingerprint: 1) })
    {
      kept.append("task \(kept.count) 0")
    }
    #expect(store.warnings.count == 1)
    #expect(store.warnings.first?.contains("no space left for") == true)
    #expect((1..<100).contains(kept.count))
    for reader in [store, HistoryStore(path: folder.history)] {
      let runs = reader.history(of: "p", limit: .max).runs
      #expect(runs.count == kept.count && runs.allSatisfy { $0.records.count == 20 })
    }
    #expect(try folder.integrity() == "ok")
  }
}
