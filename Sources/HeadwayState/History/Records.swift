internal import HeadwayLibc
package import HeadwayRun

extension MachineIdentity {
  /// Creates the identity of this machine.
  ///
  /// - Parameter cores: The number of cores that the run may use.
  package init(cores: Int) {
    // One byte more than is offered, so that the name ends in a zero even if it was cut.
    var name = [CChar](repeating: 0, count: 257)
    unsafe gethostname(&name, 256)
    let bytes = name.prefix { $0 != 0 }
    self.init(cores: cores, host: fingerprint(of: bytes.lazy.map { UInt8(bitPattern: $0) }))
  }
}

extension TaskIdentity {
  /// Computes the fingerprint of a command.
  ///
  /// - Parameter words: The program and its arguments, or the text for a shell; empty for a task without a command.
  /// - Returns: A hash of the words; 0 for no words, so that such tasks are not mistaken for each other.
  package static func fingerprint(of words: [String]) -> UInt64 {
    if words.isEmpty { return 0 }
    var bytes: [UInt8] = []
    for word in words {
      bytes += word.utf8
      // UTF-8 never contains the byte that ends each word.
      bytes.append(0xff)
    }
    return max(HeadwayState.fingerprint(of: bytes), 1)
  }
}

/// A 64-bit hash (FNV-1a), which does not protect against deliberate collisions.
func fingerprint(of bytes: some Sequence<UInt8>) -> UInt64 {
  bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
}

extension Outcome.Kind {
  /// The number of the outcome of a run in the file, which never changes its meaning.
  var runCode: Int {
    switch self {
    case .succeeded, .upToDate, .doneEarlier: 0
    case .failed, .timedOut: 1
    case .cancelled, .skipped: 2
    case .lost: 3
    }
  }

  /// Reads the number of a task's outcome, nil if there is none with it.
  init?(taskNumber: Int) {
    guard Self.allCases.indices.contains(taskNumber) else { return nil }
    self = Self.allCases[taskNumber]
  }

  /// Reads the number of a run's outcome, nil if there is none with it.
  init?(runCode: Int) {
    let kinds: [Outcome.Kind] = [.succeeded, .failed, .cancelled, .lost]
    guard kinds.indices.contains(runCode) else { return nil }
    self = kinds[runCode]
  }
}

/// What a record says about how long its task takes.
package enum Observation: Hashable, Sendable {
  /// The task takes exactly this long.
  case exact
  /// The task takes at least this long.
  case censored
  /// Nothing is known.
  case missing
}

extension TaskRecord {
  /// How long the task took as a whole, if that says how long it takes; nil if it is unknown.
  package var duration: Duration? { attempts > 1 && took != nil ? ran : took }

  /// What the record says about how long the task takes; nothing without an attempt whose duration is known.
  package var observation: Observation {
    switch outcome {
    case .succeeded: took == nil ? .missing : .exact
    case .failed, .timedOut, .cancelled: took == nil ? .missing : .censored
    case .upToDate, .doneEarlier, .skipped, .lost, nil: .missing
    }
  }
}

extension RunRecord {
  /// Whether every task was attempted: a run that was cut short proves no forecast wrong.
  package var isComplete: Bool {
    switch outcome {
    case .succeeded, .upToDate, .doneEarlier: true
    case .failed, .timedOut:
      records.allSatisfy { ![.skipped, .cancelled, .lost].contains($0.outcome) }
    case .cancelled, .skipped, .lost, nil: false
    }
  }

  /// The errors of its forecasts; empty for an incomplete run, or if tasks were up to date or done earlier.
  ///
  /// How well an incremental run is forecast depends on what has changed, and so proves nothing about other runs.
  package var forecastErrors: [ForecastError] {
    guard let total, isComplete, !records.contains(where: \.tookNothing)
    else { return [] }
    return forecasts.filter { $0.at <= total }.compactMap { ForecastError($0, total: total) }
  }
}

/// The error of a forecast, known after the run has ended.
package struct ForecastError: Hashable, Sendable {
  /// When the forecast was made, since the run began.
  package let at: Duration
  /// The remaining time that was forecast.
  package let told: RemainingTime
  /// The actual remaining time.
  package let remaining: Duration
  /// By how much the median was too long; negative if it was too short.
  package let excess: Duration
  /// Whether the actual time was inside the predicted 80% range.
  package let isInside: Bool

  /// Compares a forecast with the actual end; nil if there was no estimate.
  ///
  /// - Parameters:
  ///   - forecast: The forecast.
  ///   - total: How long the run took.
  init?(_ forecast: ForecastRecord, total: Duration) {
    guard let told = forecast.remaining else { return nil }
    at = forecast.at
    self.told = told
    remaining = total - forecast.at
    excess = told.median - remaining
    isInside = told.low <= remaining && remaining <= told.high
  }
}

extension Duration {
  /// The whole nanoseconds, from 0 to the maximum of 292 years.
  var storedNanoseconds: Int64 {
    self > .zero ? Int64(clamping: attoseconds / 1_000_000_000) : 0
  }
}
