internal import Foundation
internal import HeadwayLibc

/// Copies a file under a temporary name and renames it to the destination at the end.
struct FileCopying: FileTask {
  private let source: FileSource
  private let destination: URL
  /// Whether an existing file is replaced.
  private let isReplacing: Bool
  /// The temporary name.
  private let temporary: URL
  private let handle: FileHandle

  /// Opens the source and creates the temporary copy; leaves nothing behind if that fails.
  init(_ source: URL, to destination: URL, isReplacing: Bool, chunkSize: Int) throws {
    guard destination.isFileURL else { throw FileFailure.notAFileURL(destination) }
    self.source = try FileSource(source, chunkSize: chunkSize)
    self.destination = destination
    self.isReplacing = isReplacing
    let name = ".\(UUID().uuidString).partial"
    temporary = destination.deletingLastPathComponent().appending(path: name)
    do {
      try Self.check(destination, isReplacing: isReplacing)
      handle = try Self.create(temporary)
    } catch {
      self.source.close()
      throw error
    }
  }

  var file: URL { source.file }
  var size: Int { source.size }

  mutating func processChunk() throws -> Int {
    let chunk = try source.read()
    if !chunk.isEmpty { try handle.write(contentsOf: chunk) }
    return chunk.count
  }

  mutating func finish() throws {
    source.close()
    guard fchmod(handle.fileDescriptor, mode_t(source.permissions)) == 0 else {
      throw FileFailure.system(errno, at: temporary)
    }
    try handle.close()
    try isReplacing ? rename() : link()
  }

  mutating func abandon() {
    source.close()
    try? handle.close()
    try? FileManager.default.removeItem(at: temporary)
  }

  /// Renames the copy to the destination, replacing an existing file.
  private func rename() throws {
    // Both strings outlive the call.
    let result = unsafe HeadwayLibc.rename(temporary.posixPath, destination.posixPath)
    if result != 0 { throw FileFailure.system(errno, at: destination) }
  }

  /// Renames the copy to the destination unless a file exists there.
  private func link() throws {
    // Both strings outlive the call.
    if unsafe HeadwayLibc.link(temporary.posixPath, destination.posixPath) == 0 {
      return try FileManager.default.removeItem(at: temporary)
    }
    let error = errno
    // Some file systems do not support hard links.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error) else {
      throw FileFailure.system(error, at: destination)
    }
    try Self.check(destination, isReplacing: false)
    try rename()
  }

  /// Checks that the copy may be renamed to the destination.
  private static func check(_ destination: URL, isReplacing: Bool) throws {
    // The type of a link itself, not that of its target.
    let type = try? FileManager.default.attributesOfItem(atPath: destination.posixPath)[.type]
    guard let type = type as? FileAttributeType else { return }
    if !isReplacing { throw FileFailure.system(EEXIST, at: destination) }
    if type == .typeDirectory { throw FileFailure.system(EISDIR, at: destination) }
  }

  /// Creates a file that only its owner can access.
  private static func create(_ file: URL) throws -> FileHandle {
    // The string outlives the call.
    let descriptor = unsafe open(file.posixPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw FileFailure.system(errno, at: file.deletingLastPathComponent())
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

/// Errors with a path.
enum FileFailure {
  /// A URL that is not a file URL.
  static func notAFileURL(_ url: URL) -> CocoaError {
    CocoaError(
      .fileReadUnsupportedScheme,
      userInfo: [
        NSURLErrorKey: url,
        NSLocalizedDescriptionKey: "“\(url)” is not a file URL: pass one with the scheme file",
      ])
  }

  /// A directory, a device or a pipe.
  static func notRegular(_ file: URL) -> CocoaError {
    CocoaError(
      .fileReadUnknown,
      userInfo: [
        NSFilePathErrorKey: file.posixPath,
        NSLocalizedDescriptionKey:
          "“\(file.posixPath)” is not a regular file: pass the path of one",
      ])
  }

  /// A failed system call, with the value of `errno`.
  static func system(_ error: Int32, at file: URL) -> CocoaError {
    let code: CocoaError.Code =
      switch error {
      case ENOENT, ENOTDIR: .fileNoSuchFile
      case EACCES, EPERM: .fileWriteNoPermission
      case EEXIST: .fileWriteFileExists
      case ENOSPC, EDQUOT: .fileWriteOutOfSpace
      case EROFS: .fileWriteVolumeReadOnly
      case ENAMETOOLONG: .fileWriteInvalidFileName
      default: .fileWriteUnknown
      }
    return CocoaError(
      code,
      userInfo: [
        NSFilePathErrorKey: file.posixPath,
        NSUnderlyingErrorKey: NSError(domain: NSPOSIXErrorDomain, code: Int(error)),
      ])
  }
}

extension URL {
  /// The path for system calls.
  var posixPath: String { path(percentEncoded: false) }
}
