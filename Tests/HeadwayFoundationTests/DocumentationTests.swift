import DocumentedPages
import Foundation
import HeadwayFoundation
import HeadwayProgress
import Testing

/// The examples of the documentation.
///
/// Lines that begin with `#expect` may be inserted in an example; the last test compares the rest.
struct DocumentationTests {
  @Test func `A snapshot gives two lines`() {
    let node = ProgressNode(total: 6)
    node.complete(3)
    let english = Locale(identifier: "en_US")
    let chinese = Locale(identifier: "zh_Hans_CN")
    let first = node.snapshot().localizedDescription(locale: english)  // 50% completed
    #expect(first == "50% completed")
    let second = node.snapshot().localizedAdditionalDescription(locale: english)  // 3 of 6
    #expect(second == "3 of 6")
    let third = node.snapshot().localizedDescription(locale: chinese)  // 已完成 50%
    #expect(third == "已完成 50%")
  }

  @Test func `The percentage never goes back`() {
    let english = Locale(identifier: "en_US")

    let node = ProgressNode(total: 4)
    node.complete(3)
    let before = node.snapshot().localizedDescription(locale: english)  // 75% completed
    #expect(before == "75% completed")
    node.total = 6
    let after = node.snapshot().localizedDescription(locale: english)  // 75% completed
    #expect(after == "75% completed")
    let counts = node.snapshot().localizedAdditionalDescription(locale: english)  // 3 of 6
    #expect(counts == "3 of 6")
  }

  @Test func `A node mirrors a progress`() throws {
    let node = ProgressNode("Release", total: 3)
    let download = Progress.discreteProgress(totalUnitCount: 100)
    try node.add(download, units: 2)
    download.completedUnitCount = 50
    let fraction = node.fraction  // 0.3333333333333333
    #expect(abs(fraction - 1.0 / 3) < 1e-12)
  }

  @Test func `A progress reads its node`() {
    let node = ProgressNode(total: 4)
    let progress = node.makeFoundationProgress()
    node.complete(3)
    let completed = progress.completedUnitCount  // 3
    #expect(completed == 3)
    progress.cancel()
    let isCancelled = node.isCancelled  // true
    #expect(isCancelled)
  }

  @Test func `Loops and file operations report progress`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data([1, 2, 3]).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var checked: [String] = []
    func check(_ name: String) { checked.append(name) }

    let node = ProgressNode("Checking", total: 2)
    node.withCurrent(units: 1) {
      for name in ["a", "b", "c"].reportingToCurrent() { check(name) }
    }
    #expect(checked == ["a", "b", "c"])
    let report = try node.withCurrent(units: 1) { try FileProgress.contents(of: file) }
    #expect(report == Data([1, 2, 3]))
    #expect(node.completed == 2)
  }

  @Test func `Loops have checkpoints`() async throws {
    let names = ["a", "b"]
    let stream = AsyncStream<String> { continuation in
      for name in names { continuation.yield(name) }
      continuation.finish()
    }
    let node = ProgressNode("Checking")
    var checked: [String] = []
    func check(_ name: String) { checked.append(name) }

    for name in names.reporting(to: node, addingTotal: true) {
      try node.blockingCheckpoint()
      check(name)
    }
    for try await name in stream.reporting(to: node) { check(name) }
    #expect(checked == ["a", "b", "a", "b"])
    #expect(node.completed == 4)
    node.cancel()
    #expect(throws: CancellationError.self) {
      for name in names.reporting(to: node) {
        try node.blockingCheckpoint()
        check(name)
      }
    }
  }

  @Test func `New code calls old code`() {
    func unpack(_ legacy: () -> Void) {
      let part = ProgressNode.joinCurrent("Unpacking", total: 1)
      let bridge = part.makeFoundationProgress(on: nil)
      bridge.becomeCurrent(withPendingUnitCount: 1)
      legacy()
      bridge.resignCurrent()
    }
    let node = ProgressNode(total: 4)
    var half = 0.0
    var isCancelled = false
    node.withCurrent(units: 2) {
      unpack {
        let progress = Progress(totalUnitCount: 10)
        progress.completedUnitCount = 5
        half = node.fraction
        node.cancel()
        isCancelled = progress.isCancelled
      }
    }
    #expect(half == 0.25)
    #expect(isCancelled)
    #expect(node.completed == 2)
  }

  @Test func `Old code calls new code`() {
    func check(_ modern: () -> Void) {
      let joined = Progress(totalUnitCount: 1)
      let node = ProgressNode("Checking", total: 1)
      let bridge = node.makeFoundationProgress(on: nil)
      joined.addChild(bridge, withPendingUnitCount: 1)
      node.withCurrent(units: 1) { modern() }
      node.finish()
      bridge.updateFromNode()
    }
    let progress = Progress.discreteProgress(totalUnitCount: 4)
    var joined: ProgressNode?
    progress.becomeCurrent(withPendingUnitCount: 2)
    check {
      joined = ProgressNode.joinCurrent(total: 10)
      joined?.complete(5)
      #expect(progress.completedUnitCount == 0)
    }
    progress.resignCurrent()
    #expect(joined?.completed == 5)
    #expect(progress.completedUnitCount == 2)
  }

  @Test func `Current progress of one kind is not seen by the other`() {
    let progress = Progress.discreteProgress(totalUnitCount: 4)
    progress.becomeCurrent(withPendingUnitCount: 2)
    ProgressNode.joinCurrent(total: 2).complete(1)
    #expect(progress.fractionCompleted == 0)
    progress.resignCurrent()
    #expect(ProgressNode.current == nil)
    let node = ProgressNode(total: 4)
    node.withCurrent(units: 2) {
      let progress = Progress(totalUnitCount: 2)
      progress.completedUnitCount = 1
      #expect(node.fraction == 0)
    }
  }

  @Test func `A progress is added to the node that has joined`() throws {
    func fetch(_ download: Progress) throws -> ProgressNode {
      let part = ProgressNode.joinCurrent("Fetching", total: 1)
      try part.add(download, units: 1)  // not: ProgressNode.current?.add(download, units: 1)
      return part
    }
    let node = ProgressNode(total: 4)
    let download = Progress.discreteProgress(totalUnitCount: 10)
    let part = try node.withCurrent(units: 2) { try fetch(download) }
    download.completedUnitCount = 5
    #expect(node.fraction == 0.25)
    #expect(part.fraction == 0.5)
    let other = ProgressNode(total: 4)
    try other.withCurrent(units: 2) { _ = try ProgressNode.current?.add(download, units: 2) }
    #expect(other.fraction == 0.75)
  }

  @Test func `Threads synchronize access to a progress`() {
    let lock = NSLock()
    let download = Progress.discreteProgress(totalUnitCount: 100)
    let node = ProgressNode(mirroring: download, access: { body in lock.withLock(body) })
    lock.withLock { download.completedUnitCount = 50 }
    let fraction = node.fraction  // 0.5
    #expect(fraction == 0.5)
  }

  @Test(arguments: ["HeadwayFoundation", "MixingNodesAndFoundation"])
  func `Every example of a page is run by these tests`(page: String) throws {
    let pages = DocumentedPages(of: "HeadwayFoundation")
    #expect(try pages.examplesNotRun(of: page, in: "DocumentationTests") == [])
  }
}
