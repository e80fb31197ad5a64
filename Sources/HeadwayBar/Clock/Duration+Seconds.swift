// Inside the module a time is a `Double` of seconds: in Embedded Swift, which the page uses, `Duration` needs a 128-bit
// multiplication and 2.6 kB. The public methods beside this file take a `Duration` and pass on its seconds.
#if !hasFeature(Embedded)
  extension Duration {
    /// The duration in seconds: two conversions and a division, since a frame needs it.
    var inSeconds: Double {
      @inline(__always) get {
        let all = attoseconds
        let (high, low) = (
          Int64(truncatingIfNeeded: all >> 64), UInt64(truncatingIfNeeded: all)
        )
        return (Double(high) * 0x1p64 + Double(low)) / 1e18
      }
    }

    /// Creates a duration from seconds, clamped to the times that a bar accepts.
    init(clampingSeconds seconds: Double) {
      self = .seconds(seconds.finite(or: 0).clamped(to: -BarLimits.time...BarLimits.time))
    }
  }

  extension BarPhase {
    /// The time at which it begins.
    public var start: Duration { Duration(clampingSeconds: startTime) }
    /// The time at which it ends.
    public var end: Duration { Duration(clampingSeconds: endTime) }
  }

  extension BarStyle {
    /// How long the dot and the colors take from one state to another.
    public var emphasisDuration: Duration {
      get { Duration(clampingSeconds: emphasisSeconds) }
      set { emphasisSeconds = newValue.inSeconds }
    }
  }
#endif
