/// The logs of the tasks of a run, for those who show them.
///
/// `LogReader` reads those of a run's folder while the run writes them.
package protocol TaskLogs: Sendable {
  /// A part of a task's log.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - offset: Where the part begins.
  ///   - most: The maximum number of bytes.
  /// - Returns: The bytes, empty at the end of the log and if there is none.
  func bytes(of task: TaskID, from offset: Int, most: Int) -> [UInt8]
  /// The end of a task's log.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - most: The maximum number of bytes.
  /// - Returns: The last bytes, empty if there is no log.
  func tail(_ task: TaskID, most: Int) -> [UInt8]
  /// The number of bytes of a task's log, 0 if there is none.
  func size(of task: TaskID) -> Int
  /// The path of a task's log, as a person would type it; nil if the task has written nothing.
  func shownPath(_ task: TaskID) -> String?
  /// The path of a task's log by the link to the latest run, which is short; nil if there is none.
  func shortPath(_ task: TaskID) -> String?
}
