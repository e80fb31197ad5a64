internal import HeadwayLibc
package import HeadwayRun

/// Reads the journal of a run, and reads on while it grows, until the run has ended or its process has died.
///
/// It waits for nothing: whoever follows a journal waits until the folder changes, with a limit, because nothing tells that a process
/// has died. Not thread safe.
package struct JournalFollower: ~Copyable {
  /// What comes next.
  package enum Next {
    /// Events; none if only the beginning of a line is new.
    case events([RunEvent])
    /// Nothing for the time being.
    case nothing
    /// Nothing any more, because the process of the run is dead and all that it has written was read.
    case died
  }

  /// Reads the events.
  package private(set) var reader: JournalReader
  /// Whether the last part was as long as a part can be, so that there is probably more.
  package private(set) var hasMore = false
  /// Whether there is no journal.
  package let isMissing: Bool
  private let folder: RunFolder
  private let header: RunHeader
  private let file: Int32
  private var mayGoOn = true

  /// Begins to follow a run, or goes on where a reader has stopped.
  ///
  /// - Parameters:
  ///   - folder: The folder of the run.
  ///   - header: The header of the run.
  ///   - reader: The reader.
  /// - Throws: `StateError.run` if there is a journal that cannot be opened.
  package init(
    _ folder: RunFolder, _ header: RunHeader, _ reader: JournalReader
  ) throws(StateError) {
    let journal = try folder.journal()
    self.folder = folder
    self.header = header
    self.reader = reader
    isMissing = journal == nil
    file = journal ?? -1
    if file >= 0, reader.offset > 0 { lseek(file, off_t(reader.offset), SEEK_SET) }
  }

  deinit { if file >= 0 { close(file) } }

  /// Reads the next part.
  ///
  /// - Throws: `StateError.run` if the journal was written by a newer version.
  package mutating func next() throws(StateError) -> Next {
    let bytes = file >= 0 ? RunFolder.next(file) : []
    hasMore = bytes.count >= RunFolder.readSize
    if bytes.isEmpty { return mayGoOn ? .nothing : .died }
    return .events(try reader.append(bytes))
  }

  /// Finds out whether the process of the run is alive; what it has written is read in any case.
  package mutating func checkProcess() { mayGoOn = folder.isRunning(header) != false }
}
