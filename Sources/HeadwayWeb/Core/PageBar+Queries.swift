internal import HeadwayBar

/// Returns the position of the dot, and writes the shown value to the first of the shared numbers: all that a frame needs.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: The center of the dot along the bar, in CSS pixels.
@_expose(wasm, "headway_bar_frame") @c(headway_bar_frame)
func headwayBarFrame(_ page: PageBar, _ now: Double) -> Double {
  let frame = unsafe bar(page).pointee.frame(at: now)
  unsafe numbers[0] = frame.value
  return frame.position
}

/// Returns the value that was reported last.
///
/// - Parameter page: The bar.
/// - Returns: The value.
@_expose(wasm, "headway_bar_reported") @c(headway_bar_reported)
func headwayBarReported(_ page: PageBar) -> Double { unsafe bar(page).pointee.reported }

/// Writes the point of a value on the center line of the bar to the shared numbers: x and y.
///
/// - Parameters:
///   - page: The bar.
///   - value: The value; NaN for the shown one.
///   - now: The time in seconds.
@_expose(wasm, "headway_bar_point") @c(headway_bar_point)
func headwayBarPoint(_ page: PageBar, _ value: Double, _ now: Double) {
  let point = unsafe bar(page).pointee.point(of: value, at: now)
  write(0, point.x, point.y, 0, 0)
}

/// Returns the state of a bar.
///
/// - Parameter page: The bar.
/// - Returns: The sum of `StateBit`s.
@_expose(wasm, "headway_bar_state") @c(headway_bar_state)
func headwayBarState(_ page: PageBar) -> Int32 {
  return (unsafe bar(page).pointee.isPaused ? StateBit.paused.rawValue : 0)
    | (unsafe bar(page).pointee.isDragging ? StateBit.dragging.rawValue : 0)
    | (unsafe bar(page).pointee.isSeekPending ? StateBit.seekPending.rawValue : 0)
    | (unsafe bar(page).pointee.isIndeterminate ? StateBit.indeterminate.rawValue : 0)
    | (unsafe bar(page).pointee.isAdjustable ? StateBit.adjustable.rawValue : 0)
}

/// Advances a bar to a time, and returns what moves from then on, as `headway_bar_activity` does.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: An `ActivityCode`.
@_expose(wasm, "headway_bar_advance") @c(headway_bar_advance)
func headwayBarAdvance(_ page: PageBar, _ now: Double) -> Int32 {
  unsafe bar(page).pointee.advance(to: now)
  return unsafe headwayBarActivity(page, now)
}

/// Returns what moves from a time on if nothing new is reported.
///
/// During a glide or a sweep the shared numbers hold its phase: start and end in seconds, and 1 in the third if it
/// decelerates.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: An `ActivityCode`.
@_expose(wasm, "headway_bar_activity") @c(headway_bar_activity)
func headwayBarActivity(_ page: PageBar, _ now: Double) -> Int32 {
  switch unsafe bar(page).pointee.activity(at: now) {
  case .still: return ActivityCode.still.rawValue
  case .changing: return ActivityCode.changing.rawValue
  case .gliding(let phase): return write(phase, .gliding)
  case .sweeping(let phase): return write(phase, .sweeping)
  }
}

/// Writes a phase to the shared numbers, and returns the code of its activity.
@inline(never) private func write(_ phase: BarPhase, _ code: ActivityCode) -> Int32 {
  write(0, phase.startTime, phase.endTime, phase.isBraking ? 1 : 0, 0)
  return code.rawValue
}

/// Writes the pending events to the shared numbers and removes them.
///
/// Each event is two numbers: its `EventCode`, and the value or the number of the transition.
///
/// - Parameter page: The bar.
/// - Returns: The number of events.
@_expose(wasm, "headway_bar_events") @c(headway_bar_events)
func headwayBarEvents(_ page: PageBar) -> Int32 {
  var index = 0
  for event in unsafe bar(page).pointee.takeEvents() where index < numbersLimit {
    var (code, number) = (EventCode.dragBegan.rawValue, 0.0)
    switch event {
    case .dragBegan: break
    case .dragged(let value): (code, number) = (EventCode.dragged.rawValue, value)
    case .committed(let value): (code, number) = (EventCode.committed.rawValue, value)
    case .dragCancelled: code = EventCode.dragCancelled.rawValue
    case .transitionEnded(let end):
      code =
        end.isFinished
        ? EventCode.transitionFinished.rawValue : EventCode.transitionInterrupted.rawValue
      number = Double(end.transition.number)
    }
    unsafe numbers[index] = Double(code)
    unsafe numbers[index + 1] = number
    index += 2
  }
  return Int32(index / 2)
}

/// Writes an announcement for assistive technology to the shared numbers.
///
/// They are 1 for a slider or 0 for a progress bar, the ends of the range, the value or NaN, and 1 if it is disabled and
/// if it is vertical.
///
/// - Parameters:
///   - page: The bar.
///   - now: The time in seconds.
/// - Returns: Whether there is anything to announce.
@_expose(wasm, "headway_bar_announce") @c(headway_bar_announce)
func headwayBarAnnounce(_ page: PageBar, _ now: Double) -> Bool {
  guard let announcement = unsafe bar(page).pointee.announcement(at: now) else { return false }
  write(
    0, announcement.role == .slider ? 1 : 0, announcement.minimum, announcement.maximum,
    announcement.value ?? .nan)
  write(4, announcement.isDisabled ? 1 : 0, announcement.isVertical ? 1 : 0, 0, 0)
  return true
}

/// Writes a value as English text, in UTF-8, over the shared numbers.
///
/// - Parameters:
///   - format: A `TextCode`.
///   - value: The fraction from 0 to 1, or the time in seconds.
///   - total: The total time, in seconds.
///   - length: The length of the range, in seconds.
/// - Returns: The number of bytes.
@_expose(wasm, "headway_bar_text") @c(headway_bar_text)
func headwayBarText(_ format: Int32, _ value: Double, _ total: Double, _ length: Double) -> Int32 {
  var text: [UInt8] = []
  if format == TextCode.percent.rawValue {
    BarWords().append(percent: value, to: &text)
  } else {
    BarWords().append(time: value, of: total, length: length, to: &text)
  }
  let bytes = unsafe UnsafeMutableRawPointer(numbers)
  for (index, byte) in text.enumerated() {
    unsafe bytes.storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
  }
  return Int32(text.count)
}
