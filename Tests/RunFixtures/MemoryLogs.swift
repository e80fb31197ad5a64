import HeadwayLock
package import HeadwayRun

/// The logs of a run in memory.
///
/// Safe from any thread.
package final class MemoryLogs: TaskLogs {
  private let texts: Guarded<[Int: [UInt8]]>
  private let paths: [Int: String]
  private let shortPaths: [Int: String]

  /// Creates logs.
  ///
  /// - Parameters:
  ///   - texts: What tasks have written, by index.
  ///   - paths: The paths of logs, by index; by default `logs/0.log` for the first one.
  ///   - shortPaths: Their paths by the link to the latest run.
  package init(
    _ texts: [Int: String] = [:], paths: [Int: String] = [:], shortPaths: [Int: String] = [:]
  ) {
    self.texts = Guarded(texts.mapValues { Array($0.utf8) })
    (self.paths, self.shortPaths) = (paths, shortPaths)
  }

  /// The text of a task's log.
  package subscript(_ index: Int) -> String {
    get { texts.withLock { String(decoding: $0[index] ?? [], as: UTF8.self) } }
    set { texts.withLock { $0[index] = Array(newValue.utf8) } }
  }

  package func bytes(of task: TaskID, from offset: Int, most: Int) -> [UInt8] {
    texts.withLock { Array(($0[task.index] ?? []).dropFirst(offset).prefix(most)) }
  }

  package func tail(_ task: TaskID, most: Int) -> [UInt8] {
    texts.withLock { Array(($0[task.index] ?? []).suffix(most)) }
  }

  package func size(of task: TaskID) -> Int { texts.withLock { $0[task.index]?.count ?? 0 } }

  package func shownPath(_ task: TaskID) -> String? {
    guard texts.withLock({ $0[task.index] != nil }) else { return nil }
    return paths[task.index] ?? "logs/\(task.index).log"
  }

  package func shortPath(_ task: TaskID) -> String? { shortPaths[task.index] }
}
