internal import Foundation
internal import HeadwayProgress

/// Decides what to say of a snapshot; the words and the numbers are those of others.
struct ProgressSpeaker {
  /// The phrases of the language.
  let words: any ProgressWords
  /// Writes the numbers.
  let numbers: ProgressNumbers

  /// The first line: what is done.
  func summary(of snapshot: ProgressSnapshot) -> String {
    if !snapshot.label.isEmpty { return snapshot.label }
    if snapshot.isCancelled { return snapshot.isFinished ? words.cancelled : words.cancelling }
    switch snapshot.kind {
    case .file(let operation):
      let files = filePhrase(of: snapshot)
      return snapshot.isFinished
        ? words.done(operation, files, numbers) : words.doing(operation, files, numbers)
    case .work:
      if snapshot.isIndeterminate { return words.working }
      let percent = ProgressNumbers.wholePercent(
        of: snapshot.shownFraction, isFinished: snapshot.isFinished)
      return words.completed(percent: numbers.percent(percent))
    }
  }

  /// The second line: how far it is, behind what keeps it from going on.
  func details(of snapshot: ProgressSnapshot) -> String {
    let line = snapshot.detail.flatMap { $0.isEmpty ? nil : $0 } ?? measure(of: snapshot)
    guard let halt = halt(of: snapshot) else { return line }
    return line.isEmpty ? halt : words.joined(halt, line)
  }

  /// What keeps the work from going on and is not in the first line, nil for nothing.
  private func halt(of snapshot: ProgressSnapshot) -> String? {
    if snapshot.isCancelled {
      // Without a label it is what the first line says.
      if snapshot.label.isEmpty { return nil }
      return snapshot.isFinished ? words.cancelled : words.cancelling
    }
    return snapshot.isPaused && !snapshot.isFinished ? words.paused : nil
  }

  /// How much of how much, and how fast while the work goes on.
  private func measure(of snapshot: ProgressSnapshot) -> String {
    var line = amount(of: snapshot)
    if snapshot.isFinished || snapshot.isCancelled || snapshot.isPaused { return line }
    if let speed = speed(of: snapshot) {
      line = line.isEmpty ? speed : words.amount(line, at: speed)
    }
    // The node's own: the time of some of the work below says nothing of the whole.
    if let span = snapshot[ProgressKeys.RemainingTime.self].flatMap(SpanOfTime.init) {
      let remaining = words.remaining(span, numbers)
      line = line.isEmpty ? remaining : words.joined(line, remaining)
    }
    return line
  }

  /// How much of how much, empty for nothing of an unknown total.
  private func amount(of snapshot: ProgressSnapshot) -> String {
    switch snapshot.kind {
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

  /// The bytes of work on files: those that it says itself, or its units, or else those of the work below.
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
    // What live children have done is in the fraction and not yet in the count.
    let done = (Double(total) * snapshot.fraction).rounded()
    return (max(snapshot.completed, Int(exactly: done) ?? total), total)
  }

  /// The speed of work on files, nil when nobody has measured one that makes sense.
  private func speed(of snapshot: ProgressSnapshot) -> String? {
    guard snapshot.kind != .work, let speed = snapshot.sum(of: ProgressKeys.Throughput.self),
      speed.isFinite, speed >= 1
    else { return nil }
    return words.speed(numbers.bytes(Int(exactly: speed.rounded()) ?? .max))
  }

  /// How the files are spoken of.
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

  /// The last part of a path, which is the path itself where there is none.
  private static func name(ofPath path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}

/// The counts of what a node mirrors, where the node counts in finer units.
enum MirroredCounts: ProgressKey {
  /// Counts as they were set.
  struct Value: Sendable, Equatable {
    /// The completed units.
    var completed: Int
    /// The units of the work.
    var total: Int?
  }

  /// The counts of different work do not add up; nobody asks for their sum.
  static func combined(_ left: Value, _ right: Value) -> Value {
    (left.completed, left.total ?? -1) < (right.completed, right.total ?? -1) ? right : left
  }

  /// Nothing stays of them.
  static func kept(_ sum: Value) -> Value? { nil }
}
