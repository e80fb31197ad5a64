#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes text to standard error; if no one reads it, the program continues.
package func tell(_ text: String) {
  var text = text
  text.withUTF8 { bytes in _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count) }
}

/// A duration as text.
package func milliseconds(_ duration: Duration) -> String {
  let tenths = Int(duration / .microseconds(100))
  return tenths < 1_000 ? "\(tenths / 10).\(tenths % 10) ms" : "\(tenths / 10) ms"
}
