internal import Glibc

/// The log of one task: everything that it writes, whole and in order, whatever happens to the runner.
///
/// The file is made by the first byte, so a silent task costs none. A full disk stops the log, not the task.
/// Not thread safe: it belongs to the run loop.
struct TaskLog {
  /// Where the file is; most tasks write nothing, so the path is made when it is needed.
  private let state: StateFolder
  /// The name of the task.
  private let name: String
  /// The place of the task.
  private let place: Int
  /// The open file, -1 while there is none.
  private var file: Int32 = -1
  /// The error that broke the log, after which nothing more is written; 0 while there is none.
  private(set) var failure: Int32 = 0
  /// Whether the last byte was not the end of a line.
  private var isMidLine = false

  /// Creates a log that has no file yet.
  init(_ state: StateFolder, name: String, place: Int) {
    self.state = state
    self.name = name
    self.place = place
  }

  /// Appends what a task wrote.
  mutating func append(_ bytes: some Collection<UInt8>) {
    guard let last = bytes.suffix(1).first, openFile() else { return }
    isMidLine = last != UInt8(ascii: "\n")
    failure = writeAll(file, bytes)
  }

  /// Appends a remark of the runner, on a line of its own.
  mutating func remark(_ text: String) {
    append(Array("\(isMidLine ? "\n" : "")[headway] \(text)\n".utf8))
  }

  /// Opens the file for a task that writes to it itself and may outlive the run.
  ///
  /// - Returns: The descriptor, which stays ours; -1 when the file cannot be made.
  mutating func descriptor() -> Int32 {
    openFile() ? file : -1
  }

  /// Closes the file; the next byte opens it again.
  mutating func close() {
    if file >= 0 { Glibc.close(file) }
    file = -1
  }

  /// Opens the file where it is not open, and tells whether it can be written.
  private mutating func openFile() -> Bool {
    guard file < 0, failure == 0 else { return failure == 0 }
    let path = state.logPath(name, place: place)
    file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    if file < 0 && errno == ENOENT && makeFolder(state.logFolder) == 0 {
      // Somebody has removed the folder; what comes from now on is kept.
      file = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    }
    if file < 0 { failure = errno }
    return file >= 0
  }
}
