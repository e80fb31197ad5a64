internal import HeadwayLibc
package import HeadwayRun
package import HeadwaySystem

/// Reads the logs of a run while the run loop writes them.
///
/// Safe from any thread.
package struct RunLogs: Sendable {
  private let state: StateFolder
  /// The names of the tasks, by index.
  private let names: [String]
  /// The user's current directory.
  private let home: String

  package init(state: StateFolder, names: [String], home: String) {
    self.state = state
    self.names = names
    self.home = home
  }

  /// Opens the logs of an earlier run; if they are gone, there are none.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - stateFolder: The path of the state folder.
  /// - Throws: `StateError.folder` if the folder belongs to another user or can be written by others.
  package init(of run: RunRecord, in stateFolder: String) throws(StateError) {
    self.init(
      state: try StateFolder(existing: stateFolder, plan: run.plan, run: run.name),
      names: run.tasks.map(\.name), home: currentFolder())
  }

  /// The end of a task's log.
  ///
  /// - Parameters:
  ///   - id: The task.
  ///   - most: The maximum number of bytes.
  /// - Returns: The last bytes, empty if there is no log.
  func tail(_ id: TaskID, most: Int) -> [UInt8] {
    guard let logs = state.logs else { return [] }
    let file = logs.openForReading(name(id))
    guard file >= 0 else { return [] }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    lseek(file, max(0, size - off_t(most)), SEEK_SET)
    return readSome(file, most: most).bytesOrNone
  }

  /// The number of bytes of a task's log, 0 if there is none.
  package func size(of id: TaskID) -> Int { state.logs?.size(of: name(id)) ?? 0 }

  /// A watch that notices when a log grows, nil if the system cannot give one.
  package func watch() -> FolderWatch? {
    guard let logs = state.logs else { return nil }
    let watch = FolderWatch()
    return watch.add(Array(logs.path.utf8)) == 0 ? watch : nil
  }

  /// Opens a task's log to read it.
  ///
  /// - Returns: A descriptor, which the caller closes, or -1 and sets `errno`.
  func open(_ id: TaskID) -> Int32 { state.logs?.openForReading(name(id)) ?? -1 }

  /// The path of a task's log, relative to the user's directory if possible; nil if the task has written nothing.
  package func shownPath(_ id: TaskID) -> String? {
    guard let logs = state.logs, logs.hasFile(name(id)) else { return nil }
    let path = "\(logs.path)/\(name(id))"
    return path.hasPrefix("\(home)/") ? String(path.dropFirst(home.count + 1)) : path
  }

  /// The path of a task's log by the link to the latest run, valid until another run begins; nil as `shownPath(_:)`.
  package func shortPath(_ id: TaskID) -> String? {
    guard let path = shownPath(id), let logs = state.logs else { return nil }
    let run = logs.path.split(separator: "/").dropLast().last ?? ""
    return path.replacing(
      "/\(run)/\(RunFolder.logs)/", with: "/\(StateFolder.latest)/\(RunFolder.logs)/",
      maxReplacements: 1)
  }

  private func name(_ id: TaskID) -> String {
    StateFolder.logName(names[id.index], index: id.index)
  }
}
