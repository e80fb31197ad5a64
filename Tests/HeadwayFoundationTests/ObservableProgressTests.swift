import HeadwayFoundation
import HeadwayProgress
import Observation
import Testing

/// `ObservableProgress`.
@MainActor
struct ObservableProgressTests {
  /// Runs a closure and waits until an observed value has changed.
  private func change(of read: () -> Void, after action: () -> Void) async {
    await withCheckedContinuation { continuation in
      withObservationTracking(read) { continuation.resume() }
      action()
    }
  }

  @Test func `It begins with the current state of the node`() {
    let node = ProgressNode("Baking", total: 4)
    node.complete(1)
    let progress = ObservableProgress(of: node)
    #expect(progress.snapshot.label == "Baking")
    #expect(progress.snapshot.shownFraction == 0.25)
    #expect(!progress.snapshot.isFinished)
  }

  @Test func `Observers are notified of changes until the end`() async {
    let node = ProgressNode(total: 4)
    let progress = ObservableProgress(of: node, every: .zero)
    while progress.snapshot.shownFraction < 0.5 {
      await change {
        _ = progress.snapshot.shownFraction
      } after: {
        node.complete(1)
      }
    }
    await change {
      _ = progress.snapshot.isFinished
    } after: {
      node.finish()
    }
    #expect(progress.snapshot.isFinished)
    #expect(progress.snapshot.shownFraction == 1)
  }

  @Test func `Its snapshots have at most as many nodes as its limit`() async {
    let node = ProgressNode(total: 4)
    let children = (0..<3).map { _ in node.child(units: 1, total: 2) }
    let progress = ObservableProgress(of: node, every: .zero, limit: 2)
    #expect(progress.snapshot.children.count == 1)
    await change {
      _ = progress.snapshot.completed
    } after: {
      node.complete(1)
    }
    #expect(progress.snapshot.completed == 1)
    #expect(progress.snapshot.children.count == 1)
    #expect(progress.snapshot.omitsChildren)
    withExtendedLifetime(children) {}
  }

  @Test func `It does not retain the node and keeps its last state`() async {
    var node: ProgressNode? = ProgressNode(total: 4)
    let progress = node.map { ObservableProgress(of: $0, every: .zero) }
    node?.complete(3)
    await change {
      _ = progress?.snapshot.isFinished
    } after: {
      node = nil
    }
    #expect(progress?.snapshot.isFinished == true)
    #expect(progress?.snapshot.completed == 3)
  }

  @Test func `It is deallocated when it is dropped while its node lives`() async {
    let node = ProgressNode(total: 4)
    weak var gone: ObservableProgress?
    do {
      let progress = ObservableProgress(of: node)
      gone = progress
      #expect(progress.snapshot.shownFraction == 0)
    }
    #expect(gone == nil)
    #expect(!node.isFinished)
  }
}
