internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayText

/// The log of one task: all its output, in order, whatever happens to the runner.
///
/// With a limit, it keeps the beginning of the output, up to that size, and says that the rest is missing. Notes of the runner are
/// always written.
///
/// The first byte creates the file, so a silent task has none. A write error ends the log, not the task. Not thread
/// safe: it belongs to the run loop.
package struct TaskLog {
  /// The folder and the name from which the file is opened once it is needed; most tasks write nothing.
  private let state: StateFolder
  private let fileName: String
  /// Looks for a text in the output, nil if nobody waits for one.
  package var search: TextSearch?
  /// The open file, -1 if there is none.
  private var file: Int32 = -1
  /// The error after which nothing more is written, 0 if there is none.
  package private(set) var failure: Int32 = 0
  /// Whether the last byte was not a newline.
  private var isMidLine = false
  /// Hides secrets, nil for a plan without any.
  private let mask: SecretMask?
  /// What the mask holds back.
  private var stream = SecretMask.Stream()
  /// The bytes that the file may have, nil for no limit.
  private let limit: Int?
  /// The bytes of the file when it was opened, and of what was written since; counted only with a limit.
  private var size = 0
  /// Whether output was left out.
  private var isCut = false

  /// Creates a log without a file.
  package init(_ state: StateFolder, fileName: String, mask: SecretMask? = nil, limit: Int? = nil) {
    self.limit = limit
    self.mask = mask
    self.state = state
    self.fileName = fileName
  }

  /// Creates the log of a task without a file.
  package init(
    _ state: StateFolder, name: String, index: Int, mask: SecretMask? = nil, limit: Int? = nil
  ) {
    self.init(
      state, fileName: StateFolder.logName(name, index: index), mask: mask, limit: limit)
  }

  /// Appends output of the task.
  ///
  /// Not generic, because the compiler makes no fast copy of a generic function for another module.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    // In all of it, and not in what is stored: that may be cut, and secrets are taken out of it.
    unsafe search?.append(bytes)
    if let mask {
      write(unsafe mask.masked(bytes, in: &stream))
    } else {
      unsafe write(bytes)
    }
  }

  /// Writes bytes without secrets, up to the limit.
  private mutating func write(_ bytes: some Collection<UInt8>) {
    guard let limit else { return store(bytes) }
    guard !bytes.isEmpty, !isCut, openFile() else { return }
    let room = max(limit - size, 0)
    store(bytes.prefix(room))
    guard bytes.count > room else { return }
    isCut = true
    note("the rest of the output was not stored: it exceeds the limit of \(grouped(limit)) bytes")
  }

  private mutating func store(_ bytes: some Collection<UInt8>) {
    guard let last = bytes.suffix(1).first, openFile() else { return }
    isMidLine = last != UInt8(ascii: "\n")
    if limit != nil { size += bytes.count }
    failure = writeAll(file, bytes)
  }

  /// Appends a note of the runner, on a line of its own.
  ///
  /// It does not end a secret that is being printed: what is held back stays so.
  package mutating func note(_ text: String) {
    let text = mask?.masked(text) ?? text
    store(Array("\(isMidLine ? "\n" : "")[headway] \(text)\n".utf8))
  }

  /// Opens the file for a task that writes to it itself.
  ///
  /// - Returns: The descriptor, which the log closes; nil if the file cannot be opened.
  package mutating func descriptor() -> Int32? {
    openFile() ? file : nil
  }

  /// Closes the file, as the output is over; the next byte opens it again.
  package mutating func close() {
    if let mask { write(mask.rest(of: &stream)) }
    if file >= 0 { HeadwayLibc.close(file) }
    file = -1
  }

  /// Opens the file if it is not open; returns whether it can be written.
  private mutating func openFile() -> Bool {
    guard file < 0, failure == 0 else { return failure == 0 }
    guard let logs = state.logs else {
      failure = ENOENT
      return false
    }
    file = logs.openForAppending(fileName)
    if file < 0 { failure = errno }
    if limit != nil { size = logs.size(of: fileName) }
    return file >= 0
  }
}
