/// What keys and the wheel do to a bar.
extension ProgressBar {
  /// The steps of Page Up and Page Down.
  private static let pageSteps = 10.0
  /// The steps into which a range is divided where none was set.
  private static let usualSteps = 100.0

  /// Takes a key in; each that changes the value chooses one.
  ///
  /// Right and up go on, left and down go back; where the value grows from right to left, left goes on. Escape calls off
  /// a drag.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - now: The time in seconds.
  /// - Returns: Whether the key meant something; the surface then keeps it from scrolling a page.
  public mutating func press(_ key: BarKey, at now: Double) -> Bool {
    let now = moment(now)
    if key == .escape {
      if case .idle = gesture { return false }
      cancelDrag(at: now)
      return true
    }
    guard isAdjustable, case .idle = gesture, let target = target(of: key, at: now) else {
      return false
    }
    choose(target, at: now)
    return true
  }

  /// Takes a turn of the wheel in, only where the bar takes the wheel.
  ///
  /// - Parameters:
  ///   - steps: How many steps on; negative for back.
  ///   - now: The time in seconds.
  /// - Returns: Whether it meant something.
  public mutating func scroll(steps: Double, at now: Double) -> Bool {
    let now = moment(now)
    guard acceptsWheel, isAdjustable, case .idle = gesture, steps.isFinite, steps != 0 else {
      return false
    }
    choose(shown(at: now) + steps * keyStep, at: now)
    return true
  }

  /// Tells whether the bar has the focus of the keyboard: the dot stands out.
  ///
  /// - Parameters:
  ///   - hasFocus: Whether it has.
  ///   - now: The time in seconds.
  public mutating func setFocus(_ hasFocus: Bool, at now: Double) {
    let now = moment(now)
    self.hasFocus = hasFocus
    guard case .idle = gesture else { return }
    emphasize(hasFocus && isAdjustable ? .hover : .rest, at: now)
  }

  /// The units of one step.
  private var keyStep: Double {
    if let step, step.isFinite, step > 0 { return step }
    return (glide.range.upperBound - glide.range.lowerBound) / Self.usualSteps
  }

  /// The value that a key goes to, nil for a key that means nothing.
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

  /// Chooses a value of the range.
  private mutating func choose(_ value: Double, at now: Double) {
    commit(value.limited(to: glide.range), at: now)
  }
}
