internal import HeadwayLibc

/// A moment as text.
///
/// - Parameters:
///   - format: The format, in the words of `strftime`; the text has at most 63 bytes.
///   - seconds: The moment, in seconds since 1970.
///   - isLocal: Whether the text is in the time zone of the user, and not in UTC.
/// - Returns: The text; empty for a moment beyond the years that the system knows.
package func calendarText(_ format: String, seconds: Int64, isLocal: Bool = false) -> String {
  var seconds = time_t(seconds)
  var parts = unsafe tm()
  let isKnown = unsafe (isLocal ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts)) != nil
  guard isKnown else { return "" }
  return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { room in
    guard let start = room.baseAddress else { return "" }
    let size = unsafe strftime(start, room.count, format, &parts)
    return unsafe size > 0 ? String(cString: start) : ""
  }
}

/// The time now, in milliseconds since 1970.
package func currentMilliseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
