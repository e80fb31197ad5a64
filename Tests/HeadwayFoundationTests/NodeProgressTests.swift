import Foundation
import HeadwayProgress
import HeadwayTestSupport
import Testing

@testable import HeadwayFoundation

/// A Foundation `Progress` for a node.
struct NodeProgressTests {
  /// Where Foundation's tree may be touched in a test.
  private actor Place {}

  /// What Foundation says of a progress and of its parent.
  private struct Seen: Sendable, Equatable {
    /// The fraction of the progress.
    var own: Double
    /// The fraction of the parent.
    var parent: Double
    /// Whether the parent has finished.
    var isFinished: Bool
  }

  @Test func `It reads the node when it is asked`() {
    let node = ProgressNode(total: 8)
    let progress = NodeProgress(unfollowed: node)
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

  @Test func `An update brings the fraction and the parent up to date`() {
    let parent = Progress.discreteProgress(totalUnitCount: 4)
    let node = ProgressNode(total: 8)
    let progress = NodeProgress(unfollowed: node)
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

  @Test func `Without an actor an update alone tells the parent`() {
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
    let children = nodes.map { NodeProgress(unfollowed: $0) }
    for child in children { parent.addChild(child, withPendingUnitCount: 7) }
    for (place, node) in nodes.enumerated() {
      node.complete(3 * (place + 1) * 1_000)
      children[place].update()
    }
    let exact = nodes.reduce(0) { $0 + $1.fraction } / 64
    #expect(abs(parent.fractionCompleted - exact) < 1e-5)
    for (place, node) in nodes.enumerated() {
      node.finish()
      children[place].update()
    }
    #expect(parent.isFinished)
    #expect(parent.completedUnitCount == 7 * 64)
  }

  @Test func `It does not hold the node, and is finished without it`() {
    let parent = Progress.discreteProgress(totalUnitCount: 1)
    var node: ProgressNode? = ProgressNode(total: 4)
    let progress = node.map { NodeProgress(unfollowed: $0) }
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
    let progress = NodeProgress(unfollowed: node)
    parent.addChild(progress, withPendingUnitCount: 1)
    parent.pause()
    #expect(node.isPaused)
    parent.resume()
    #expect(!node.isPaused)
    parent.cancel()
    #expect(node.isCancelled)
    #expect(progress.isCancelled)
  }

  @Test func `A pause from above is told and not made the node's own`() {
    let root = ProgressNode(total: 1)
    let node = root.child(units: 1)
    let progress = NodeProgress(unfollowed: node)
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
    let place = MarkedPlace()
    let progress = NodeProgress(of: node, on: place)
    let wasThere = await withCheckedContinuation { continuation in
      progress.cancellationHandler = { continuation.resume(returning: MarkedQueue.isHere) }
      node.cancel()
    }
    #expect(wasThere)
  }

  @Test func `Handlers of Foundation are called on the actor when its parent is cancelled`() async {
    let parent = Progress.discreteProgress(totalUnitCount: 1)
    let node = ProgressNode(total: 4)
    let place = MarkedPlace()
    let progress = NodeProgress(of: node, on: place)
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

  @Test func `A handler that was read is called on the actor, and can be taken away`() async {
    let place = MarkedPlace()
    let node = ProgressNode()
    let progress = NodeProgress(of: node, on: place)
    let wasThere = await withCheckedContinuation { continuation in
      progress.cancellationHandler = { continuation.resume(returning: MarkedQueue.isHere) }
      progress.cancellationHandler?()
    }
    #expect(wasThere)
    progress.cancellationHandler = nil
    #expect(progress.cancellationHandler == nil)
  }

  @Test func `A progress does not hold its actor`() {
    weak var gone: MarkedPlace?
    let node = ProgressNode(total: 4)
    let progress: NodeProgress
    do {
      let place = MarkedPlace()
      gone = place
      progress = NodeProgress(unfollowed: node, on: place)
      progress.cancellationHandler = {}
    }
    #expect(gone == nil)
    #expect(progress.cancellationHandler != nil)
  }

  @Test func `Handlers of Foundation hear what happens to the node`() async {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(of: node, on: Place())
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

  @Test func `Progress below it is progress below the node`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(unfollowed: node)
    let child = Progress(totalUnitCount: 10, parent: progress, pendingUnitCount: 2)
    child.completedUnitCount = 5
    #expect(node.fraction == 0.25)
    progress.cancel()
    #expect(child.isCancelled)
  }

  @Test func `What joins while it is current is a child of the node`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(unfollowed: node)
    progress.becomeCurrent(withPendingUnitCount: 2)
    let child = Progress(totalUnitCount: 10)
    progress.resignCurrent()
    #expect(node.completed == 0)
    child.completedUnitCount = 10
    #expect(node.fraction == 0.5)
    progress.update()
    #expect(progress.fractionCompleted == 0.5)
  }

  @Test func `Units that nobody has joined for are completed`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(unfollowed: node)
    progress.becomeCurrent(withPendingUnitCount: 3)
    progress.resignCurrent()
    #expect(node.completed == 3)
    #expect(progress.completedUnitCount == 3)
    #expect(progress.fractionCompleted == 0.75)
  }

  @Test func `Changes of the progress are changes of the node`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(unfollowed: node)
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

  @Test func `Kind, values and words are those of the node`() {
    let node = ProgressNode("Baking", total: 4)
    node.kind = .file(.uploading)
    node.fileURL = URL(filePath: "/tmp/a")
    node.throughput = 2_000.4
    node.remainingTime = .milliseconds(1_500)
    let progress = NodeProgress(unfollowed: node)
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

  @Test func `The remaining time of a child is not said to be that of the node`() {
    let node = ProgressNode(total: 2)
    let child = node.child(units: 1)
    child.remainingTime = .seconds(3)
    #expect(NodeProgress(unfollowed: node).userInfo[.estimatedTimeRemainingKey] == nil)
  }

  @Test func `A parent of Foundation follows the node by frames`() throws {
    let seen = try withVirtualTime { clock in
      let parent = Progress.discreteProgress(totalUnitCount: 2)
      let node = ProgressNode(total: 4)
      let progress = NodeProgress(unfollowed: node)
      parent.addChild(progress, withPendingUnitCount: 1)
      let feed = node.feed(every: .milliseconds(16), limit: 1, clock: clock)
      let place = Place()
      let follower = Task(executorPreference: StepExecutor.current) {
        await NodeProgress.follow(feed, isolation: place) { progress }
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

  @Test func `Following ends when the progress is gone`() throws {
    try withVirtualTime { clock in
      let node = ProgressNode(total: 4)
      let feed = node.feed(every: .milliseconds(16), limit: 1, clock: clock)
      await NodeProgress.follow(feed, isolation: Place()) { nil }
    }
  }

  @Test func `A progress that is dropped is gone, while its node lives`() async {
    let node = ProgressNode(total: 4)
    await withCheckedContinuation { continuation in
      let progress = NodeProgress(of: node, on: Place())
      let farewell = Farewell { continuation.resume() }
      progress.setUserInfoObject(farewell, forKey: ProgressUserInfoKey(rawValue: "farewell"))
    }
    #expect(!node.isFinished)
  }
}
