package import HeadwayRun

/// Reads the logs of some tasks of a run, while it goes on or later, and turns them into lines of text or of JSON.
///
/// The text is that of `--output stream`. A pure value besides the logs.
package struct LogFeed: Sendable {
  /// The number of bytes that are read at once for lines of JSON.
  private static let readBytes = 65_536
  /// The number of bytes of a log that are read at once to find its last lines.
  private static let tailBytes = 65_536

  private let description: RunDescription
  private let isJSON: Bool
  private var feed: OutputFeed
  /// How much of each log was taken as lines of JSON, by index.
  private var offsets: [Int: Int] = [:]
  /// The tasks that run.
  package private(set) var running: Set<TaskID> = []

  /// Creates a feed that has read nothing.
  ///
  /// - Parameters:
  ///   - description: The run; `output` says whether the lines have the names of their tasks.
  ///   - isJSON: Whether the lines are objects of JSON.
  ///   - color: Whether names have colors.
  package init(_ description: RunDescription, isJSON: Bool, color: Bool) {
    self.description = description
    self.isJSON = isJSON
    feed = OutputFeed(description, color: color)
  }

  /// Leaves out all but the last lines of what a task has written so far.
  ///
  /// - Parameters:
  ///   - task: The task, of which nothing was read.
  ///   - count: The number of lines.
  /// - Complexity: O(bytes of these lines).
  package mutating func skip(_ task: TaskID, toLast count: Int) {
    let offset = start(ofLast: count, of: task)
    offsets[task.index] = offset
    feed.begin(task, at: offset)
  }

  /// The position of the last lines of a log.
  private func start(ofLast count: Int, of task: TaskID) -> Int {
    let size = description.logSize(task)
    guard count > 0 else { return size }
    var end = size
    var found = 0
    while end > 0 {
      let begin = max(end - Self.tailBytes, 0)
      let bytes = description.log(task, begin, end - begin)
      for index in bytes.indices.reversed() where bytes[index] == UInt8(ascii: "\n") {
        // The end of the last line is not the beginning of another one.
        guard begin + index < size - 1 else { continue }
        found += 1
        if found == count { return begin + index + 1 }
      }
      end = begin
    }
    return 0
  }

  /// Reads what a task writes from now on, too.
  package mutating func begin(_ task: TaskID) {
    running.insert(task)
    feed.follow(RunEvent(time: .zero, kind: .taskStarted(task, attempt: 1)))
  }

  /// The new lines of the tasks that run.
  ///
  /// - Parameter output: What to append to.
  /// - Returns: Whether there may be more.
  package mutating func next(into output: inout [UInt8]) -> Bool {
    guard isJSON else {
      feed.stream(into: &output)
      return feed.hasMore
    }
    var hasMore = false
    for task in running.sorted() where read(task, isOver: false, into: &output) { hasMore = true }
    return hasMore
  }

  /// The rest of the lines of a task that writes nothing more.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - output: What to append to.
  /// - Returns: Whether this was all; otherwise it has to be called again.
  package mutating func finish(_ task: TaskID, into output: inout [UInt8]) -> Bool {
    guard isJSON ? !read(task, isOver: true, into: &output) : feed.finish(task, into: &output)
    else { return false }
    running.remove(task)
    feed.follow(
      RunEvent(time: .zero, kind: .taskEnded(task, .succeeded, attempts: 1, ran: .zero)))
    return true
  }

  /// Reads the next part of a log as lines of JSON.
  ///
  /// - Returns: Whether there may be more.
  private mutating func read(_ task: TaskID, isOver: Bool, into output: inout [UInt8]) -> Bool {
    let offset = offsets[task.index] ?? 0
    let bytes = description.log(task, offset, Self.readBytes)
    let isFull = bytes.count >= Self.readBytes
    let pieces = OutputPieces.pieces(of: bytes, isWhole: isOver && !isFull)
    var line = JSONLine(names: description.names)
    for piece in pieces {
      line.begin()
      line.add(.task, text: description.name(of: task))
      line.add(.id, number: task.index)
      line.add(.text, text: String(decoding: bytes[piece], as: UTF8.self))
      line.end()
      line.bytes.append(UInt8(ascii: "\n"))
    }
    output += line.bytes
    offsets[task.index] = offset + (pieces.last?.upperBound ?? 0)
    return isFull
  }
}
