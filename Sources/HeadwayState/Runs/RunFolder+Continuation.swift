internal import HeadwayLibc
internal import HeadwaySystem

/// Holds the lock of a run that another one goes on with, until that ends or dies.
package final class RunLock: Sendable {
  private let file: Int32

  /// Takes over the file with the lock.
  init(_ file: Int32) { self.file = file }

  deinit { close(file) }
}

extension RunFolder {
  /// The file with the name of the run that went on with this one.
  static let continuationName = "resumed"
  /// The maximum number of bytes of such a name.
  private static let maxNameBytes = 64

  /// The name of the run that went on with this one, nil if none did.
  package var continuation: String? {
    let bytes = directory.contents(of: Self.continuationName, most: Self.maxNameBytes)
    let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return StateFolder.processNumber(of: name) == nil ? nil : name
  }

  /// Notes which run goes on with this one.
  package func noteContinuation(_ name: String) {
    _ = directory.replace(Self.continuationName, with: Array("\(name)\n".utf8))
  }

  /// Whether the header was written to its end.
  package var hasWholeHeader: Bool {
    let file = directory.openForReading(RunHeader.fileName)
    guard file >= 0, lseek(file, -1, SEEK_END) >= 0 else {
      if file >= 0 { close(file) }
      return false
    }
    defer { close(file) }
    return Self.next(file) == [UInt8(ascii: "\n")]
  }

  /// Takes the lock for going on with this run; nil if another process has it.
  ///
  /// It is that of the header, as the one of the journal says that the run itself goes on.
  package func lock() -> RunLock? {
    let file = directory.openForAppending(RunHeader.fileName)
    // A folder that cannot be written, or a file system without locks.
    if file < 0 || FileLock.take(file) == 0 || FileLock.isTaken(file) != true {
      return RunLock(file)
    }
    close(file)
    return nil
  }
}
