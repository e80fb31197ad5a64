import HeadwayTime
import SeededRandom

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A host that answers after some time: a function that blocks and cannot be cancelled.
struct Host: BlockingTask {
  /// The name, which is unique.
  let key: String
  /// The time of the request, in milliseconds from the start.
  let arrival: Int
  /// The time until the answer, in milliseconds.
  let work: Int

  /// Sends the request, and blocks the thread until the answer.
  func run() throws -> String {
    usleep(UInt32(work) * 1_000)
    return "\(key)'s result"
  }

  /// Five hosts, the same for each seed.
  static func five(seed: UInt64) -> [Host] {
    var random = SeededRandom(seed: seed)
    return (0..<5).map { number in
      Host(
        key: "host-\(number)", arrival: Int.random(in: 0...2_000, using: &random),
        work: Int.random(in: 100...2_000, using: &random))
    }
  }
}

/// The time of day with its date, to a millisecond.
func timestamp() -> String {
  var now = timespec()
  unsafe clock_gettime(CLOCK_REALTIME, &now)
  var parts = unsafe tm()
  unsafe gmtime_r(&now.tv_sec, &parts)
  func digits(_ number: some BinaryInteger, _ count: Int = 2) -> String {
    let text = "\(number)"
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
  let (year, month, day) = unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday)
  let (hour, minute, second) = unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec)
  let date = "\(year + 1900)-\(digits(month + 1))-\(digits(day))"
  let time = "\(digits(hour)):\(digits(minute)):\(digits(second))"
  return "\(date) \(time).\(digits(now.tv_nsec / 1_000_000, 3)) +0000"
}
