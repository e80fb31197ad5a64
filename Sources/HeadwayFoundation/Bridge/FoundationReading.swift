internal import Foundation
internal import HeadwayProgress

/// The values of a Foundation `Progress`, or of a node, at one moment.
struct FoundationReading: Sendable, Equatable {
  /// The completed units, at least 0.
  var completed = 0
  /// The units of the work, nil if indeterminate.
  var total: Int?
  /// The completed part of the work including that of children, from 0 to 1.
  var fraction = 0.0
  var isFinished = false
  var isCancelled = false
  var isPaused = false
  var kind = WorkKind.work
  var filePath: String?
  var totalFileCount: Int?
  var completedFileCount: Int?
  var throughput: Double?
  var remainingTime: Duration?

  /// The marks of the nodes below, if the source is a node; see `ProgressNode.isAtOrBelow(_:)`.
  var ancestryMarks: Set<ObjectIdentifier>?

  /// The values of a progress that has not begun.
  init() {}

  /// Reads a progress, which no other thread may use meanwhile.
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

  /// Reads the snapshot of a node.
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
    totalFileCount = Self.number(values[.fileTotalCountKey]).map(Self.rounded)
    completedFileCount = Self.number(values[.fileCompletedCountKey]).map(Self.rounded)
    throughput = Self.number(values[.throughputKey])
    remainingTime = Self.number(values[.estimatedTimeRemainingKey]).map {
      .seconds(min(max($0, 0), 1e15))
    }
  }

  private static func operation(_ value: Any?) -> FileOperation? {
    let name = (value as? Progress.FileOperationKind)?.rawValue ?? value as? String
    return FileOperation.allCases.first { $0.foundationName == name }
  }

  /// The number in a value, nil if it is none or not finite.
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

  private static func rounded(_ number: Double) -> Int {
    Int(exactly: number.rounded()) ?? (number < 0 ? 0 : .max)
  }

  /// The counts for a node: in Foundation's units if they match the fraction, otherwise in finer units.
  ///
  /// Until they finish, Foundation's children count in its fraction and not in its units.
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

  /// The total of a node that counts in finer units.
  static let fineUnits = 1_000_000_000
}

/// The counts of a mirroring node.
struct MirroredUnits: Sendable, Equatable {
  var completed: Int
  var total: Int?
  /// Whether the units are finer than Foundation's.
  var isFine = false

  enum Change: Equatable {
    case completed(Int)
    case total(Int?)
  }

  /// The changes to a node, ordered so that its fraction is never too large in between; nil stands for a new node.
  func changes(from old: MirroredUnits?) -> [Change] {
    var changes: [Change] = []
    if old?.completed != completed { changes.append(.completed(completed)) }
    guard old == nil || old?.total != total else { return changes }
    // A total that shrinks is set after the count, one that grows before it.
    let isShrinking = total ?? .max < old?.total ?? .max
    changes.insert(.total(total), at: isShrinking ? changes.endIndex : 0)
    return changes
  }
}

extension FileOperation {
  /// Foundation's name of the operation; some versions lack the constants.
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
