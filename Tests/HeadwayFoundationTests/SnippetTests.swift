import Foundation
import HeadwayFoundation
import HeadwayProgress
import Testing

/// The examples beside the declarations.
struct SnippetTests {

  @Test @MainActor func `A view shows a snapshot`() {
    let node = ProgressNode(total: 6)
    node.complete(3)
    let progress = ObservableProgress(of: node)
    let line = progress.snapshot.localizedDescription()  // what a view shows: 50% completed
    #expect(line.contains("50"))
  }
}
