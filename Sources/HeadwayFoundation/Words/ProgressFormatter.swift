internal import Foundation
internal import HeadwayProgress

/// Composes the lines about a snapshot from the words of a language and formatted numbers.
struct ProgressFormatter {
  let words: any ProgressWords
  let numbers: ProgressNumbers

  init(_ locale: Locale) {
    words = ProgressLanguage(locale).words
    numbers = ProgressNumbers(locale: locale)
  }

  /// The first line: the kind of work and how much is done.
  func summary(of snapshot: ProgressSnapshot) -> String {
    if !snapshot.label.isEmpty { return snapshot.label }
    if snapshot.isCancelled { return snapshot.isFinished ? words.cancelled : words.cancelling }
    switch snapshot.kind {
    case .file(let operation):
      let files = filePhrase(of: snapshot)
      return snapshot.isFinished
        ? words.done(operation, files, numbers) : words.doing(operation, files, numbers)
    case .work, .estimated:
      if snapshot.isIndeterminate { return words.working }
      let percent = ProgressNumbers.wholePercent(
        of: snapshot.shownFraction, isFinished: snapshot.isFinished)
      return words.completed(percent: numbers.percent(percent))
    }
  }

  /// The second line: the counts, after a status such as "Paused".
  func details(of snapshot: ProgressSnapshot) -> String {
    let line = snapshot.detail.flatMap { $0.isEmpty ? nil : $0 } ?? measure(of: snapshot)
    guard let status = status(of: snapshot) else { return line }
    return line.isEmpty ? status : words.joined(status, line)
  }

  /// "Paused", "Cancelling…" or "Cancelled" if the first line does not say it, nil for none.
  private func status(of snapshot: ProgressSnapshot) -> String? {
    if snapshot.isCancelled {
      // Without a label, the first line says it.
      if snapshot.label.isEmpty { return nil }
      return snapshot.isFinished ? words.cancelled : words.cancelling
    }
    return snapshot.isPaused && !snapshot.isFinished ? words.paused : nil
  }

  /// The amount, with speed and remaining time while the work goes on.
  private func measure(of snapshot: ProgressSnapshot) -> String {
    var line = amount(of: snapshot)
    if snapshot.isFinished || snapshot.isCancelled || snapshot.isPaused { return line }
    if let speed = speed(of: snapshot) {
      line = line.isEmpty ? speed : words.amount(line, at: speed)
    }
    // The node's own: the time of a descendant is not that of the whole.
    if let span = snapshot[ProgressKeys.RemainingTime.self].flatMap(TimeSpan.init) {
      let remaining = words.remaining(span, numbers)
      line = line.isEmpty ? remaining : words.joined(line, remaining)
    }
    return line
  }

  /// The amount, such as "3 of 6"; empty for 0 of an unknown total.
  private func amount(of snapshot: ProgressSnapshot) -> String {
    switch snapshot.kind {
    case .estimated: return ""
    case .work:
      let (done, whole) =
        snapshot[MirroredCounts.self].map { ($0.completed, $0.total) }
        ?? (snapshot.completed, snapshot.total)
      if let whole { return words.part(numbers.number(done), of: numbers.number(whole)) }
      return done > 0 ? words.completed(count: numbers.number(done)) : ""
    case .file:
      let (done, whole) = bytes(of: snapshot)
      if let whole, whole > 0, done != whole || !snapshot.isFinished {
        return words.part(numbers.bytes(done), of: numbers.bytes(whole))
      }
      return done > 0 || snapshot.isFinished ? numbers.bytes(done) : ""
    }
  }

  /// The bytes of work on files: the values of the node, else its units, else the sum of its descendants.
  private func bytes(of snapshot: ProgressSnapshot) -> (done: Int, whole: Int?) {
    if let total = snapshot[ProgressKeys.TotalByteCount.self] {
      return (snapshot[ProgressKeys.CompletedByteCount.self] ?? 0, total)
    }
    guard let total = snapshot.total else {
      return (
        snapshot.sum(of: ProgressKeys.CompletedByteCount.self) ?? 0,
        snapshot.sum(of: ProgressKeys.TotalByteCount.self)
      )
    }
    let hasChildren = !snapshot.children.isEmpty || snapshot.omitsChildren
    guard hasChildren, !snapshot.isFinished else { return (snapshot.completed, total) }
    // The fraction includes the work of live children; the count does not.
    let done = (Double(total) * snapshot.fraction).rounded()
    return (max(snapshot.completed, Int(exactly: done) ?? total), total)
  }

  /// The speed of work on files, nil if there is none.
  private func speed(of snapshot: ProgressSnapshot) -> String? {
    guard snapshot.kind.countsBytes, let speed = snapshot.sum(of: ProgressKeys.Throughput.self),
      speed.isFinite, speed >= 1
    else { return nil }
    return words.speed(numbers.bytes(Int(exactly: speed.rounded()) ?? .max))
  }

  /// The files as one phrase.
  private func filePhrase(of snapshot: ProgressSnapshot) -> FilePhrase {
    let count = snapshot.sum(of: ProgressKeys.TotalFileCount.self)
    let path =
      snapshot[ProgressKeys.FilePath.self]
      ?? snapshot.sum(of: ProgressKeys.FilePath.self).flatMap { $0.count == 1 ? $0[0] : nil }
    if count ?? 1 == 1, let path { return .named(Self.name(ofPath: path)) }
    if let count, count > 0 { return .counted(count) }
    let atWork = snapshot.sum(of: ProgressKeys.FilePath.self)?.count ?? 0
    return atWork > 1 ? .counted(atWork) : .some
  }

  /// The last component of a path.
  private static func name(ofPath path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}

/// The counts of a mirrored progress, if its node counts in finer units.
enum MirroredCounts: ProgressKey {
  struct Value: Sendable, Equatable {
    var completed: Int
    var total: Int?
  }

  /// The larger one; the sum is not used.
  static func combined(_ left: Value, _ right: Value) -> Value {
    (left.completed, left.total ?? -1) < (right.completed, right.total ?? -1) ? right : left
  }

  static func finalSum(_ sum: Value) -> Value? { nil }
}
