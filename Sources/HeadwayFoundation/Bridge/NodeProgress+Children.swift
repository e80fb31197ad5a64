internal import Foundation
internal import HeadwayLock
internal import HeadwayProgress

extension NodeProgress {
  /// Records that a child has joined the scope of this thread.
  func markJoined() {
    let thread = ObjectIdentifier(Thread.current)
    memory.withLock { memory in
      guard let index = memory.scopes.lastIndex(where: { $0.thread == thread }) else { return }
      memory.scopes[index].isJoined = true
    }
  }

  /// Records that the progress has become current on this thread.
  func enterScope(units: Int64) {
    let scope = CurrentScope(
      thread: ObjectIdentifier(Thread.current), units: Int(clamping: max(units, 0)))
    memory.withLock { $0.scopes.append(scope) }
  }

  /// Records that the progress is no longer current on this thread, and completes its units if no child has joined.
  func leaveScope() {
    let thread = ObjectIdentifier(Thread.current)
    let scope = memory.withLock { memory -> CurrentScope? in
      guard let index = memory.scopes.lastIndex(where: { $0.thread == thread }) else { return nil }
      return memory.scopes.remove(at: index)
    }
    if let scope, !scope.isJoined { node?.complete(scope.units) }
    // Foundation has counted the units of the scope itself.
    update()
  }
}

extension NodeProgress {
  /// Sets the kind of the node.
  func setKind(isFile: Bool, values: [ProgressUserInfoKey: Any]) {
    guard let node, isFile != node.kind.countsBytes else { return }
    var reading = FoundationReading()
    reading.read(values, isFile: isFile)
    node.kind = reading.kind
  }

  /// Sets the node's value for a key, if nodes have such a value.
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
    // The node's own: the longest time of a descendant is not that of the whole.
    values[.estimatedTimeRemainingKey] = self[ProgressKeys.RemainingTime.self].map {
      $0 / .seconds(1)
    }
    return values
  }
}
