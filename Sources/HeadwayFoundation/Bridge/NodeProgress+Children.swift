internal import Foundation
internal import HeadwayLock
internal import HeadwayProgress

extension NodeProgress {
  /// Notes that somebody has joined the scope of this thread.
  func markJoined() {
    let thread = ObjectIdentifier(Thread.current)
    memory.withLock { memory in
      guard let place = memory.scopes.lastIndex(where: { $0.thread == thread }) else { return }
      memory.scopes[place].isJoined = true
    }
  }

  /// Notes that the progress has become current on this thread.
  func enterScope(units: Int64) {
    let scope = CurrentScope(
      thread: ObjectIdentifier(Thread.current), units: Int(clamping: max(units, 0)))
    memory.withLock { $0.scopes.append(scope) }
  }

  /// Notes that the progress is not current on this thread any more, and completes units that nobody has
  /// taken.
  func leaveScope() {
    let thread = ObjectIdentifier(Thread.current)
    let scope = memory.withLock { memory -> CurrentScope? in
      guard let place = memory.scopes.lastIndex(where: { $0.thread == thread }) else { return nil }
      return memory.scopes.remove(at: place)
    }
    if let scope, !scope.isJoined { node?.complete(scope.units) }
    // Foundation has counted the units of the scope in its own way.
    update()
  }
}

extension NodeProgress {
  /// Sets what sort of work the node is.
  func setKind(isFile: Bool, values: [ProgressUserInfoKey: Any]) {
    guard let node, isFile != node.kind.countsBytes else { return }
    var reading = FoundationReading()
    reading.read(values, isFile: isFile)
    node.kind = reading.kind
  }

  /// Sets the node's value of a key, if it has such.
  func setNode(_ key: ProgressUserInfoKey, from values: [ProgressUserInfoKey: Any]) {
    guard let node else { return }
    var reading = FoundationReading()
    reading.read(values, isFile: node.kind.countsBytes)
    switch key {
    case .fileURLKey: node.filePath = reading.filePath
    case .fileTotalCountKey: node.totalFileCount = reading.totalFileCount
    case .fileCompletedCountKey: node.completedFileCount = reading.completedFileCount
    case .throughputKey: node.throughput = reading.throughput
    case .estimatedTimeRemainingKey: node.remainingTime = reading.remainingTime
    case .fileOperationKindKey where node.kind.countsBytes: node.kind = reading.kind
    default: break
    }
  }
}

extension ProgressSnapshot {
  /// The typed values under Foundation's keys.
  var foundationValues: [ProgressUserInfoKey: Any] {
    var values: [ProgressUserInfoKey: Any] = [:]
    if case .file(let operation?) = kind {
      values[.fileOperationKindKey] = Progress.FileOperationKind(
        rawValue: operation.foundationName)
    }
    values[.fileURLKey] = fileURL
    values[.fileTotalCountKey] = sum(of: ProgressKeys.TotalFileCount.self)
    values[.fileCompletedCountKey] = sum(of: ProgressKeys.CompletedFileCount.self)
    values[.throughputKey] = sum(of: ProgressKeys.Throughput.self).flatMap {
      Int(exactly: $0.rounded())
    }
    // The node's own: the longest below is not the time of the whole.
    values[.estimatedTimeRemainingKey] = self[ProgressKeys.RemainingTime.self].map {
      $0 / .seconds(1)
    }
    return values
  }
}
