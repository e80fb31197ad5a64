internal import Glibc
internal import HeadwayLaunch
package import HeadwayRun

/// The logs of a run, for those who show them.
///
/// It reads the files that the run loop writes, so nothing is kept twice. Safe from any thread.
package struct RunLogs: Sendable {
  /// The path of each task's log is made from these.
  private let state: StateFolder
  /// The names of the tasks, by place.
  private let names: [String]
  /// The folder that the person is in.
  private let home: String

  /// Creates the logs of a run.
  init(state: StateFolder, names: [String], home: String) {
    self.state = state
    self.names = names
    self.home = home
  }

  /// The end of a task's log.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - most: The most bytes to read.
  /// - Returns: At most that many bytes, empty when there is no log.
  package func tail(_ id: TaskID, most: Int) -> [UInt8] {
    let file = unsafe open(path(id), O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    lseek(file, max(0, size - off_t(most)), SEEK_SET)
    return unsafe [UInt8](unsafeUninitializedCapacity: most) { room, count in
      count = unsafe max(read(file, room.baseAddress, most), 0)
    }
  }

  /// The path of a task's log as the person would type it, nil when the task has written nothing.
  package func shownPath(_ id: TaskID) -> String? {
    let path = path(id)
    guard unsafe access(path, F_OK) == 0 else { return nil }
    return path.hasPrefix("\(home)/") ? String(path.dropFirst(home.count + 1)) : path
  }

  /// The path of a task's log.
  private func path(_ id: TaskID) -> String {
    state.logPath(names[id.index], place: id.index)
  }
}
