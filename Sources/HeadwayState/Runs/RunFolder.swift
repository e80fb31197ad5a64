package import HeadwayLibc
internal import HeadwayRun
package import HeadwaySystem
internal import HeadwayText

/// The folder of a run: `.headway/runs/20261121-101500-4711`.
///
/// Reading it needs no lock and no help of the run, also while the run goes on. Safe from any thread.
package struct RunFolder: Sendable {
  /// The name of the run.
  package let name: String
  /// The folder.
  let directory: PrivateDirectory

  /// The number of bytes that are read at once.
  package static let readSize = 1 << 16
  /// The folder of all runs in a state folder.
  static let parent = "runs"
  /// The folder of the logs in that of a run.
  static let logs = "logs"
  /// The file of what the run said to people after it was detached.
  package static let messages = "messages.log"

  /// The runs in a state folder, the newest first.
  ///
  /// - Parameter stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The folders that have a header and can be used; none if there is no state folder.
  /// - Throws: `StateError.folder` if the state folder belongs to another user or can be written by others.
  package static func all(in stateFolder: String) throws(StateError) -> [RunFolder] {
    try entries(in: stateFolder).compactMap(\.usable)
  }

  /// The runs in a state folder, the newest first, with those that cannot be used.
  ///
  /// - Parameter stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The runs; none if there is no state folder.
  /// - Throws: `StateError.folder` if the state folder belongs to another user or can be written by others.
  package static func entries(in stateFolder: String) throws(StateError) -> [RunEntry] {
    try StateFolder(existing: stateFolder, plan: "").runs?.entries ?? []
  }

  /// Finds a run.
  ///
  /// - Parameters:
  ///   - name: The name of the run; nil or `latest` for the newest that is not inside of another one.
  ///   - stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The folder, nil if there is none.
  /// - Throws: `StateError.folder` if the state folder belongs to another user or can be written by others; `StateError.run` or
  ///   `StateError.newestRun` if the folder of the run cannot be used.
  package static func named(
    _ name: String?, in stateFolder: String
  ) throws(StateError) -> RunFolder? {
    guard let name, name != StateFolder.latest else {
      return try newest(of: nil, in: stateFolder)
    }
    guard StateFolder.processNumber(of: name) != nil else { return nil }
    return try StateFolder(existing: stateFolder, plan: "").runs?.run(named: name)
  }

  /// The shortest beginning of a name that stands for the whole.
  private static let shortestBeginning = 4

  /// Finds a run by a beginning of its name that no other run has.
  ///
  /// - Parameters:
  ///   - beginning: The beginning, of at least four characters.
  ///   - stateFolder: The path of the state folder, without a trailing slash.
  /// - Returns: The folder, nil if there is none or there are several.
  /// - Throws: `StateError.folder` if the state folder belongs to another user or can be written by others; `StateError.run` if the
  ///   folder of the run cannot be used.
  package static func only(
    beginningWith beginning: String, in stateFolder: String
  ) throws(StateError) -> RunFolder? {
    guard beginning.utf8.count >= shortestBeginning else { return nil }
    guard let runs = try StateFolder(existing: stateFolder, plan: "").runs else { return nil }
    let found = runs.unorderedNames.filter { $0.hasPrefix(beginning) }
    return found.count == 1 ? try runs.run(named: found[0]) : nil
  }

  /// The state folder of a run that goes on, which may be anywhere.
  ///
  /// - Parameters:
  ///   - run: The name of the run.
  ///   - process: The process that carries it out, which has the journal open.
  /// - Returns: The path of the state folder, nil if the process of another user or has no such journal.
  package static func stateFolder(of run: String, heldBy process: pid_t) -> String? {
    let files = "/proc/\(process)/fd"
    let end = "/\(parent)/\(run)/\(Journal.fileName)"
    for file in FileSystem.names(in: Array(files.utf8)) {
      guard let target = FileSystem.target(ofLink: Array(files.utf8) + [UInt8(ascii: "/")] + file)
      else { continue }
      let path = String(decoding: target, as: UTF8.self)
      if path.hasSuffix(end) { return String(path.dropLast(end.count)) }
    }
    return nil
  }

  /// When the journal was last written, in milliseconds since 1970; nil if there is none.
  package var lastWritten: Int64? {
    let file = openJournal()
    guard file >= 0 else { return nil }
    defer { close(file) }
    return Self.lastChange(of: file)
  }

  /// When an open file was last written, in milliseconds since 1970; nil if that is unknown.
  static func lastChange(of file: Int32) -> Int64? {
    FileStatus(descriptor: file)?.modified.wholeMilliseconds
  }

  /// A watch that notices when the journal grows, nil if the system cannot give one.
  package func watch() -> FolderWatch? {
    let watch = FolderWatch()
    return watch.add(Array(directory.path.utf8)) == 0 ? watch : nil
  }

  /// A watch that notices when the journal or a log grows, nil if the system cannot give one.
  package func watchWithLogs() -> FolderWatch? {
    guard let watch = watch() else { return nil }
    let logs = "\(directory.path)/\(Self.logs)"
    return watch.add(Array(logs.utf8)) == 0 ? watch : nil
  }

  /// Whether a word has the form of the name of a run.
  package static func isName(_ word: String) -> Bool { StateFolder.processNumber(of: word) != nil }

  /// Opens the folder of a run, nil if it has no header.
  init?(_ name: String, in runs: PrivateDirectory) {
    guard let directory = try? runs.directory(name, creates: false) else { return nil }
    self.init(name, directory: directory)
    if !hasHeader { return nil }
  }

  /// Takes over the folder of a run.
  init(_ name: String, directory: PrivateDirectory) {
    self.name = name
    self.directory = directory
  }

  /// Whether the run has a header, so that it is one.
  var hasHeader: Bool { directory.hasFile(RunHeader.fileName) }

  /// Reads what was asked, and the plan as it was read.
  ///
  /// - Throws: `StateError.run` if the header is missing, damaged or of a newer version.
  package func header() throws(StateError) -> RunHeader {
    let bytes = directory.contents(of: RunHeader.fileName, most: RunHeader.maxBytes)
    return try RunHeader(bytes, of: name)
  }

  /// Opens the journal to read it, and to read on as it grows.
  ///
  /// - Returns: A descriptor, which the caller closes, nil if there is no journal.
  /// - Throws: `StateError.run` if it cannot be opened for another reason, because then nothing is known of the run.
  func journal() throws(StateError) -> Int32? {
    let file = openJournal()
    if file >= 0 { return file }
    guard errno != ENOENT else { return nil }
    throw .run(name, "its journal cannot be opened: \(errorDescription(errno))")
  }

  /// Opens the journal; -1 if that is not possible, for any reason.
  private func openJournal() -> Int32 { directory.openForReading(Journal.fileName) }

  /// Reads the run as it is now.
  ///
  /// - Throws: `StateError.run` if the header is missing or damaged, or the run was written by a newer version.
  package func read() throws(StateError) -> StoredRun {
    try read(try header())
  }

  /// Reads the journal of a run whose header was read.
  ///
  /// - Throws: `StateError.run` if the journal was written by a newer version.
  package func read(_ header: RunHeader) throws(StateError) -> StoredRun {
    // Before the journal is read: what is written until the process has died, is read.
    let isRunning = isRunning(header)
    var journal = try JournalFollower(self, header, JournalReader(header))
    while case .events = try journal.next() {}
    return StoredRun(header, journal.reader, isRunning: isRunning, isMissing: journal.isMissing)
  }

  /// Whether the run goes on, as far as that is known without reading its header.
  package var mayBeRunning: Bool {
    let file = openJournal()
    defer { if file >= 0 { close(file) } }
    if file >= 0, let isTaken = FileLock.isTaken(file) { return isTaken }
    return hasProcess
  }

  /// Whether there is a process with the number in the name of the run, which may by now be that of another program.
  var hasProcess: Bool {
    StateFolder.processNumber(of: name).map(ProcessIdentity.exists) ?? false
  }

  /// Whether the run goes on.
  ///
  /// The process of a run holds a lock on its journal. Where the file system knows no locks, its number, its start and
  /// the boot of the machine decide.
  ///
  /// - Parameter header: The header of the run.
  /// - Returns: Whether it does; nil if that cannot be known, as for a run of another machine.
  package func isRunning(_ header: RunHeader) -> Bool? {
    let isHere = header.machine.host == MachineIdentity(cores: 1).host
    let file = openJournal()
    // A run without a journal has not begun, or cannot write.
    if file >= 0 {
      defer { close(file) }
      switch FileLock.isTaken(file) {
      case true: return true
      case false where isHere: return false
      case false, nil: break
      }
    }
    return isHere ? header.process.isAlive : nil
  }

  /// The next bytes of a file, none at its present end.
  static func next(_ file: Int32) -> [UInt8] {
    readSome(file, most: readSize).bytesOrNone
  }
}
