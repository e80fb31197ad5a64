internal import HeadwayBar

/// Tells a bar a value of the source, in one of the ways in which a source speaks.
///
/// - Parameters:
///   - page: The bar.
///   - way: 0 shows the value at once, 1 is a report, 2 one with a duration and the time of the source, 3 an animation,
///     4 a seek, 5 the rate of playback, 6 a new range, 7 the speed of the bar.
///   - value: The value, the rate, the beginning of the range, or the speed.
///   - second: The rate of a forecast or no number; a duration; the end of the range.
///   - third: The time of the source.
///   - now: The time in seconds.
/// - Returns: The number of the animation; 0 for all other ways.
@_expose(wasm, "headway_bar_value") @c(headway_bar_value)
public func headwayBarValue(
  _ page: PageBar, _ way: Int32, _ value: Double, _ second: Double, _ third: Double, _ now: Double
) -> Int32 {
  switch way {
  case 0: unsafe place(page).pointee.setValue(value, at: now)
  case 1: unsafe place(page).pointee.report(value, rate: second.isNaN ? nil : second, at: now)
  case 2: unsafe place(page).pointee.setValue(value, duration: second, time: third, at: now)
  case 3:
    return Int32(unsafe place(page).pointee.setValue(value, duration: second, at: now).rawValue)
  case 4: unsafe place(page).pointee.seek(to: value, at: now)
  case 5: unsafe place(page).pointee.setPlaybackRate(value, at: now)
  case 6: unsafe place(page).pointee.setRange(from: value, to: second, at: now)
  default: unsafe place(page).pointee.setSpeed(value, at: now)
  }
  return 0
}

/// Tells a bar what needs no value.
///
/// - Parameters:
///   - page: The bar.
///   - what: 0 pauses, 1 resumes, 2 stalls, 3 removes the animation, 4 resets, 5 tells that the pointer has left, 6 calls
///     a drag off, 7 takes the focus, 8 gives it.
///   - now: The time in seconds.
@_expose(wasm, "headway_bar_do") @c(headway_bar_do)
public func headwayBarDo(_ page: PageBar, _ what: Int32, _ now: Double) {
  switch what {
  case 0: unsafe place(page).pointee.pause(at: now)
  case 1: unsafe place(page).pointee.resume(at: now)
  case 2: unsafe place(page).pointee.stall(at: now)
  case 3: unsafe place(page).pointee.removeAnimation(at: now)
  case 4: unsafe place(page).pointee.reset(at: now)
  case 5: unsafe place(page).pointee.pointerLeft(at: now)
  case 6: unsafe place(page).pointee.cancelDrag(at: now)
  default: unsafe place(page).pointee.setFocus(what == 8, at: now)
  }
}

/// Takes a pointer in.
///
/// - Parameters:
///   - page: The bar.
///   - what: 0 for a press, 1 for a move, 2 for a lift.
///   - x: How far right the point is.
///   - y: How far down the point is.
///   - pointer: 0 for a mouse, 1 for a finger, 2 for a pen.
///   - isPrimary: Not 0 for the main button and the first finger.
///   - now: The time in seconds.
/// - Returns: Whether the press belongs to the bar, or the value follows.
@_expose(wasm, "headway_bar_pointer") @c(headway_bar_pointer)
public func headwayBarPointer(
  _ page: PageBar, _ what: Int32, _ x: Double, _ y: Double, _ pointer: Int32, _ isPrimary: Int32,
  _ now: Double
) -> Bool {
  switch what {
  case 0:
    return unsafe place(page).pointee.pointerDown(
      x: x, y: y, pointer: BarPointer(rawValue: UInt8(truncatingIfNeeded: pointer)) ?? .mouse,
      isPrimary: isPrimary != 0, at: now)
  case 1: return unsafe place(page).pointee.pointerMoved(x: x, y: y, at: now)
  default:
    unsafe place(page).pointee.pointerUp(x: x, y: y, at: now)
    return true
  }
}

/// Takes a key in.
///
/// - Parameters:
///   - page: The bar.
///   - key: 0 left, 1 right, 2 up, 3 down, 4 and 5 a page up and down, 6 the beginning, 7 the end, 8 Escape, from 16 on
///     the digits.
///   - now: The time in seconds.
/// - Returns: Whether it meant something.
@_expose(wasm, "headway_bar_key") @c(headway_bar_key)
public func headwayBarKey(_ page: PageBar, _ key: Int32, _ now: Double) -> Bool {
  let meant: BarKey
  switch key {
  case 0: meant = .left
  case 1: meant = .right
  case 2: meant = .up
  case 3: meant = .down
  case 4: meant = .pageUp
  case 5: meant = .pageDown
  case 6: meant = .home
  case 7: meant = .end
  case 8: meant = .escape
  default: meant = .digit(Int(key) - 16)
  }
  return unsafe place(page).pointee.press(meant, at: now)
}

/// Takes a turn of the wheel in.
///
/// - Parameters:
///   - page: The bar.
///   - steps: How many steps on.
///   - now: The time in seconds.
/// - Returns: Whether it meant something.
@_expose(wasm, "headway_bar_wheel") @c(headway_bar_wheel)
public func headwayBarWheel(_ page: PageBar, _ steps: Double, _ now: Double) -> Bool {
  unsafe place(page).pointee.scroll(steps: steps, at: now)
}
