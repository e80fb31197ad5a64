extension BarGlide {
  /// The numbers of the law, each with its reason.
  enum Law {
    /// By how much of the nominal speed the shown one may differ: a tenth is not seen as faster or slower.
    static let mostSteering = 0.1
    /// In how many seconds an error is to be gone: several reports, so that each corrects little.
    static let steeringTime = 0.75
    /// From how many seconds of the source on a difference is a seek, whatever the length of the whole.
    static let seek = 0.5
    /// After how many periods without a report the source has stalled.
    static let stallPeriods = 3.0
    /// In how many seconds work that got ahead is caught up with.
    static let catchUpTime = 0.5
    /// The part of its speed with which the bar creeps on while work is behind what is shown.
    static let creep = 0.1
    /// The part of the whole that only the end of the work can fill.
    static let reserve = 0.001
    /// The part of the way to that reserve that is gone at full speed.
    static let cruisingPart = 0.9
  }
}
