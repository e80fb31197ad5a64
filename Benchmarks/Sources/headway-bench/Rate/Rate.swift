/// The remaining time of counted work: our estimator beside the formulas of others, on jobs whose duration is known.
///
/// The jobs are seeded and run in virtual time, so the numbers are the same in every run, and the goals decide. These
/// are the published numbers of the formulas on the six jobs, as geometric means:
///
/// | | overall mean | tqdm | 30 s window | indicatif | GNU parallel |
/// | --- | --- | --- | --- | --- | --- |
/// | error, % | 9.0 | 9.0 | 7.9 | 14.0 | 10.7 |
/// | wobble, s/s | 0.90 | 4.18 | 1.20 | 2.85 | 0.74 |
///
/// A goal for all peers is one for the best of them. Further jobs, of other kinds and lengths, are only reported.
enum Rate: Area {
  static let name = "rate"
  static let isExact = true

  /// The maximum ratio of the errors.
  private static let errorGoal = 0.85
  /// The maximum ratio of the variations.
  private static let wobbleGoal = 0.3
  /// The seeds of further jobs; constants were not chosen with them.
  private static let seeds: ClosedRange<UInt32> = 101...103

  /// The formulas of others.
  private static let peers: [any RemainingTime.Type] = [
    OverallMean.self, Tqdm.self, SlidingWindow.self, DoubleSmoothing.self, HeldMean.self,
  ]

  static func measure(_ options: Options) throws -> [Row] {
    if options.counts { return try counts() }
    let six = Field(Job.six())
    let single = six.jobs.indices.flatMap { place in
      rows(six.jobs[place].title, six.ours[place], six.theirs.map { $0[place] })
    }
    let means = rows(
      "all six jobs", six.ourMean, six.theirMeans, goals: (errorGoal, wobbleGoal))
    if options.isQuick { return single + means }
    let further = Field(seeds.flatMap(Job.further))
    return single + means
      + rows("\(further.jobs.count) further jobs", further.ourMean, further.theirMeans)
  }

  /// The rows of a job or of a mean: first the errors, then the variations.
  ///
  /// - Parameters:
  ///   - title: The name in the table.
  ///   - ours: Our score.
  ///   - theirs: The scores of the peers.
  ///   - goals: The maximum ratios of the error and the variation.
  /// - Returns: The rows.
  private static func rows(
    _ title: String, _ ours: RateScore, _ theirs: [RateScore],
    goals: (error: Double, wobble: Double)? = nil
  ) -> [Row] {
    func rows(
      _ what: String, _ unit: String, _ value: (RateScore) -> Double, _ goal: Double?
    ) -> [Row] {
      zip(peers, theirs).map { peer, score in
        Row(
          area: name, name: "\(title): \(what)", unit: unit, value: value(ours), peer: peer.title,
          peerValue: value(score), goal: goal)
      }
    }
    return rows("error", "%", \.error, goals?.error)
      + rows("wobble", "s/s", \.wobble, goals?.wobble)
  }

  /// The scores of all formulas on some jobs.
  private struct Field {
    /// The jobs.
    let jobs: [Job]
    /// Our scores, for each job.
    let ours: [RateScore]
    /// The scores of each peer, for each job.
    let theirs: [[RateScore]]

    /// Measures.
    init(_ jobs: [Job]) {
      self.jobs = jobs
      ours = jobs.map { RateScore(Ours.self, on: $0) }
      theirs = peers.map { peer in jobs.map { RateScore(peer, on: $0) } }
    }

    /// The geometric means of our scores.
    var ourMean: RateScore { RateScore(meanOf: ours) }

    /// The geometric means of each peer's scores.
    var theirMeans: [RateScore] { theirs.map { RateScore(meanOf: $0) } }
  }
}
