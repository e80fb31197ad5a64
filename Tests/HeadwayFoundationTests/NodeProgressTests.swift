import Foundation
import HeadwayProgress
import HeadwayTestSupport
import Testing

@testable import HeadwayFoundation

/// `NodeProgress`, the Foundation progress of a node.
struct NodeProgressTests {
  /// The actor of Foundation's tree.
  private actor TestActor {}

  /// The values of a progress and its Foundation parent.
  private struct Seen: Sendable, Equatable {
    var own: Double
    var parent: Double
    var isFinished: Bool
  }

  @Test func `It reads the node on demand`() {
    let node = ProgressNode(total: 8)
    let progress = NodeProgress(withoutFeed: node)
    node.complete(2)
    #expect(progress.completedUnitCount == 2)
    #expect(progress.totalUnitCount == 8)
    #expect(!progress.isIndeterminate)
    #expect(!progress.isFinished)
    node.total = nil
    #expect(progress.totalUnitCount == -1)
    #expect(progress.isIndeterminate)
    node.finish()
    #expect(progress.isFinished)
  }

  @Test func `An update updates the fraction and the parent`() {
    let parent = Progress.discreteProgress(totalUnitCount: 4)
    let node = ProgressNode(total: 8)
    let progress = NodeProgress(withoutFeed: node)
    parent.addChild(progress, withPendingUnitCount: 2)
    node.complete(4)
    progress.update()
    #expect(progress.fractionCompleted == 0.5)
    #expect(parent.fractionCompleted == 0.25)
    node.complete(4)
    progress.update()
    #expect(!parent.isFinished)
    #expect(parent.completedUnitCount == 0)
    node.finish()
    progress.update()
    #expect(progress.fractionCompleted == 1)
    #expect(parent.fractionCompleted == 0.5)
    #expect(parent.completedUnitCount == 2)
  }

  @Test func `A node whose total becomes unknown is indeterminate and counts for nothing`() {
    let parent = Progress.discreteProgress(totalUnitCount: 4)
    let node = ProgressNode(total: 8)
    let progress = NodeProgress(withoutFeed: node)
    parent.addChild(progress, withPendingUnitCount: 2)
    node.complete(4)
    progress.update()
    #expect(parent.fractionCompleted == 0.25)
    node.total = nil
    progress.update()
    #expect(progress.isIndeterminate)
    #expect(progress.fractionCompleted == 0)
    #expect(parent.fractionCompleted == 0)
  }

  @Test func `Without an actor only an update updates the parent`() {
    let parent = Progress.discreteProgress(totalUnitCount: 4)
    let node = ProgressNode(total: 8)
    let progress = NodeProgress(of: node, on: nil)
    parent.addChild(progress, withPendingUnitCount: 2)
    node.complete(4)
    #expect(parent.fractionCompleted == 0)
    progress.update()
    #expect(parent.fractionCompleted == 0.25)
  }

  @Test func `Many children add up in a Foundation parent`() {
    let parent = Progress.discreteProgress(totalUnitCount: 7 * 64)
    let nodes = (1...64).map { ProgressNode(total: 10_007 * $0) }
    let children = nodes.map { NodeProgress(withoutFeed: $0) }
    for child in children { parent.addChild(child, withPendingUnitCount: 7) }
    for (index, node) in nodes.enumerated() {
      node.complete(3 * (index + 1) * 1_000)
      children[index].update()
    }
    let exact = nodes.reduce(0) { $0 + $1.fraction } / 64
    #expect(abs(parent.fractionCompleted - exact) < 1e-5)
    for (index, node) in nodes.enumerated() {
      node.finish()
      children[index].update()
    }
    #expect(parent.isFinished)
    #expect(parent.completedUnitCount == 7 * 64)
  }

  @Test func `It does not retain the node and is finished without it`() {
    let parent = Progress.discreteProgress(totalUnitCount: 1)
    var node: ProgressNode? = ProgressNode(total: 4)
    let progress = node.map { NodeProgress(withoutFeed: $0) }
    node?.complete(1)
    progress?.update()
    if let progress { parent.addChild(progress, withPendingUnitCount: 1) }
    node = nil
    #expect(progress?.isFinished == true)
    #expect(progress?.completedUnitCount == 1)
    progress?.update()
    #expect(parent.isFinished)
  }

  @Test func `A cancel of the Foundation parent reaches the node at once`() {
    let parent = Progress.discreteProgress(totalUnitCount: 1)
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(withoutFeed: node)
    parent.addChild(progress, withPendingUnitCount: 1)
    parent.pause()
    #expect(node.isPaused)
    parent.resume()
    #expect(!node.isPaused)
    parent.cancel()
    #expect(node.isCancelled)
    #expect(progress.isCancelled)
  }

  @Test func `A pause from above is shown but does not pause the node itself`() {
    let root = ProgressNode(total: 1)
    let node = root.child(units: 1)
    let progress = NodeProgress(withoutFeed: node)
    root.pause()
    #expect(progress.isPaused)
    progress.update()
    root.resume()
    #expect(!node.isPaused)
    progress.update()
    #expect(!progress.isPaused)
  }

  @Test func `Handlers of Foundation are called on the actor`() async {
    let node = ProgressNode(total: 4)
    let actor = MarkedActor()
    let progress = NodeProgress(of: node, on: actor)
    let wasThere = await withCheckedContinuation { continuation in
      progress.cancellationHandler = { continuation.resume(returning: MarkedQueue.isHere) }
      node.cancel()
    }
    #expect(wasThere)
  }

  @Test func `Handlers of Foundation are called on the actor when its parent is cancelled`() async {
    let parent = Progress.discreteProgress(totalUnitCount: 1)
    let node = ProgressNode(total: 4)
    let actor = MarkedActor()
    let progress = NodeProgress(of: node, on: actor)
    parent.addChild(progress, withPendingUnitCount: 1)
    let wasThere = await withCheckedContinuation { continuation in
      progress.pausingHandler = { continuation.resume(returning: MarkedQueue.isHere) }
      parent.pause()
    }
    #expect(wasThere)
    let wasThereAgain = await withCheckedContinuation { continuation in
      progress.resumingHandler = { continuation.resume(returning: MarkedQueue.isHere) }
      parent.resume()
    }
    #expect(wasThereAgain)
  }

  @Test func `A handler can be read and removed`() async {
    let actor = MarkedActor()
    let node = ProgressNode()
    let progress = NodeProgress(of: node, on: actor)
    let wasThere = await withCheckedContinuation { continuation in
      progress.cancellationHandler = { continuation.resume(returning: MarkedQueue.isHere) }
      progress.cancellationHandler?()
    }
    #expect(wasThere)
    progress.cancellationHandler = nil
    #expect(progress.cancellationHandler == nil)
  }

  @Test func `A progress does not retain its actor`() {
    weak var gone: MarkedActor?
    let node = ProgressNode(total: 4)
    let progress: NodeProgress
    do {
      let actor = MarkedActor()
      gone = actor
      progress = NodeProgress(withoutFeed: node, on: actor)
      progress.cancellationHandler = {}
    }
    #expect(gone == nil)
    #expect(progress.cancellationHandler != nil)
  }

  @Test func `Foundation's handlers are called for events of the node`() async {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(of: node, on: TestActor())
    await withCheckedContinuation { continuation in
      progress.pausingHandler = { continuation.resume() }
      node.pause()
    }
    await withCheckedContinuation { continuation in
      progress.resumingHandler = { continuation.resume() }
      node.resume()
    }
    await withCheckedContinuation { continuation in
      progress.cancellationHandler = { continuation.resume() }
      node.cancel()
    }
    #expect(progress.isCancelled)
  }

  @Test func `Its children are children of the node`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(withoutFeed: node)
    let child = Progress(totalUnitCount: 10, parent: progress, pendingUnitCount: 2)
    child.completedUnitCount = 5
    #expect(node.fraction == 0.25)
    progress.cancel()
    #expect(child.isCancelled)
  }

  @Test func `A progress that joins while it is current is a child of the node`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(withoutFeed: node)
    progress.becomeCurrent(withPendingUnitCount: 2)
    let child = Progress(totalUnitCount: 10)
    progress.resignCurrent()
    #expect(node.completed == 0)
    child.completedUnitCount = 10
    #expect(node.fraction == 0.5)
    progress.update()
    #expect(progress.fractionCompleted == 0.5)
  }

  @Test func `Units are completed if no child joins`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(withoutFeed: node)
    progress.becomeCurrent(withPendingUnitCount: 3)
    progress.resignCurrent()
    #expect(node.completed == 3)
    #expect(progress.completedUnitCount == 3)
    #expect(progress.fractionCompleted == 0.75)
  }

  @Test func `Changes of the progress are changes of the node`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(withoutFeed: node)
    progress.totalUnitCount = 10
    progress.completedUnitCount = 5
    progress.isCancellable = false
    progress.kind = .file
    progress.setUserInfoObject(URL(filePath: "/tmp/a"), forKey: .fileURLKey)
    progress.setUserInfoObject(3, forKey: .fileTotalCountKey)
    progress.setUserInfoObject(
      Progress.FileOperationKind.downloading, forKey: .fileOperationKindKey)
    #expect(node.fraction == 0.5)
    #expect(!node.isCancellable)
    #expect(node.kind == .file(.downloading))
    #expect(node.filePath == "/tmp/a")
    #expect(node.totalFileCount == 3)
    progress.totalUnitCount = -1
    #expect(node.total == nil)
  }

  @Test func `Kind, values and text are those of the node`() {
    let node = ProgressNode("Baking", total: 4)
    node.kind = .file(.uploading)
    node.fileURL = URL(filePath: "/tmp/a")
    node.throughput = 2_000.4
    node.remainingTime = .milliseconds(1_500)
    let progress = NodeProgress(withoutFeed: node)
    progress.setUserInfoObject("mine", forKey: ProgressUserInfoKey(rawValue: "own"))
    #expect(progress.kind == .file)
    #expect(progress.localizedDescription == "Baking")
    #expect(progress.userInfo[.fileURLKey] as? URL == URL(filePath: "/tmp/a"))
    #expect(progress.userInfo[.throughputKey] as? Int == 2_000)
    #expect(progress.userInfo[.estimatedTimeRemainingKey] as? Double == 1.5)
    #expect(progress.userInfo[ProgressUserInfoKey(rawValue: "own")] as? String == "mine")
    let operation = progress.userInfo[.fileOperationKindKey] as? Progress.FileOperationKind
    #expect(operation?.rawValue == "NSProgressFileOperationKindUploading")
  }

  @Test func `The remaining time of a child is not that of the node`() {
    let node = ProgressNode(total: 2)
    let child = node.child(units: 1)
    child.remainingTime = .seconds(3)
    #expect(NodeProgress(withoutFeed: node).userInfo[.estimatedTimeRemainingKey] == nil)
  }

  @Test func `A Foundation parent is updated once per frame`() throws {
    let seen = try withVirtualTime { clock in
      let parent = Progress.discreteProgress(totalUnitCount: 2)
      let node = ProgressNode(total: 4)
      let progress = NodeProgress(withoutFeed: node)
      parent.addChild(progress, withPendingUnitCount: 1)
      let feed = node.feed(every: .milliseconds(16), limit: 1, clock: clock)
      let actor = TestActor()
      let follower = Task(executorPreference: StepExecutor.current) {
        await NodeProgress.follow(feed, isolation: actor) { progress }
      }
      var seen: [Seen] = []
      for _ in 0..<4 {
        node.complete(1)
        try await clock.sleep(for: .milliseconds(20))
        seen.append(
          Seen(
            own: progress.fractionCompleted, parent: parent.fractionCompleted,
            isFinished: parent.isFinished))
      }
      node.finish()
      await follower.value
      #expect(parent.completedUnitCount == 1)
      return seen
    }
    #expect(seen.prefix(3).map(\.own) == [0.25, 0.5, 0.75])
    #expect(seen.prefix(3).map(\.parent) == [0.125, 0.25, 0.375])
    #expect(seen.last.map { $0.own < 1 } == true)
  }

  @Test func `Updates end when the progress is deallocated`() throws {
    try withVirtualTime { clock in
      let node = ProgressNode(total: 4)
      let feed = node.feed(every: .milliseconds(16), limit: 1, clock: clock)
      await NodeProgress.follow(feed, isolation: TestActor()) { nil }
    }
  }

  @Test func `A dropped progress is deallocated while its node lives`() async {
    let node = ProgressNode(total: 4)
    await withCheckedContinuation { continuation in
      let progress = NodeProgress(of: node, on: TestActor())
      let callback = DeinitCallback { continuation.resume() }
      progress.setUserInfoObject(callback, forKey: ProgressUserInfoKey(rawValue: "callback"))
    }
    #expect(!node.isFinished)
  }
}
