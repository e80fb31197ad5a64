extension BarGlide {
  /// The parameters of the steering, each with its reason.
  enum Parameters {
    /// The greatest deviation from the nominal speed: a tenth is not seen as faster or slower.
    static let maximumSteering = 0.1
    /// The seconds in which an error is corrected: several reports, so that each corrects little.
    static let steeringTime = 0.75
    /// The seconds of the source from which a difference is a seek, unless the range is short.
    static let seek = 0.5
    /// The part of a short range from which a difference is a seek: a sound of half a second can be played again.
    static let seekPart = 0.25
    /// The periods without a report after which the source has stalled.
    static let stallPeriods = 3.0
    /// The seconds in which the bar catches up with work that is ahead of it.
    static let catchUpTime = 0.5
    /// The part of the work in which the bar catches up, for short work: a run of a second has no half second for it.
    static let catchUpPart = 0.05
    /// The fraction of its speed at which the bar moves while the work is behind it.
    static let creep = 0.1
    /// The fraction of the range that only the reported end fills.
    static let endReserve = 0.001
    /// The fraction of the way to that reserve that is covered at full speed.
    static let cruisingFraction = 0.9
  }
}
