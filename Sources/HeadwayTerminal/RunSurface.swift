public import HeadwayLaunch
public import HeadwayRun

/// What a surface shows of a run besides its events.
public struct RunDescription: Sendable {
  /// The name of the plan.
  public var name: String
  /// The tasks, with their names and settings.
  public var graph: LaunchGraph
  /// Says how far the run is; each surface goes on from a copy of its own.
  public var forecaster: RunForecaster
  /// Reads the end of a task's log: at most the given number of bytes, empty when there is none yet.
  public var tail: @Sendable (TaskID, Int) -> [UInt8]
  /// The path of a task's log, as a person would type it; nil when the task has written nothing.
  public var logPath: @Sendable (TaskID) -> String?

  /// Creates the description of a run.
  ///
  /// - Parameters:
  ///   - name: The name of the run.
  ///   - graph: The tasks.
  ///   - forecaster: Says how far the run is, and knows its history; nil for one that knows none.
  ///   - tail: Reads the end of a task's log.
  ///   - logPath: The path of a task's log.
  public init(
    name: String, graph: LaunchGraph, forecaster: RunForecaster? = nil,
    tail: @escaping @Sendable (TaskID, Int) -> [UInt8] = { _, _ in [] },
    logPath: @escaping @Sendable (TaskID) -> String? = { _ in nil }
  ) {
    self.name = name
    self.graph = graph
    self.forecaster = forecaster ?? RunForecaster(graph, workers: 1)
    self.tail = tail
    self.logPath = logPath
  }
}

/// The size of a terminal in cells.
public struct ScreenSize: Hashable, Sendable {
  /// The number of columns.
  public var columns: Int
  /// The number of rows.
  public var rows: Int

  /// Creates a size.
  public init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }
}

/// A way to show a run: a pure value that turns events and frames into bytes.
///
/// It owns no clock, no file and no thread; `SurfaceThread` drives it.
public protocol RunSurface: Sendable {
  /// Takes the next event of the run in.
  ///
  /// - Parameters:
  ///   - event: What happened.
  ///   - output: The bytes to write; a surface appends to it.
  mutating func receive(_ event: RunEvent, into output: inout [UInt8])

  /// Draws what moves by itself.
  ///
  /// - Parameters:
  ///   - now: The time since the run began.
  ///   - size: The size of the terminal now.
  ///   - output: The bytes to write; a surface appends to it, and nothing when nothing changed.
  mutating func frame(at now: Duration, size: ScreenSize, into output: inout [UInt8])

  /// Tells when `frame(at:size:into:)` wants to be called next.
  ///
  /// - Parameter now: The time since the run began.
  /// - Returns: A time since the run began, nil when nothing moves by itself.
  func nextFrame(after now: Duration) -> Duration?

  /// Takes away what would be overwritten later, before the program stops or something else draws.
  ///
  /// - Parameter output: The bytes to write.
  mutating func withdraw(into output: inout [UInt8])

  /// Takes a key press in.
  ///
  /// - Parameter key: The byte that the keyboard sent.
  mutating func press(_ key: UInt8)
}

extension RunSurface {
  /// Ignores the key: most surfaces have nothing to choose from.
  public mutating func press(_ key: UInt8) {}
}
