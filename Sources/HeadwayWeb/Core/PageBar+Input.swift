internal import HeadwayBar

/// Sets or reports a value, or changes the playback rate or the range.
///
/// - Parameters:
///   - page: The bar.
///   - code: A `ValueCode`.
///   - value: The value, the playback rate, or the beginning of the range.
///   - second: The rate of a forecast or NaN; a duration; the end of the range.
///   - third: The source's own time of a report.
///   - now: The time in seconds.
/// - Returns: The number of the transition, or 0 for all other codes.
@_expose(wasm, "headway_bar_value") @c(headway_bar_value)
func headwayBarValue(
  _ page: PageBar, _ code: Int32, _ value: Double, _ second: Double, _ third: Double, _ now: Double
) -> Int32 {
  switch code {
  case ValueCode.set.rawValue: unsafe bar(page).pointee.setValue(value, at: now)
  case ValueCode.report.rawValue:
    unsafe bar(page).pointee.report(value, rate: second.isNaN ? nil : second, at: now)
  case ValueCode.expect.rawValue:
    unsafe bar(page).pointee.report(value, expectedIn: second, sourceTime: third, at: now)
  case ValueCode.animate.rawValue:
    return Int32(unsafe bar(page).pointee.animate(to: value, over: second, at: now).number)
  case ValueCode.seek.rawValue: unsafe bar(page).pointee.seek(to: value, at: now)
  case ValueCode.playbackRate.rawValue: unsafe bar(page).pointee.setPlaybackRate(value, at: now)
  default: unsafe bar(page).pointee.setRange(from: value, to: second, at: now)
  }
  return 0
}

/// Runs a command that needs no value.
///
/// - Parameters:
///   - page: The bar.
///   - code: A `CommandCode`.
///   - now: The time in seconds.
@_expose(wasm, "headway_bar_command") @c(headway_bar_command)
func headwayBarCommand(_ page: PageBar, _ code: Int32, _ now: Double) {
  switch code {
  case CommandCode.pause.rawValue: unsafe bar(page).pointee.pause(at: now)
  case CommandCode.resume.rawValue: unsafe bar(page).pointee.resume(at: now)
  case CommandCode.stall.rawValue: unsafe bar(page).pointee.stall(at: now)
  case CommandCode.removeAnimation.rawValue: unsafe bar(page).pointee.removeAnimation(at: now)
  case CommandCode.reset.rawValue: unsafe bar(page).pointee.reset(at: now)
  case CommandCode.pointerLeft.rawValue: unsafe bar(page).pointee.pointerLeft(at: now)
  case CommandCode.cancelDrag.rawValue: unsafe bar(page).pointee.cancelDrag(at: now)
  default: unsafe bar(page).pointee.setFocus(code == CommandCode.focus.rawValue, at: now)
  }
}

/// Handles pointer input.
///
/// - Parameters:
///   - page: The bar.
///   - code: A `PointerCode`.
///   - x: The horizontal position.
///   - y: The vertical position.
///   - pointer: The raw value of a `BarPointer`.
///   - isPrimary: Not 0 for the main button and the first finger.
///   - now: The time in seconds.
/// - Returns: Whether the bar handles the press, or the value follows the pointer.
@_expose(wasm, "headway_bar_pointer") @c(headway_bar_pointer)
func headwayBarPointer(
  _ page: PageBar, _ code: Int32, _ x: Double, _ y: Double, _ pointer: Int32, _ isPrimary: Int32,
  _ now: Double
) -> Bool {
  switch code {
  case PointerCode.down.rawValue:
    return unsafe bar(page).pointee.pointerDown(
      x: x, y: y, pointer: BarPointer(rawValue: UInt8(truncatingIfNeeded: pointer)) ?? .mouse,
      isPrimary: isPrimary != 0, at: now)
  case PointerCode.move.rawValue:
    return unsafe bar(page).pointee.pointerMoved(x: x, y: y, at: now)
  default:
    unsafe bar(page).pointee.pointerUp(x: x, y: y, at: now)
    return true
  }
}

/// Handles a key.
///
/// - Parameters:
///   - page: The bar.
///   - code: A `KeyCode`.
///   - now: The time in seconds.
/// - Returns: Whether the bar handled it.
@_expose(wasm, "headway_bar_key") @c(headway_bar_key)
func headwayBarKey(_ page: PageBar, _ code: Int32, _ now: Double) -> Bool {
  let key: BarKey
  switch code {
  case KeyCode.left.rawValue: key = .left
  case KeyCode.right.rawValue: key = .right
  case KeyCode.up.rawValue: key = .up
  case KeyCode.down.rawValue: key = .down
  case KeyCode.pageUp.rawValue: key = .pageUp
  case KeyCode.pageDown.rawValue: key = .pageDown
  case KeyCode.home.rawValue: key = .home
  case KeyCode.end.rawValue: key = .end
  case KeyCode.escape.rawValue: key = .escape
  default: key = .digit(Int(code - KeyCode.digit0.rawValue))
  }
  return unsafe bar(page).pointee.press(key, at: now)
}

/// Handles a turn of the mouse wheel.
///
/// - Parameters:
///   - page: The bar.
///   - steps: The number of steps forward.
///   - now: The time in seconds.
/// - Returns: Whether the bar handled it.
@_expose(wasm, "headway_bar_wheel") @c(headway_bar_wheel)
func headwayBarWheel(_ page: PageBar, _ steps: Double, _ now: Double) -> Bool {
  unsafe bar(page).pointee.scroll(steps: steps, at: now)
}
