internal import HeadwayLibc
internal import HeadwayLock
package import HeadwayRun

/// Reads the logs of a run part by part, and keeps those open that it has read last.
///
/// Safe from any thread, but made for one: each display has its own.
package final class LogReader: TaskLogs {
  /// The open logs, the one that was opened last at the end.
  private struct OpenLogs: Sendable {
    var files: [(task: TaskID, file: Int32)] = []

    /// Closes the log that has been open longest.
    mutating func closeFirst() { close(files.removeFirst().file) }
  }

  /// The maximum number of open logs: as many as there are usually workers.
  private static let mostOpen = 16

  private let logs: RunLogs
  private let open = Guarded(OpenLogs())

  /// Creates a reader that has opened nothing.
  package init(_ logs: RunLogs) { self.logs = logs }

  deinit { open.withLock { while !$0.files.isEmpty { $0.closeFirst() } } }

  package func bytes(of id: TaskID, from offset: Int, most: Int) -> [UInt8] {
    open.withLock { open in
      guard let file = file(id, in: &open) else { return [] }
      return unsafe [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
        count = unsafe max(pread(file, buffer.baseAddress, most, off_t(offset)), 0)
      }
    }
  }

  /// The end of a task's log, which is not kept open for it.
  package func tail(_ id: TaskID, most: Int) -> [UInt8] { logs.tail(id, most: most) }
  package func size(of id: TaskID) -> Int { logs.size(of: id) }
  package func shownPath(_ id: TaskID) -> String? { logs.shownPath(id) }
  package func shortPath(_ id: TaskID) -> String? { logs.shortPath(id) }

  /// The descriptor of a task's log, nil if there is no log yet.
  private func file(_ id: TaskID, in open: inout OpenLogs) -> Int32? {
    if let known = open.files.last(where: { $0.task == id }) { return known.file }
    var file = logs.open(id)
    // The tasks may need all descriptors that this process has.
    while file < 0, errno == EMFILE, !open.files.isEmpty {
      open.closeFirst()
      file = logs.open(id)
    }
    guard file >= 0 else { return nil }
    if open.files.count >= Self.mostOpen { open.closeFirst() }
    open.files.append((id, file))
    return file
  }
}
