internal import HeadwayRun

/// Why an attempt failed, with everything that comes from the error itself and is computed outside the lock.
struct AttemptFailure: Error {
  /// The error without its wrappers, nil if the attempt was abandoned and has thrown nothing.
  let error: (any Error)?
  /// The error, for people.
  let text: String
  /// Whether another attempt may succeed.
  var isRetryable = true
  /// The delay before the next attempt that the error asks for.
  var delay: Duration?

  /// The failure of an attempt that was abandoned, whose outcome is known.
  static let abandoned = AttemptFailure(error: nil, text: "")
  /// The failure of a service that has returned although something still needed it.
  static let serviceEnded = AttemptFailure(ServiceEnded()) { "\($0)" }

  private init(error: (any Error)?, text: String) {
    self.error = error
    self.text = text
  }

  /// Creates a failure from what the body has thrown.
  ///
  /// - Parameters:
  ///   - thrown: The error, which may be wrapped.
  ///   - describe: Describes the error without its wrappers.
  init(_ thrown: any Error, describe: (any Error) -> String) {
    var error = thrown
    var (isRetryable, delay) = (true, Duration?.none)
    while true {
      if let wrapper = error as? NonRetryable {
        error = wrapper.error
        isRetryable = false
      } else if let wrapper = error as? RetryAfter {
        error = wrapper.error
        // The outermost one was added last.
        delay = delay ?? max(wrapper.delay, .zero)
      } else {
        break
      }
    }
    if let failure = error as? LaunchFailure { isRetryable = isRetryable && failure.isRetryable }
    self.init(error: error, text: describe(error))
    self.isRetryable = isRetryable
    self.delay = delay
  }
}
