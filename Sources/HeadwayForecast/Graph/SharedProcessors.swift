/// How much longer tasks take that share the processors of a machine.
///
/// A task computes for a part of its time, its *share*, and waits for the rest: for a timer, the network, a disk. The share of one
/// that uses several processors at once is above 1. While the shares of the running tasks add up to more than there are
/// processors, computing takes longer by a factor *F*, and waiting as long as before. So a task of the share *s* takes
/// *1 + min(s, 1) · (F − 1)* times as long, its *pace*, and *F* is the solution of *Σ sᵢ / paceᵢ = processors*.
enum SharedProcessors {
  /// A task that is under way.
  struct RunningTask: Sendable {
    var task: Int32
    /// The share of its time in which it computes.
    var share: Double
    /// How long it takes from now on with a processor to itself.
    var left: Double
    /// When it began.
    var begin: Double

    /// How much longer it takes if computing takes longer by a factor.
    @inline(__always)
    func pace(_ factor: Double) -> Double { SharedProcessors.pace(share, factor) }
  }

  /// How much longer a task of a share takes if computing takes longer by a factor.
  @inline(__always)
  static func pace(_ share: Double, _ factor: Double) -> Double {
    1 + min(share, 1) * (factor - 1)
  }

  /// The rounds in which the factor is found: it is exact after one if all shares are alike.
  private static let rounds = 4

  /// The factor by which computing takes longer.
  ///
  /// - Parameters:
  ///   - tasks: The running tasks.
  ///   - processors: The number of processors they share.
  /// - Returns: The factor, 1 while there are enough processors.
  /// - Complexity: O(tasks).
  @inline(__always)
  static func factor(_ tasks: Span<RunningTask>, processors: Double) -> Double {
    var load = 0.0
    for index in tasks.indices { load += tasks[index].share }
    guard load > processors else { return 1 }
    // Newton's method for 1 / Σ, which is a straight line if all shares are alike.
    var factor = 1.0
    for _ in 0..<rounds {
      var (sum, slope) = (0.0, 0.0)
      for index in tasks.indices {
        let (share, pace) = (tasks[index].share, tasks[index].pace(factor))
        sum += share / pace
        slope += share * min(share, 1) / (pace * pace)
      }
      guard slope > 0 else { break }
      factor += sum * sum / slope * (1 / processors - 1 / sum)
    }
    return max(factor, 1)
  }
}

extension DurationHistory {
  /// What a task would have taken with a processor to itself.
  struct OwnTime {
    /// The seconds.
    var seconds: Double
    /// The share of its last attempt in which that computed, nil if it is unknown.
    var share: Double?
    /// How much longer computing took because processors were shared, nil if that is unknown.
    var factor: Double?

    /// The factor up to which there were enough processors.
    fileprivate static let calm = 1.02
  }

  /// The least share that is taken from other runs: with less, a task hardly depends on processors.
  private static let leastShare = 0.1

  /// What the tasks of each run would have taken if each had found a free processor.
  ///
  /// A task that computed all the time that it could get looks the same whether it would have computed more or waited. So its
  /// share is taken from runs with enough processors, if there are any.
  ///
  /// - Returns: One for each sample of each run.
  /// - Complexity: O(*n* log *n*) for *n* samples, O(*n*) if there were enough processors for all.
  func ownTimes() -> [[OwnTime]] {
    var times = runs.map { $0.ownTimes() }
    guard times.contains(where: { $0.contains { $0.factor ?? 1 > OwnTime.calm } }) else {
      return times
    }
    var shares: [Task: (sum: Double, count: Double)] = [:]
    for (run, own) in zip(runs, times) {
      for (sample, time) in zip(run.samples, own) {
        guard let share = time.share, let factor = time.factor, factor <= OwnTime.calm else {
          continue
        }
        shares[Task(name: sample.name, kind: sample.kind), default: (0, 0)].sum += share
        shares[Task(name: sample.name, kind: sample.kind), default: (0, 0)].count += 1
      }
    }
    for (index, run) in runs.enumerated() {
      for (place, sample) in run.samples.enumerated() {
        let time = times[index][place]
        guard time.factor ?? 1 > OwnTime.calm, let cpu = sample.cpuTime?.nonnegativeSeconds,
          let known = shares[Task(name: sample.name, kind: sample.kind)]
        else { continue }
        let share = known.sum / known.count
        let took = (sample.lastAttempt ?? sample.duration).nonnegativeSeconds
        guard share >= Self.leastShare, share <= 1 else { continue }
        times[index][place].share = share
        times[index][place].seconds =
          sample.duration.nonnegativeSeconds - took + min(cpu / share, took)
      }
    }
    return times
  }
}

extension DurationHistory.Run {
  /// The part of what it could get from which on a task is taken for one that always computes: other programs use processors,
  /// too, and no task computes while it starts.
  private static let enough = 0.75
  /// The rounds in which it is found out which tasks of the run computed.
  private static let rounds = 12

  /// What the tasks would have taken if each had found a free processor.
  ///
  /// How many tasks competed for processors at a time follows from when they ran and from their CPU time. At first each is taken
  /// for one that always computes. One that was given less than its part of the processors has waited for something else, so
  /// the others had more, and so on.
  ///
  /// - Returns: One for each sample.
  /// - Complexity: O(*n* log *n*) for *n* samples, O(*n*) if there were enough processors for all.
  func ownTimes() -> [DurationHistory.OwnTime] {
    var times = samples.map { sample in
      let whole = sample.duration.nonnegativeSeconds
      let last = sample.lastAttempt?.nonnegativeSeconds ?? whole
      let share = sample.cpuTime.flatMap {
        last > 0 ? Self.rounded($0.nonnegativeSeconds / last) : nil
      }
      return DurationHistory.OwnTime(seconds: whole, share: share)
    }
    guard let processors, processors > 0 else { return times }
    for (index, sample) in samples.enumerated() where sample.host == nil {
      times[index].factor = times[index].share.map { _ in 1 }
    }
    var here: [Attempt] = []
    for (index, sample) in samples.enumerated() where sample.host == nil {
      guard let start = sample.start?.nonnegativeSeconds, let cpu = sample.cpuTime else { continue }
      let took = (sample.lastAttempt ?? sample.duration).nonnegativeSeconds
      if took > 0 {
        here.append(
          Attempt(
            index: index, begin: start, end: start + took, cpu: cpu.nonnegativeSeconds))
      }
    }
    let most = here.reduce(1) { max($0, $1.most) }
    if Double(min(workers ?? here.count, here.count)) * most <= Double(processors) { return times }
    divide(Double(processors), among: &here)
    for attempt in here {
      let (took, served) = (attempt.end - attempt.begin, attempt.served)
      let computing = min(attempt.cpu / served / Self.enough, 1)
      let own = took - computing * (took - served)
      times[attempt.index] = DurationHistory.OwnTime(
        seconds: max(times[attempt.index].seconds - (took - own), 0),
        share: Self.rounded(attempt.cpu / own), factor: took / served)
    }
    return times
  }

  /// A last attempt at a task.
  private struct Attempt {
    /// The index of its sample.
    let index: Int
    let begin: Double
    let end: Double
    /// The seconds that processors spent on it.
    let cpu: Double
    /// The most processors that it may have wanted at once.
    var most: Double { DurationHistory.Run.rounded(max(cpu / (end - begin), 1)) }
    /// How many it wanted on average.
    var wanted = 0.0
    /// How long it would have computed if it had always wanted to.
    var served = 0.0
  }

  /// A share without the error of its measurement, by which one processor seems to be a little more.
  private static func rounded(_ share: Double) -> Double { share < 1.1 ? min(share, 1) : share }

  /// Finds out how much of the processors each attempt has had.
  private func divide(_ processors: Double, among attempts: inout [Attempt]) {
    // Ends come before the starts of the same moment.
    var moments: [(time: Double, attempt: Int, isStart: Bool)] = []
    for (index, attempt) in attempts.enumerated() {
      moments.append((attempt.begin, index, true))
      moments.append((attempt.end, index, false))
    }
    moments.sort { ($0.time, $0.isStart ? 1 : 0) < ($1.time, $1.isStart ? 1 : 0) }
    for index in attempts.indices { attempts[index].wanted = attempts[index].most }
    for _ in 0..<Self.rounds {
      var (wanted, served, last) = (0.0, 0.0, 0.0)
      for moment in moments {
        let share = wanted > processors ? processors / wanted : 1
        served += share * (moment.time - last)
        last = moment.time
        if moment.isStart {
          attempts[moment.attempt].served = -served
          wanted += attempts[moment.attempt].wanted
        } else {
          attempts[moment.attempt].served += served
          wanted -= attempts[moment.attempt].wanted
        }
      }
      var change = 0.0
      for index in attempts.indices {
        let attempt = attempts[index]
        attempts[index].served = max(attempt.served, 1e-9)
        let next = min(attempt.cpu / attempts[index].served / Self.enough, attempt.most)
        change = max(change, (attempt.wanted - next).magnitude)
        attempts[index].wanted = next
      }
      if change < 0.01 { return }
    }
  }
}
