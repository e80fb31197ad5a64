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
  ///   - map: Replaces the error without its wrappers by another one, which may be wrapped, too.
  ///   - describe: Describes the error without its wrappers.
  init(
    _ thrown: any Error, map: (any Error) -> any Error = { $0 }, describe: (any Error) -> String
  ) {
    var wrappers = Wrappers()
    let error = wrappers.unwrap(map(wrappers.unwrap(thrown)))
    self.init(error: error, text: describe(error))
    isRetryable = wrappers.isRetryable
    delay = wrappers.delay
  }

  /// What the wrappers of an error say.
  private struct Wrappers {
    var isRetryable = true
    var delay: Duration?

    /// Removes the wrappers.
    mutating func unwrap(_ wrapped: any Error) -> any Error {
      var error = wrapped
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
      return error
    }
  }
}
