import Foundation
import HeadwayLaunch
import HeadwayProgress
import Loopback
import Synchronization

/// Asks at all ways to the server at once, and chooses the one that answers first.
///
/// It starts the questions and returns; the first answer, or the last failure, is its report. A way that never answers
/// holds nothing up but where no other one answers: then the limit of the task ends it.
struct ChoosePath: ReportingTask {
  /// The name.
  let name = StartStep.choosePath.rawValue
  /// The ways.
  let paths: [NetworkPath]
  /// Where the choice is noted.
  let findings: Findings

  /// No way led to the server.
  struct NoPath: Error, CustomStringConvertible {
    /// Why each was left.
    let reasons: [String]

    /// The error in words.
    var description: String { "no way leads to the server: \(reasons.joined(separator: "; "))" }
  }

  /// Keeps why ways were left.
  private final class Reasons: Sendable {
    /// The reasons.
    let list = Mutex<[String]>([])
  }

  /// Asks at each way, on a thread of its own.
  func start(_ context: LaunchContext, _ report: TaskReport) {
    context.progress.total = 1
    // Cancelled with the task when its time is up, and before that by the first answer.
    let questions = context.progress.child("asking", units: 1, total: paths.count)
    let reasons = Reasons()
    for path in paths {
      Thread.detachNewThread {
        do {
          _ = try questions.withCurrent(units: 1) { try HTTP.get("/ping", from: path.port) }
          guard findings.choose(path) else { return }
          report.succeed()
          questions.cancel()
        } catch {
          let all = reasons.list.withLock { list in
            list.append("\(path.name): \(error)")
            return list
          }
          if all.count == paths.count { report.fail(NoPath(reasons: all)) }
        }
      }
    }
  }
}
