internal import Foundation
internal import HeadwayProgress

/// What one look at a Foundation `Progress` has found.
struct FoundationReading: Sendable, Equatable {
  /// The completed units as Foundation has them, at least 0.
  var completed = 0
  /// The units of the work, nil while it is indeterminate.
  var total: Int?
  /// The part of the work that is done, with that of Foundation's children, from 0 to 1.
  var fraction = 0.0
  /// Whether the work has ended.
  var isFinished = false
  /// Whether it was cancelled.
  var isCancelled = false
  /// Whether it is paused.
  var isPaused = false
  /// What sort of work it is.
  var kind = WorkKind.work
  /// The path of the file that it is about.
  var filePath: String?
  /// The number of files.
  var totalFileCount: Int?
  /// The number of files that are done.
  var completedFileCount: Int?
  /// Units a second.
  var throughput: Double?
  /// The time that is left.
  var remainingTime: Duration?

  /// The marks of the nodes below, if the source is a node; see `ProgressNode.isAtOrBelow(_:)`.
  var ancestryMarks: Set<ObjectIdentifier>?

  /// A progress that has not begun.
  init() {}

  /// Looks at a progress; nobody else may touch it meanwhile.
  init(of progress: Progress) {
    let (done, whole) = (progress.completedUnitCount, progress.totalUnitCount)
    completed = Int(clamping: max(done, 0))
    total = progress.isIndeterminate ? nil : Int(clamping: max(whole, 0))
    fraction = min(max(progress.fractionCompleted, 0), 1)
    if fraction.isNaN { fraction = 0 }
    isFinished = progress.isFinished
    isCancelled = progress.isCancelled
    isPaused = progress.isPaused
    read(progress.userInfo, isFile: progress.kind == .file)
  }

  /// Takes over what a node was that a progress stands for.
  init(of snapshot: ProgressSnapshot) {
    completed = snapshot.completed
    total = snapshot.total
    fraction = snapshot.fraction
    isFinished = snapshot.isFinished
    isCancelled = snapshot.isCancelled
    isPaused = snapshot.isPaused
    ancestryMarks = snapshot.sum(of: AncestryMark.self)
    read(snapshot.foundationValues, isFile: snapshot.kind.countsBytes)
  }

  /// Reads the typed values.
  mutating func read(_ values: [ProgressUserInfoKey: Any], isFile: Bool) {
    if isFile { kind = .file(Self.operation(values[.fileOperationKindKey])) }
    guard !values.isEmpty else { return }
    filePath = (values[.fileURLKey] as? URL).flatMap {
      $0.isFileURL ? $0.path(percentEncoded: false) : nil
    }
    totalFileCount = Self.number(values[.fileTotalCountKey]).map(Self.whole)
    completedFileCount = Self.number(values[.fileCompletedCountKey]).map(Self.whole)
    throughput = Self.number(values[.throughputKey])
    remainingTime = Self.number(values[.estimatedTimeRemainingKey]).map {
      .seconds(min(max($0, 0), 1e15))
    }
  }

  /// The operation that a value stands for.
  private static func operation(_ value: Any?) -> FileOperation? {
    let name = (value as? Progress.FileOperationKind)?.rawValue ?? value as? String
    return FileOperation.allCases.first { $0.foundationName == name }
  }

  /// The number that a value stands for, nil for none or for one that is not finite.
  private static func number(_ value: Any?) -> Double? {
    let number: Double? =
      switch value {
      case let value as Int: Double(value)
      case let value as Int64: Double(value)
      case let value as Double: value
      case let value as NSNumber: value.doubleValue
      default: nil
      }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// The whole number nearest to another.
  private static func whole(_ number: Double) -> Int {
    Int(exactly: number.rounded()) ?? (number < 0 ? 0 : .max)
  }

  /// The counts for a node, in Foundation's units where those say all, and otherwise in finer ones.
  ///
  /// Foundation's children count in its fraction and not in its units until they finish.
  var counts: MirroredUnits {
    guard let total, total > 0, !isFinished else {
      return MirroredUnits(completed: completed, total: total)
    }
    let own = Double(completed) / Double(total)
    if abs(fraction - own) * Double(total) < 1e-6 {
      return MirroredUnits(completed: completed, total: total)
    }
    return MirroredUnits(
      completed: Int(fraction * Double(Self.fineUnits)), total: Self.fineUnits, isFine: true)
  }

  /// The units of a node that counts finer than Foundation.
  static let fineUnits = 1_000_000_000
}

/// The counts of a node that mirrors a progress.
struct MirroredUnits: Sendable, Equatable {
  /// The completed units.
  var completed: Int
  /// The units of the work, nil while not known.
  var total: Int?
  /// Whether the units are finer than those of the progress.
  var isFine = false

  /// One change of a node.
  enum Change: Equatable {
    /// Sets the completed units.
    case completed(Int)
    /// Sets the units of the work.
    case total(Int?)
  }

  /// What to do to a node, in the order in which nobody who looks in between sees more than before and after.
  ///
  /// - Parameter old: The counts of the node, nil for one of which nothing was set.
  /// - Returns: The changes that are needed.
  func changes(from old: MirroredUnits?) -> [Change] {
    var changes: [Change] = []
    if old?.completed != completed { changes.append(.completed(completed)) }
    guard old == nil || old?.total != total else { return changes }
    // A total that shrinks waits for the count, one that grows goes before it.
    let isShrinking = total ?? .max < old?.total ?? .max
    changes.insert(.total(total), at: isShrinking ? changes.endIndex : 0)
    return changes
  }
}

extension FileOperation {
  /// Foundation's name of the operation, which some versions have no constant for.
  var foundationName: String {
    switch self {
    case .downloading: Progress.FileOperationKind.downloading.rawValue
    case .decompressing: Progress.FileOperationKind.decompressingAfterDownloading.rawValue
    case .receiving: Progress.FileOperationKind.receiving.rawValue
    case .copying: Progress.FileOperationKind.copying.rawValue
    case .uploading: "NSProgressFileOperationKindUploading"
    case .duplicating: "NSProgressFileOperationKindDuplicating"
    }
  }
}
