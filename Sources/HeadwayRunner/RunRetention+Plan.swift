internal import HeadwayPlan
internal import HeadwayState

extension RunRetention {
  /// Creates a retention from what was said.
  ///
  /// - Parameters:
  ///   - asked: What the command line says, which counts most.
  ///   - planned: What the plan says.
  init(_ asked: Plan.Keep, _ planned: Plan.Keep) {
    self.init()
    runs = asked.runs ?? planned.runs ?? runs
    bytes = asked.bytes ?? planned.bytes ?? bytes
  }
}
