#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The error of a failed system call.
package struct NetworkError: Error, CustomStringConvertible {
  /// The attempted action, as text.
  private let attempt: String
  /// The error number.
  private let number: Int32

  /// Creates the error of the last system call.
  init(_ attempt: String) {
    self.attempt = attempt
    number = errno
  }

  /// The error as text.
  package var description: String {
    // The text belongs to the C library and is copied before another call can change it.
    "\(attempt): \(unsafe String(cString: strerror(number)))"
  }
}
