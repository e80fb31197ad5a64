internal import HeadwayBar

/// What a frame needs: the value that is shown, which is written to the first of the shared numbers, and its place.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: How far along the bar the middle of the dot is, in CSS pixels.
@_expose(wasm, "headway_bar_frame") @c(headway_bar_frame)
public func headwayBarFrame(_ page: PageBar, _ now: Double) -> Double {
  let frame = unsafe place(page).pointee.frame(at: now)
  unsafe numbers[0] = frame.value
  return frame.place
}

/// The value that the source said last.
///
/// - Parameter page: The bar.
/// - Returns: The value.
@_expose(wasm, "headway_bar_reported") @c(headway_bar_reported)
public func headwayBarReported(_ page: PageBar) -> Double { unsafe place(page).pointee.reported }

/// Writes the point at which a value lies to the shared numbers: x and y, on the middle line of the bar.
///
/// - Parameters:
///   - page: The bar.
///   - value: The value; no number for the one that is shown.
///   - now: The time in seconds.
@_expose(wasm, "headway_bar_point") @c(headway_bar_point)
public func headwayBarPoint(_ page: PageBar, _ value: Double, _ now: Double) {
  let point = unsafe place(page).pointee.point(of: value, at: now)
  write(0, point.x, point.y, 0, 0)
}

/// What a bar is doing.
///
/// - Parameter page: The bar.
/// - Returns: 1 where it is paused, 2 dragged, 4 held, 8 indeterminate, 16 adjustable, all added up.
@_expose(wasm, "headway_bar_state") @c(headway_bar_state)
public func headwayBarState(_ page: PageBar) -> Int32 {
  return (unsafe place(page).pointee.isPaused ? 1 : 0)
    | (unsafe place(page).pointee.isDragging ? 2 : 0) | (unsafe place(page).pointee.isHeld ? 4 : 0)
    | (unsafe place(page).pointee.isIndeterminate ? 8 : 0)
    | (unsafe place(page).pointee.isAdjustable ? 16 : 0)
}

/// Goes on to a time and tells what moves from then on, as `headway_bar_activity` does.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: 0 for nothing, 1 for a glide, 2 for more than the value.
@_expose(wasm, "headway_bar_advance") @c(headway_bar_advance)
public func headwayBarAdvance(_ page: PageBar, _ now: Double) -> Int32 {
  unsafe place(page).pointee.advance(to: now)
  return unsafe headwayBarActivity(page, now)
}

/// Tells what moves from a time on if nothing new is heard.
///
/// The shared numbers hold the phase of a glide: its start and end in seconds, and 1 in the third where it slows down.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: 0 for nothing, 1 for a glide, 2 for more than the value.
@_expose(wasm, "headway_bar_activity") @c(headway_bar_activity)
public func headwayBarActivity(_ page: PageBar, _ now: Double) -> Int32 {
  switch unsafe place(page).pointee.activity(at: now) {
  case .still: return 0
  case .changing: return 2
  case .gliding(let phase):
    write(0, phase.start, phase.end, phase.isBraking ? 1 : 0, 0)
    return 1
  }
}

/// Writes what happened to the shared numbers, two for each event, and forgets it.
///
/// The first is 0 for the beginning of a drag, 1 for a value that was dragged to, 2 for one that was chosen, 3 for a drag
/// that was called off, 4 for an animation that was interrupted and 5 for one that ended. The second is the value or the
/// number of the animation.
///
/// - Parameter page: The bar.
/// - Returns: The number of events.
@_expose(wasm, "headway_bar_events") @c(headway_bar_events)
public func headwayBarEvents(_ page: PageBar) -> Int32 {
  var index = 0
  for event in unsafe place(page).pointee.takeEvents() where index < numbersLimit {
    var (kind, number) = (0.0, 0.0)
    switch event {
    case .dragBegan: break
    case .dragged(let value): (kind, number) = (1, value)
    case .committed(let value): (kind, number) = (2, value)
    case .dragCancelled: kind = 3
    case .transitionEnded(let end):
      (kind, number) = (end.isFinished ? 5 : 4, Double(end.transition.rawValue))
    }
    unsafe numbers[index] = kind
    unsafe numbers[index + 1] = number
    index += 2
  }
  return Int32(index / 2)
}

/// Writes what assistive technology is to be told to the shared numbers.
///
/// They are 1 for a slider and 0 for a progress bar, the ends of the range, the value or no number, and 1 where it is
/// disabled and where it is vertical.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: Whether there is anything to tell.
@_expose(wasm, "headway_bar_announce") @c(headway_bar_announce)
public func headwayBarAnnounce(_ page: PageBar, _ now: Double) -> Bool {
  guard let told = unsafe place(page).pointee.announcement(at: now) else { return false }
  write(0, told.role == .slider ? 1 : 0, told.minimum, told.maximum, told.value ?? .nan)
  write(4, told.isDisabled ? 1 : 0, told.isVertical ? 1 : 0, 0, 0)
  return true
}

/// Writes a value in words, in UTF-8, over the shared numbers.
///
/// - Parameters:
///   - way: 0 for a part in percent, 1 for a time of a whole.
///   - value: The part from 0 to 1, or the time in seconds.
///   - whole: The whole, in seconds.
/// - Returns: How many bytes were written.
@_expose(wasm, "headway_bar_words") @c(headway_bar_words)
public func headwayBarWords(_ way: Int32, _ value: Double, _ whole: Double) -> Int32 {
  var text: [UInt8] = []
  if way == 0 {
    BarWords().append(percent: value, to: &text)
  } else {
    BarWords().append(time: value, of: whole, to: &text)
  }
  let bytes = unsafe UnsafeMutableRawPointer(numbers)
  for (index, byte) in text.enumerated() {
    unsafe bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
  }
  return Int32(text.count)
}
