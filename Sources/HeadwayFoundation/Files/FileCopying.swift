internal import Foundation

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// A file that is copied under a name of its own, and takes that of the destination at the end.
struct FileCopying: FileWork {
  /// Where the bytes come from.
  private let source: FileSource
  /// Where the copy goes.
  private let destination: URL
  /// Whether what is there already is replaced.
  private let isReplacing: Bool
  /// Where the copy is until it is whole.
  private let unfinished: URL
  /// The open copy.
  private let handle: FileHandle

  /// Opens the source and creates the unfinished copy.
  ///
  /// - Throws: `CocoaError` when one of the two cannot be; nothing is left behind.
  init(_ source: URL, to destination: URL, isReplacing: Bool, chunkSize: Int) throws {
    guard destination.isFileURL else { throw FileFailure.notAFileURL(destination) }
    self.source = try FileSource(source, chunkSize: chunkSize)
    self.destination = destination
    self.isReplacing = isReplacing
    let name = ".\(UUID().uuidString).partial"
    unfinished = destination.deletingLastPathComponent().appending(path: name)
    do {
      try Self.check(destination, isReplacing: isReplacing)
      handle = try Self.create(unfinished)
    } catch {
      self.source.close()
      throw error
    }
  }

  var file: URL { source.file }
  var size: Int { source.size }

  mutating func step() throws -> Int {
    let chunk = try source.read()
    if !chunk.isEmpty { try handle.write(contentsOf: chunk) }
    return chunk.count
  }

  mutating func finish() throws {
    source.close()
    guard fchmod(handle.fileDescriptor, mode_t(source.permissions)) == 0 else {
      throw FileFailure.system(errno, at: unfinished)
    }
    try handle.close()
    try isReplacing ? rename() : link()
  }

  mutating func abandon() {
    source.close()
    try? handle.close()
    try? FileManager.default.removeItem(at: unfinished)
  }

  /// Gives the copy the name of the destination, whatever has it.
  private func rename() throws {
    // Both strings live as long as the call.
    let result = unsafe Self.systemRename(unfinished.posixPath, destination.posixPath)
    if result != 0 { throw FileFailure.system(errno, at: destination) }
  }

  /// Gives the copy the name of the destination, if nobody has it.
  private func link() throws {
    // Both strings live as long as the call.
    if unsafe Self.systemLink(unfinished.posixPath, destination.posixPath) == 0 {
      return try FileManager.default.removeItem(at: unfinished)
    }
    let error = errno
    // Some file systems have one name for a file and no more.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error) else {
      throw FileFailure.system(error, at: destination)
    }
    try Self.check(destination, isReplacing: false)
    try rename()
  }

  /// The system's `rename`, which the function above hides.
  private static func systemRename(
    _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
  ) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.rename(old, new)
    #elseif canImport(Musl)
      unsafe Musl.rename(old, new)
    #else
      unsafe Darwin.rename(old, new)
    #endif
  }

  /// The system's `link`, which the function above hides.
  private static func systemLink(
    _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
  ) -> Int32 {
    #if canImport(Glibc)
      unsafe Glibc.link(old, new)
    #elseif canImport(Musl)
      unsafe Musl.link(old, new)
    #else
      unsafe Darwin.link(old, new)
    #endif
  }

  /// Looks before the work begins whether the copy could take its place.
  private static func check(_ destination: URL, isReplacing: Bool) throws {
    // Of a link itself, not of what it leads to.
    let type = try? FileManager.default.attributesOfItem(atPath: destination.posixPath)[.type]
    guard let type = type as? FileAttributeType else { return }
    if !isReplacing { throw FileFailure.system(EEXIST, at: destination) }
    if type == .typeDirectory { throw FileFailure.system(EISDIR, at: destination) }
  }

  /// Creates a file that nobody else may read.
  private static func create(_ file: URL) throws -> FileHandle {
    // The string lives as long as the call.
    let descriptor = unsafe open(file.posixPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw FileFailure.system(errno, at: file.deletingLastPathComponent())
    }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}

/// Makes the errors that Foundation has no function for.
enum FileFailure {
  /// A URL that names no file on this machine.
  static func notAFileURL(_ url: URL) -> CocoaError {
    CocoaError(
      .fileReadUnsupportedScheme,
      userInfo: [
        NSURLErrorKey: url,
        NSLocalizedDescriptionKey: "“\(url)” is no file URL: pass one with the scheme file",
      ])
  }

  /// A folder, a device or a pipe.
  static func notRegular(_ file: URL) -> CocoaError {
    CocoaError(
      .fileReadUnknown,
      userInfo: [
        NSFilePathErrorKey: file.posixPath,
        NSLocalizedDescriptionKey: "“\(file.posixPath)” is no regular file: pass the path of one",
      ])
  }

  /// A failed system call.
  ///
  /// - Parameters:
  ///   - error: The value of `errno`.
  ///   - file: What the call was about.
  /// - Returns: The error as Foundation has it.
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
