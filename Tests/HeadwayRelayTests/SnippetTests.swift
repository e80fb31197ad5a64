import Foundation
import HeadwayLock
import HeadwayProgress
import HeadwayRelay
import Testing

/// The examples beside the declarations.
@Suite(.timeLimit(.minutes(60)))
struct SnippetTests {
  private let lines = SnippetLines()

  @Test func `A publication ends before the work`() {
    let show = lines.show
    let node = ProgressNode("Backing up", total: 2)
    let publication: Publication = node.publish(kind: "backup")
    if let problem: RelayError = publication.problem { show("nobody sees it: \(problem)") }
    publication.unpublish()  // the work goes on
    #expect(!publication.id.isEmpty && !node.isFinished)
    node.finish()
  }

  @Test func `A request that is refused throws`() async {
    let show = lines.show
    func cancel(_ work: WatchedPublication) async {
      do throws(RelayError) {
        try await work.cancel()
      } catch {
        show("\(work.program): \(error)")
      }
    }
    let node = ProgressNode("Mirroring", total: 1)
    node.publish(kind: "snippet-cancel")
    for work in await Subscription(.kind("snippet-cancel")).current() { await cancel(work) }
    #expect(lines.all.isEmpty || !node.isCancelled)
    node.finish()
  }

  @Test func `A watcher learns how work ends`() {
    func words(for end: WatchedPublication.End?) -> String {
      switch end {
      case .finished: "done"
      case .failed: "failed"
      case .lost(let error): "out of sight: \(error)"
      default: "over"
      }
    }
    #expect(
      words(for: .finished) == "done" && words(for: .died) == "over" && words(for: nil) == "over")
    #expect(words(for: .lost(.silent)).hasPrefix("out of sight: "))
  }

  @Test func `Work in a program counts in a share`() {
    let node = ProgressNode("Release", total: 10)
    let share: ProcessShare = node.share(of: 3).forProcess("compile")
    var environment = ProcessInfo.processInfo.environment
    environment.merge(share.environment) { _, new in new }
    // … start a program with these variables, and wait for its end.
    share.finish()
    #expect(environment["PATH"] != nil && node.completed == 3)
  }
}

/// Keeps what examples show.
private final class SnippetLines: Sendable {
  private let kept = Guarded<[String]>([])

  var all: [String] { kept.withLock { $0 } }

  func show(_ line: String) { kept.withLock { $0.append(line) } }
}
