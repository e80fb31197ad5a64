internal import HeadwayLibc
internal import HeadwayLock
package import HeadwayRun
package import HeadwaySystem

/// Writes the events of a run to its journal.
///
/// Each update of the run is one write, before anybody hears of its events. An error, such as a full disk, ends the
/// journal, not the run. The file is locked as long as it is open, and the kernel drops the lock when the process dies,
/// so that others know whether the run is alive. `JournalSync` has the disk store it meanwhile. Used on the thread of the
/// run.
package final class Journal {
  /// The name of the file in the folder of a run.
  static let fileName = "journal.jsonl"

  /// The open file, -1 if there is none.
  private var file: Int32
  /// The lines of an update, which are written at once.
  private var line: JSONLine
  /// The number of bytes that were written as whole lines.
  private var size: Int = 0
  /// The error after which nothing more was written, 0 if there is none.
  package private(set) var failure: Int32 = 0
  /// Has the disk store what was written; nil without a file.
  private let disk: JournalSync?

  /// Creates the journal of a run; without a folder, none is written.
  ///
  /// - Parameters:
  ///   - folder: The folder of the run.
  ///   - names: The names of the tasks.
  package init(in folder: PrivateDirectory?, names: [String]) {
    line = JSONLine(names: names)
    file = folder?.openForAppending(Self.fileName) ?? -1
    if file < 0 {
      failure = folder == nil ? ENOENT : errno
      disk = nil
    } else {
      FileLock.take(file)
      disk = folder.map(Self.disk)
    }
  }

  deinit { close() }

  /// What stores the journal in a folder, with the header beside it: the one is worth nothing without the other.
  ///
  /// It opens the files for itself, so that it may end after the run without keeping the lock of the journal.
  private static func disk(_ folder: PrivateDirectory) -> JournalSync {
    let hasHeader = Guarded(false)
    return JournalSync {
      let isFirst = hasHeader.withLock { hasHeader in
        defer { hasHeader = true }
        return !hasHeader
      }
      let header = isFirst ? [folder.sync(RunHeader.fileName), folder.sync()] : []
      return (header + [folder.sync(Self.fileName)]).first { $0 != 0 } ?? 0
    }
  }

  /// Writes the next events of the run.
  ///
  /// - Returns: The lines, whether they could be written or not; ``failure`` says so.
  @discardableResult
  package func write(_ events: [RunEvent]) -> [UInt8] {
    guard !events.isEmpty else { return [] }
    line.bytes.removeAll(keepingCapacity: true)
    for event in events { line.appendToJournal(event) }
    if failure == 0 { keepLine() }
    return line.bytes
  }

  private func keepLine() {
    failure = writeAll(file, line.bytes)
    if failure == 0 {
      size += line.bytes.count
      disk?.request()
    } else {
      // Readers skip an incomplete line; it is cut off so that the file has whole lines only.
      ftruncate(file, off_t(size))
    }
  }

  /// Waits until the disk has stored all that was written.
  package func sync() {
    guard file >= 0 else { return }
    let error = waitForDisk(file)
    if failure == 0 { failure = error }
  }

  /// Closes the journal: the run is over for all who look at it.
  package func close() {
    disk?.stop()
    if file >= 0 { HeadwayLibc.close(file) }
    file = -1
  }

  /// What the user should know about the journal at the end, nil if it is complete.
  package var warning: String? {
    let failure = failure == 0 ? disk?.failure ?? 0 : failure
    return failure == 0
      ? nil
      : "the journal of this run is incomplete: \(errorDescription(failure)); `headway resume` may repeat tasks"
  }
}

extension JSONLine {
  /// Appends an event as a line of a journal: with its sum, and with the end of the line.
  mutating func appendToJournal(_ event: RunEvent) {
    let start = bytes.count
    begin()
    event.write(to: &self)
    LineSum.end(&bytes, from: start)
    bytes.append(UInt8(ascii: "\n"))
  }
}
