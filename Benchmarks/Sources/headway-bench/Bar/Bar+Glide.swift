/// How the bar glides: the published scenario, and other events of a player.
extension Bar {
  /// The other rules.
  private static let rules: [any GlideRule.Type] = [
    LastReport.self, Transition.self, Extrapolation.self, Creep.self, Spring.self,
  ]

  /// A measure of a score.
  private struct Quality<Score>: Sendable {
    /// The name in the table.
    let title: String
    /// Its unit.
    let unit: String
    /// The maximum for ours, nil if it is only reported.
    let goal: Double?
    /// The value in that unit.
    let value: @Sendable (Score) -> Double
  }

  /// Smaller values are rounding errors, in milliseconds or percent.
  private static let rounding = 1e-6

  /// The measures of the published table, and those at the end of a pause.
  private static let qualities = [
    Quality<GlideScore>(title: "mean lag", unit: "ms", goal: 25) { abs($0.meanLag) * 1e3 },
    Quality(title: "most lag", unit: "ms", goal: 55) { $0.mostLag * 1e3 },
    Quality(title: "speed jitter", unit: "%", goal: 5) { $0.jitter * 1e2 },
    Quality(title: "speed jitter, once heard", unit: "%", goal: 2) { $0.heardJitter * 1e2 },
    Quality(title: "step back", unit: "ms", goal: 0) { $0.stepBack * 1e3 },
    Quality(title: "moves after pause", unit: "ms", goal: rounding) { $0.moveInPause * 1e3 },
    Quality(title: "jump at pause", unit: "ms", goal: rounding) { $0.jumpAtPause * 1e3 },
    Quality(title: "jump at resume", unit: "ms", goal: rounding) { $0.jumpAtResume * 1e3 },
    Quality(title: "speed jump at resume", unit: "%", goal: rounding) {
      $0.speedJumpAtResume * 1e2
    },
  ]

  /// The same with duplicate or late reports.
  private static let garbledQualities = [
    Quality<GlideScore>(title: "garbled: mean lag", unit: "ms", goal: 25) {
      abs($0.meanLag) * 1e3
    },
    Quality(title: "garbled: speed jitter", unit: "%", goal: 5) { $0.jitter * 1e2 },
    Quality(title: "garbled: step back", unit: "ms", goal: 0) { $0.stepBack * 1e3 },
  ]

  /// An event of a player after ten seconds.
  private struct Mishap: Sendable {
    /// The name in the table.
    let title: String
    /// The players.
    let runs: [PlayerRun]
    /// The measures of the response.
    let qualities: [Quality<GlideResponse>]
  }

  /// How long it takes to be close to the player again.
  private static func settling(_ goal: Double) -> Quality<GlideResponse> {
    Quality(title: "until within 50 ms", unit: "s", goal: goal) { $0.settling }
  }

  /// How far the bar steps back.
  private static let stepBack = Quality<GlideResponse>(title: "step back", unit: "ms", goal: 0) {
    $0.stepBack * 1e3
  }

  /// The events of players.
  private static func mishaps() -> [Mishap] {
    let stall = [
      Quality<GlideResponse>(title: "runs ahead", unit: "ms", goal: 950) { $0.mostAhead * 1e3 },
      stepBack, settling(3),
    ]
    return [
      Mishap(
        title: "0.3 s back", runs: PlayerRun.jumping(by: -0.3), qualities: [settling(4), stepBack]),
      Mishap(title: "3 s back", runs: PlayerRun.jumping(by: -3), qualities: [settling(0.31)]),
      Mishap(title: "2 s stall", runs: PlayerRun.hanging(repeatsItself: false), qualities: stall),
      Mishap(
        title: "2 s stall, repeats", runs: PlayerRun.hanging(repeatsItself: true),
        qualities: stall),
    ]
  }

  /// Scores all rules.
  static func glide() -> [Row] {
    let published = (0..<20).map { PlayerRun(seed: $0) }
    let garbled = (0..<20).map { PlayerRun(seed: $0).garbled(seed: $0) }
    return rows(qualities) { GlideScore($0, on: published) }
      + rows(garbledQualities) { GlideScore($0, on: garbled) }
      + mishaps().flatMap { mishap in
        rows(mishap.qualities, title: "\(mishap.title): ") {
          GlideResponse($0, on: mishap.runs, from: 10, to: 29)
        }
      } + speeds() + frames(published)
  }

  /// The rows of ours with its goal, and of ours beside each other rule.
  private static func rows<Score>(
    _ qualities: [Quality<Score>], title: String = "", of score: (any GlideRule.Type) -> Score
  ) -> [Row] {
    let ours = score(OurGlide.self)
    let theirs = rules.map(score)
    return qualities.flatMap { quality in
      let (title, value) = (title + quality.title, quality.value(ours))
      return [row(title, quality.unit, value, goal: quality.goal)]
        + zip(rules, theirs).map { rule, score in
          Row(
            area: name, name: title, unit: quality.unit, value: value, peer: rule.title,
            peerValue: quality.value(score))
        }
    }
  }

  /// The response to other speeds that the player reports; the other rules know only one speed.
  private static func speeds() -> [Row] {
    let runs = PlayerRun.changingSpeed(isRateHeard: true)
    let trip = GlideResponse(OurGlide.self, on: runs, from: 2, to: 34)
    // The maximum speed is four, plus a tenth while the bar is steered.
    let longest = 1e3 * 4.4 / GlideScore.framesPerSecond
    return [
      row("speeds 0.25–4: step back", "ms", trip.stepBack * 1e3, goal: 0),
      row("speeds 0.25–4: longest step", "ms", trip.stepOn * 1e3, goal: longest),
    ]
  }

  /// The values on displays with other frame rates at the same moments.
  private static func frames(_ runs: [PlayerRun]) -> [Row] {
    [30.0, 120].map { framesPerSecond in
      let distance = runs.map { run in
        GlideTrace(OurGlide.self, on: run, framesPerSecond: framesPerSecond)
          .distance(from: GlideTrace(OurGlide.self, on: run, framesPerSecond: 60))
      }.max()
      return row(
        "\(Int(framesPerSecond)) Hz beside 60 Hz: differs", "ms", (distance ?? .infinity) * 1e3,
        goal: 0)
    }
  }

  /// A row without a peer, which is the same in every run.
  private static func row(_ title: String, _ unit: String, _ value: Double, goal: Double?) -> Row {
    Row(area: name, name: title, unit: unit, value: value, goal: goal, isExact: true)
  }
}
