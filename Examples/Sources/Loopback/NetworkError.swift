#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A call to the system's network that has failed.
package struct NetworkError: Error, CustomStringConvertible {
  /// What was attempted, in words.
  private let attempt: String
  /// The number of the system's error.
  private let number: Int32

  /// Reads the error of the system call that has just failed.
  init(_ attempt: String) {
    self.attempt = attempt
    number = errno
  }

  /// The error in words.
  package var description: String {
    // The text is the C library's, and is copied before anything else can change it.
    "\(attempt): \(unsafe String(cString: strerror(number)))"
  }
}
