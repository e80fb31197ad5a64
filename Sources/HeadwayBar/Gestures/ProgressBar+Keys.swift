/// Keys, the mouse wheel and the keyboard focus.
extension ProgressBar {
  private static let pageSteps = 10.0

  package mutating func press(_ key: BarKey, at now: Double) -> Bool {
    let now = recordTime(now)
    if key == .escape {
      if case .idle = gesture { return false }
      cancelDrag(at: now)
      return true
    }
    guard let target = target(of: key, at: now) else { return false }
    return choose(target, at: now)
  }

  package mutating func scroll(steps: Double, at now: Double) -> Bool {
    let now = recordTime(now)
    guard acceptsWheel, steps != 0 else { return false }
    return choose(shown(at: now) + steps * keyStep, at: now)
  }

  package mutating func choose(_ value: Double, at now: Double) -> Bool {
    let now = recordTime(now)
    guard isAdjustable, case .idle = gesture, let value = clampedValue(value) else { return false }
    let chosen = rounded(value, in: glide.range)
    // A key at the end of the range chooses nothing.
    if chosen != shown(at: now) || pendingSeek == nil && chosen != reported {
      commit(chosen, at: now)
    }
    return true
  }

  package mutating func setFocus(_ hasFocus: Bool, at now: Double) {
    let now = recordTime(now)
    self.hasFocus = hasFocus
    guard case .idle = gesture else { return }
    emphasize(hasFocus && isAdjustable ? .hover : .rest, at: now)
  }

  /// The value to which a key goes, or nil if the key changes nothing.
  private func target(of key: BarKey, at now: Double) -> Double? {
    let (range, shown) = (glide.range, shown(at: now))
    let right = layout.direction == .rightToLeft ? -keyStep : keyStep
    switch key {
    case .left: return shown - right
    case .right: return shown + right
    case .up: return shown + keyStep
    case .down: return shown - keyStep
    case .pageUp: return shown + Self.pageSteps * keyStep
    case .pageDown: return shown - Self.pageSteps * keyStep
    case .home: return range.lowerBound
    case .end: return range.upperBound
    case .digit(let digit):
      guard acceptsDigits, (0...9).contains(digit) else { return nil }
      return range.lowerBound + (range.upperBound - range.lowerBound) * Double(digit) / 10
    case .escape: return nil
    }
  }
}
