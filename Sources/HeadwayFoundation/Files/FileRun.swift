internal import Foundation
internal import HeadwayProgress

/// Work on a file that goes on chunk by chunk.
protocol FileWork {
  /// What comes out.
  associatedtype Result
  /// The file.
  var file: URL { get }
  /// The bytes that the file has at the beginning.
  var size: Int { get }
  /// Does the next chunk.
  ///
  /// - Returns: The bytes that were done, 0 at the end of the file.
  mutating func step() throws -> Int
  /// Does what comes after the last chunk.
  mutating func finish() throws -> Result
  /// Removes what an unfinished piece of work has left.
  mutating func abandon()
}

/// Takes work on a file to its end, and reports it to the current node.
struct FileRun<Work: FileWork, C: Clock> where C.Duration == Duration {
  /// The work.
  private var work: Work
  /// What it reports to.
  let node: ProgressNode
  /// What measures the time.
  private let clock: C
  /// When the work began.
  private let start: C.Instant
  /// The time without the pauses.
  private var active = ActiveTime(startingAt: .zero)

  /// Joins the current node.
  ///
  /// - Parameters:
  ///   - work: The work.
  ///   - operation: What is done with the file, where there is a word for it.
  ///   - clock: What measures the time.
  init(_ work: Work, operation: FileOperation?, clock: C) {
    self.work = work
    self.clock = clock
    start = clock.now
    node = ProgressNode.joinCurrent(total: work.size)
    node.kind = .file(operation)
    node.fileURL = work.file
    node.totalFileCount = 1
    node.completedFileCount = 0
  }

  /// The time since the work began.
  private var now: Duration { start.duration(to: clock.now) }

  /// Works to the end, blocking the thread while the node is paused.
  ///
  /// - Parameter looked: Called after each chunk.
  /// - Returns: What comes out of the work.
  /// - Throws: `CocoaError(.userCancelled)`, and what goes wrong with the files.
  mutating func toEnd(_ looked: (ProgressNode) throws -> Void = { _ in }) throws -> Work.Result {
    do {
      repeat {
        // What a checkpoint takes is a pause, whenever that begins.
        active.note(isPaused: true, at: now)
        try node.blockingUserCheckpoint()
        active.note(isPaused: false, at: now)
      } while try goOn(looked)
      return try end()
    } catch {
      work.abandon()
      throw error
    }
  }

  /// Works to the end, waiting while the node is paused.
  ///
  /// - Parameter looked: Called after each chunk.
  /// - Returns: What comes out of the work.
  /// - Throws: `CocoaError(.userCancelled)`, and what goes wrong with the files.
  mutating func toEndWaiting(
    _ looked: (ProgressNode) throws -> Void = { _ in }
  ) async throws -> Work.Result {
    do {
      repeat {
        // What a checkpoint takes is a pause, whenever that begins.
        active.note(isPaused: true, at: now)
        try await node.userCheckpoint()
        active.note(isPaused: false, at: now)
      } while try goOn(looked)
      return try end()
    } catch {
      work.abandon()
      throw error
    }
  }

  /// Does a chunk and reports it.
  ///
  /// - Returns: Whether there may be more.
  private mutating func goOn(_ looked: (ProgressNode) throws -> Void) throws -> Bool {
    let count = try work.step()
    guard count > 0 else { return false }
    node.complete(count)
    let done = node.completed
    // A file that grows meanwhile is read to where it ends then.
    if done > work.size { node.total = done }
    let elapsed = active.elapsed(at: now) / .seconds(1)
    if elapsed > 0 {
      let speed = Double(done) / elapsed
      node.throughput = speed
      node.remainingTime = .seconds(Double(max(work.size - done, 0)) / speed)
    }
    try looked(node)
    return true
  }

  /// Ends the work.
  private mutating func end() throws -> Work.Result {
    let result = try work.finish()
    node.total = node.completed
    node.completedFileCount = 1
    node.finish()
    return result
  }
}

/// A regular file that is read from its beginning to its end.
struct FileSource {
  /// Where it is, without symbolic links.
  let file: URL
  /// The bytes that it has at the beginning.
  let size: Int
  /// Who may do what with it.
  let permissions: UInt16
  /// The open file.
  private let handle: FileHandle
  /// The most bytes to read at a time.
  private let chunkSize: Int

  /// Opens a file.
  ///
  /// - Throws: `CocoaError` when it cannot be read or is no regular file.
  init(_ file: URL, chunkSize: Int) throws {
    precondition(chunkSize > 0, "a chunk of \(chunkSize) bytes: it must have at least 1")
    guard file.isFileURL else { throw FileFailure.notAFileURL(file) }
    let path = file.resolvingSymlinksInPath().path(percentEncoded: false)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    guard attributes[.type] as? FileAttributeType == .typeRegular else {
      throw FileFailure.notRegular(file)
    }
    self.file = file
    self.chunkSize = chunkSize
    size = (attributes[.size] as? NSNumber)?.intValue ?? 0
    permissions = (attributes[.posixPermissions] as? NSNumber)?.uint16Value ?? 0o600
    handle = try FileHandle(forReadingFrom: URL(filePath: path))
  }

  /// Reads the next chunk.
  ///
  /// - Returns: The bytes, empty at the end.
  func read() throws -> Data { try handle.read(upToCount: chunkSize) ?? Data() }

  /// Closes the file.
  func close() { try? handle.close() }
}

/// A file that is read into memory.
struct FileReading: FileWork {
  /// The file.
  private let source: FileSource
  /// What was read so far.
  private var data = Data()

  /// Opens a file.
  init(_ file: URL, chunkSize: Int) throws {
    source = try FileSource(file, chunkSize: chunkSize)
    data.reserveCapacity(source.size)
  }

  var file: URL { source.file }
  var size: Int { source.size }

  mutating func step() throws -> Int {
    let chunk = try source.read()
    data.append(chunk)
    return chunk.count
  }

  mutating func finish() -> Data {
    source.close()
    return data
  }

  mutating func abandon() { source.close() }
}
