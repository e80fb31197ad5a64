import Foundation
import HeadwayFoundation
import HeadwayProgress
import Testing

/// The examples beside the declarations.
struct SnippetTests {

  @Test func `A view shows a snapshot`() async {
    let node = ProgressNode(total: 6)
    node.complete(3)
    let progress = await ObservableProgress(of: node)
    let line = await progress.snapshot.localizedDescription()  // what a view shows: 50% completed
    #expect(line.contains("50"))
  }
}
