import Foundation
import HeadwayProgress
import HeadwayTestSupport
import Testing

@testable import HeadwayFoundation

/// A node that mirrors a Foundation `Progress`.
struct MirrorTests {
  private func progress(_ completed: Int64 = 0, of total: Int64) -> Progress {
    let progress = Progress.discreteProgress(totalUnitCount: total)
    progress.completedUnitCount = completed
    return progress
  }

  @Test func `A node has the counts of the progress at each read`() {
    let progress = progress(2, of: 8)
    let node = ProgressNode(mirroring: progress, label: "fetch")
    #expect(node.snapshot().label == "fetch")
    #expect(node.snapshot().completed == 2)
    #expect(node.snapshot().total == 8)
    progress.completedUnitCount = 6
    progress.totalUnitCount = 12
    #expect(node.fraction == 0.5)
    #expect(node.completed == 6)
  }

  @Test func `An added progress stands for its units`() throws {
    let node = ProgressNode(total: 4)
    let progress = progress(of: 10)
    try node.add(progress, units: 2)
    progress.completedUnitCount = 5
    #expect(node.fraction == 0.25)
    progress.completedUnitCount = 10
    #expect(node.fraction == 0.5)
    #expect(node.completed == 2)
    #expect(node.snapshot().children.isEmpty)
  }

  @Test func `An added progress that is dropped has finished`() throws {
    let node = ProgressNode(total: 4)
    var dropped: Progress? = progress(5, of: 10)
    if let dropped { try node.add(dropped, units: 2) }
    #expect(node.fraction == 0.25)
    dropped = nil
    #expect(node.completed == 2)
  }

  @Test func `Neither side retains the other`() throws {
    weak var gone: ProgressNode?
    let lasting = progress(1, of: 2)
    do {
      let node = ProgressNode(mirroring: lasting)
      gone = node
    }
    #expect(gone == nil)
    weak var goneProgress: Progress?
    let node = ProgressNode(total: 1)
    do {
      let progress = progress(1, of: 2)
      try node.add(progress, units: 1)
      goneProgress = progress
    }
    #expect(goneProgress == nil)
  }

  @Test func `A finished progress releases its node`() throws {
    let lasting = progress(of: 2)
    weak var gone: ProgressNode?
    do {
      let root = ProgressNode(total: 1)
      gone = root
      try root.add(lasting, units: 1)
      lasting.completedUnitCount = 2
      #expect(root.fraction < 1)
      #expect(root.completed == 1)
    }
    #expect(gone == nil)
  }

  @Test func `Foundation's children count in the fraction, and text stays in its units`() {
    let progress = progress(1, of: 4)
    let child = Progress(totalUnitCount: 10, parent: progress, pendingUnitCount: 2)
    child.completedUnitCount = 5
    let node = ProgressNode(mirroring: progress)
    #expect(abs(node.fraction - 0.5) < 1e-8)
    let english = Locale(identifier: "en_US")
    #expect(node.snapshot().localizedAdditionalDescription(locale: english) == "1 of 4")
    child.completedUnitCount = 10
    #expect(node.fraction == 0.75)
    #expect(node.completed == 3)
    #expect(node.total == 4)
  }

  @Test func `Bytes stay bytes while Foundation's children are at work`() {
    let progress = progress(of: 4_000_000)
    progress.kind = .file
    let child = Progress(totalUnitCount: 10, parent: progress, pendingUnitCount: 2_000_000)
    child.completedUnitCount = 5
    let node = ProgressNode(mirroring: progress)
    let english = Locale(identifier: "en_US")
    #expect(node.snapshot().localizedAdditionalDescription(locale: english) == "1 MB of 4 MB")
    #expect(node.sum(of: ProgressKeys.TotalByteCount.self) == 4_000_000)
    child.completedUnitCount = 10
    #expect(node.snapshot().completed == 2_000_000)
    #expect(node.sum(of: ProgressKeys.CompletedByteCount.self) == 2_000_000)
  }

  @Test(arguments: [
    (Int64(-1), Int64(5), 5, Int?.none), (0, 0, 0, nil), (10, -3, 0, nil),
    (Int64.max, 7, 7, Int.max), (10, 0, 0, 10),
  ])
  func `All kinds of counts are mirrored`(
    total: Int64, completed: Int64, units: Int, whole: Int?
  ) {
    let progress = Progress.discreteProgress(totalUnitCount: total)
    progress.completedUnitCount = completed
    let node = ProgressNode(mirroring: progress)
    let snapshot = node.snapshot()
    #expect(snapshot.completed == units)
    #expect(snapshot.total == whole)
    #expect(snapshot.isIndeterminate == (whole == nil))
  }

  @Test func `A total that becomes known later is mirrored`() {
    let progress = Progress.discreteProgress(totalUnitCount: -1)
    let node = ProgressNode(mirroring: progress)
    #expect(node.isIndeterminate)
    progress.totalUnitCount = 4
    progress.completedUnitCount = 1
    #expect(node.fraction == 0.25)
  }

  @Test func `A cancel of the tree reaches the progress at once`() throws {
    let node = ProgressNode(total: 1)
    let progress = progress(of: 2)
    try node.add(progress, units: 1)
    node.cancel()
    #expect(progress.isCancelled)
  }

  @Test func `A progress that joins a cancelled tree is cancelled`() throws {
    let node = ProgressNode(total: 1)
    node.cancel()
    let progress = progress(of: 2)
    try node.add(progress, units: 1)
    #expect(progress.isCancelled)
  }

  @Test func `A cancel of the progress reaches the node at the next read`() {
    let progress = progress(of: 2)
    let node = ProgressNode(mirroring: progress)
    progress.cancel()
    #expect(node.snapshot().isCancelled)
    #expect(node.isCancelled)
  }

  @Test func `Pause and resume go both ways`() {
    let progress = progress(of: 2)
    let node = ProgressNode(mirroring: progress)
    node.pause()
    #expect(progress.isPaused)
    #expect(node.snapshot().isPaused)
    progress.resume()
    #expect(!node.snapshot().isPaused)
    progress.pause()
    #expect(node.snapshot().isPaused)
    node.resume()
    #expect(!progress.isPaused)
    #expect(!node.snapshot().isPaused)
  }

  @Test func `Kind and typed values are mirrored`() {
    let progress = progress(of: 2)
    let node = ProgressNode(mirroring: progress)
    progress.kind = .file
    progress.setUserInfoObject(Progress.FileOperationKind.copying, forKey: .fileOperationKindKey)
    progress.setUserInfoObject(URL(filePath: "/tmp/a"), forKey: .fileURLKey)
    progress.setUserInfoObject(4, forKey: .fileTotalCountKey)
    progress.setUserInfoObject(NSNumber(value: 1), forKey: .fileCompletedCountKey)
    progress.setUserInfoObject(2_000, forKey: .throughputKey)
    progress.setUserInfoObject(TimeInterval(2.5), forKey: .estimatedTimeRemainingKey)
    let snapshot = node.snapshot()
    #expect(snapshot.kind == .file(.copying))
    #expect(snapshot.fileURL == URL(filePath: "/tmp/a"))
    #expect(snapshot[ProgressKeys.TotalFileCount.self] == 4)
    #expect(snapshot[ProgressKeys.CompletedFileCount.self] == 1)
    #expect(snapshot[ProgressKeys.Throughput.self] == 2_000)
    #expect(snapshot[ProgressKeys.RemainingTime.self] == .seconds(2.5))
  }

  @Test func `Invalid values are ignored`() {
    let progress = progress(of: 2)
    progress.setUserInfoObject("many", forKey: .fileTotalCountKey)
    progress.setUserInfoObject(Double.nan, forKey: .throughputKey)
    progress.setUserInfoObject(URL(string: "https://example.org"), forKey: .fileURLKey)
    progress.setUserInfoObject(-Double.infinity, forKey: .estimatedTimeRemainingKey)
    let snapshot = ProgressNode(mirroring: progress).snapshot()
    #expect(snapshot[ProgressKeys.TotalFileCount.self] == nil)
    #expect(snapshot[ProgressKeys.Throughput.self] == nil)
    #expect(snapshot[ProgressKeys.FilePath.self] == nil)
    #expect(snapshot[ProgressKeys.RemainingTime.self] == nil)
  }

  @Test func `A negative remaining time is mirrored as zero`() {
    let progress = progress(of: 2)
    progress.setUserInfoObject(TimeInterval(-5), forKey: .estimatedTimeRemainingKey)
    let node = ProgressNode(mirroring: progress)
    #expect(node.snapshot()[ProgressKeys.RemainingTime.self] == .zero)
    #expect(node.remainingTime == .zero)
  }

  @Test func `The progress is read once per frame of a feed, and not otherwise`() throws {
    let reads = try withVirtualTime { clock in
      let progress = Progress.discreteProgress(totalUnitCount: 100)
      let access = CountingAccess()
      let node = ProgressNode(mirroring: progress, access: { access.enter($0) })
      let before = access.count
      // Longer than many frames, without a feed.
      try await clock.sleep(for: .seconds(10))
      let withoutFeed = access.count - before
      let watcher = Task(executorPreference: StepExecutor.current) {
        var last = 0
        for await snapshot in node.feed(every: .milliseconds(16), clock: clock) {
          last = snapshot.completed
        }
        return last
      }
      for _ in 0..<100 {
        progress.completedUnitCount += 1
        try await clock.sleep(for: .milliseconds(8))
      }
      let last = await watcher.value
      let watched = access.count - before
      return (withoutFeed: withoutFeed, withFeed: watched, last: last)
    }
    #expect(reads.withoutFeed == 0)
    #expect(reads.last == 100)
    // 800 milliseconds are 50 frames; the first look and the last are at their ends.
    #expect((25...52).contains(reads.withFeed), "reads \(reads.withFeed) times")
  }

  @Test func `Several nodes can mirror one progress`() {
    let progress = progress(1, of: 4)
    let first = ProgressNode(mirroring: progress)
    let second = ProgressNode(mirroring: progress)
    progress.completedUnitCount = 2
    #expect(first.fraction == 0.5)
    #expect(second.fraction == 0.5)
    progress.completedUnitCount = 4
    #expect(first.snapshot().isFinished)
    #expect(second.snapshot().isFinished)
  }

  @Test func `Reads on many threads agree`() async {
    let progress = progress(of: 1_000)
    let access = CountingAccess()
    let node = ProgressNode(mirroring: progress, access: { access.enter($0) })
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<999 { access.enter { progress.completedUnitCount += 1 } }
      }
      for _ in 0..<3 {
        group.addTask { for _ in 0..<200 { _ = node.fraction } }
      }
    }
    #expect(node.fraction == 0.999)
    #expect(node.shownFraction <= 0.999)
  }

  @Test func `No concurrent read sees too large a fraction`() async {
    let progress = progress(of: 2_000)
    let access = CountingAccess()
    let node = ProgressNode(mirroring: progress, access: { access.enter($0) })
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<500 {
          // A child at work has the node count finer, and its end coarser again.
          let child = Progress.discreteProgress(totalUnitCount: 2)
          for step in 1...2 {
            access.enter {
              if step == 1 { progress.addChild(child, withPendingUnitCount: 1) }
              child.completedUnitCount += 1
            }
            _ = node.fraction
          }
        }
      }
      for _ in 0..<2 {
        group.addTask { for _ in 0..<2_000 { _ = node.fraction } }
      }
    }
    #expect(node.fraction == 0.25)
    #expect(node.shownFraction < 0.251)
  }
}

/// The order in which the counts of a node change.
struct MirroredUnitsTests {
  private func fraction(_ units: MirroredUnits) -> Double {
    guard let total = units.total else { return 0 }
    return total == 0 ? 1 : min(Double(units.completed) / Double(total), 1)
  }

  /// All pairs of counts.
  private static let units = [
    MirroredUnits(completed: 0, total: nil), MirroredUnits(completed: 5, total: nil),
    MirroredUnits(completed: 0, total: 4), MirroredUnits(completed: 1, total: 4),
    MirroredUnits(completed: 3, total: 4), MirroredUnits(completed: 3, total: 6),
    MirroredUnits(completed: 300_000_000, total: 1_000_000_000, isFine: true),
    MirroredUnits(completed: 900_000_000, total: 1_000_000_000, isFine: true),
  ]

  @Test(arguments: units, units)
  func `No read between two counts sees a larger fraction than both`(
    old: MirroredUnits, new: MirroredUnits
  ) {
    let limit = max(fraction(old), fraction(new))
    var now = old
    for change in new.changes(from: old) {
      switch change {
      case .completed(let units): now.completed = units
      case .total(let total): now.total = total
      }
      #expect(fraction(now) <= limit)
    }
    #expect(now.completed == new.completed)
    #expect(now.total == new.total)
  }

  @Test func `A new node gets all counts, and an unchanged one none`() {
    let units = MirroredUnits(completed: 0, total: nil)
    #expect(units.changes(from: nil) == [.total(nil), .completed(0)])
    #expect(units.changes(from: units) == [])
  }
}

/// Cancellation errors of Foundation.
struct UserCancellationTests {
  @Test func `A cancellation error becomes a Cocoa error`() {
    let node = ProgressNode()
    node.cancel()
    let error = #expect(throws: CocoaError.self) {
      try CocoaError.replacingCancellation { try node.blockingCheckpoint() }
    }
    #expect(error?.code == .userCancelled)
    #expect((error as NSError?)?.domain == NSCocoaErrorDomain)
    #expect((error as NSError?)?.code == NSUserCancelledError)
  }

  @Test func `Other errors are not changed`() async {
    struct Defect: Error {}
    #expect(throws: Defect.self) { try CocoaError.replacingCancellation { throw Defect() } }
    await #expect(throws: Defect.self) {
      try await CocoaError.replacingCancellation {
        await Task.yield()
        throw Defect()
      }
    }
  }

  @Test func `A cancellation error of an asynchronous closure becomes a Cocoa error`() async {
    let node = ProgressNode()
    node.cancel()
    let error = await #expect(throws: CocoaError.self) {
      try await CocoaError.replacingCancellation { try await node.checkpoint() }
    }
    #expect(error?.code == .userCancelled)
  }

  @Test func `The result of a closure is returned`() async throws {
    #expect(try CocoaError.replacingCancellation { 1 } == 1)
    let value = try await CocoaError.replacingCancellation { await Task { 2 }.value }
    #expect(value == 2)
  }
}
