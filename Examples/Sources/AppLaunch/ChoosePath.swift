import Foundation
import HeadwayLaunch
import HeadwayProgress
import Loopback
import Synchronization

/// Connects over all paths to the server at once, and chooses the first that answers.
///
/// It starts the requests and returns; the first answer or the last failure is its report. A path that never answers
/// matters only if no other one answers: then the time limit of the task ends it.
struct ChoosePath: ReportingTask {
  /// The name.
  let name = StartStep.choosePath.rawValue
  /// The paths.
  let paths: [NetworkPath]
  /// Receives the choice.
  let findings: Findings

  /// The error if no path works.
  struct NoPath: Error, CustomStringConvertible {
    /// The reason for each path.
    let reasons: [String]

    /// The error as text.
    var description: String { "no path to the server works: \(reasons.joined(separator: "; "))" }
  }

  /// Collects the reasons for which paths failed.
  private final class Reasons: Sendable {
    /// The reasons.
    let list = Mutex<[String]>([])
  }

  /// Sends a request over each path, on a thread of its own.
  func start(_ context: LaunchContext, _ report: TaskReport) {
    context.progress.total = 1
    // Cancelled with the task at its time limit, or earlier by the first answer.
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
