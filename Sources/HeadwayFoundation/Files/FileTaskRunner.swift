internal import Foundation
internal import HeadwayProgress

/// Work on a file that is done chunk by chunk.
protocol FileTask {
  associatedtype Result
  var file: URL { get }
  /// The size of the file at the beginning, in bytes.
  var size: Int { get }
  /// Processes the next chunk.
  ///
  /// - Returns: The number of bytes, 0 at the end of the file.
  mutating func processChunk() throws -> Int
  /// Completes the work after the last chunk.
  mutating func finish() throws -> Result
  /// Removes what unfinished work has left behind.
  mutating func abandon()
}

/// Runs a file task and reports it to a child of the current node.
struct FileTaskRunner<Work: FileTask, C: Clock> where C.Duration == Duration {
  private var task: Work
  let node: ProgressNode
  private let clock: C
  private let start: C.Instant
  private var active = ActiveTime(startingAt: .zero)

  /// Joins the current node.
  init(_ task: Work, operation: FileOperation?, clock: C) {
    self.task = task
    self.clock = clock
    start = clock.now
    node = ProgressNode.joinCurrent(total: task.size)
    node.kind = .file(operation)
    node.fileURL = task.file
    node.totalFileCount = 1
    node.completedFileCount = 0
  }

  /// The time since the start.
  private var now: Duration { start.duration(to: clock.now) }

  /// Runs the task, blocking the thread while the node is paused; tests observe each chunk.
  mutating func run(_ afterChunk: (ProgressNode) throws -> Void = { _ in }) throws -> Work.Result {
    do {
      repeat {
        // The time of a checkpoint counts as a pause.
        active.note(isPaused: true, at: now)
        try node.blockingCheckpoint()
        active.note(isPaused: false, at: now)
      } while try processChunk(afterChunk)
      return try end()
    } catch {
      task.abandon()
      throw error
    }
  }

  /// Runs the task, suspending while the node is paused; tests observe each chunk.
  mutating func runWaiting(
    _ afterChunk: (ProgressNode) throws -> Void = { _ in }
  ) async throws -> Work.Result {
    do {
      repeat {
        // The time of a checkpoint counts as a pause.
        active.note(isPaused: true, at: now)
        try await node.checkpoint()
        active.note(isPaused: false, at: now)
      } while try processChunk(afterChunk)
      return try end()
    } catch {
      task.abandon()
      throw error
    }
  }

  /// Processes and reports a chunk.
  ///
  /// - Returns: Whether there may be more.
  private mutating func processChunk(_ afterChunk: (ProgressNode) throws -> Void) throws -> Bool {
    let count = try task.processChunk()
    guard count > 0 else { return false }
    node.complete(count)
    let done = node.completed
    // A file that grows meanwhile is read to its new end.
    if done > task.size { node.total = done }
    let elapsed = active.elapsed(at: now) / .seconds(1)
    if elapsed > 0 {
      let speed = Double(done) / elapsed
      node.throughput = speed
      node.remainingTime = .seconds(Double(max(task.size - done, 0)) / speed)
    }
    try afterChunk(node)
    return true
  }

  private mutating func end() throws -> Work.Result {
    let result = try task.finish()
    node.total = node.completed
    node.completedFileCount = 1
    node.finish()
    return result
  }
}

/// A regular file that is open for reading.
struct FileSource {
  let file: URL
  /// The size at the beginning, in bytes.
  let size: Int
  let permissions: UInt16
  private let handle: FileHandle
  private let chunkSize: Int

  /// Opens a file.
  ///
  /// - Throws: `CocoaError` if it cannot be read or is not a regular file.
  init(_ file: URL, chunkSize: Int) throws {
    precondition(chunkSize > 0, "the chunk size is \(chunkSize), but must be at least 1")
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

  /// Reads the next chunk; empty at the end.
  func read() throws -> Data { try handle.read(upToCount: chunkSize) ?? Data() }

  func close() { try? handle.close() }
}

/// Reads a file into memory.
struct FileReading: FileTask {
  private let source: FileSource
  private var data = Data()

  init(_ file: URL, chunkSize: Int) throws {
    source = try FileSource(file, chunkSize: chunkSize)
    data.reserveCapacity(source.size)
  }

  var file: URL { source.file }
  var size: Int { source.size }

  mutating func processChunk() throws -> Int {
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
