/// Tells that a log of the run has grown.
package struct LogGrowth: Sendable {
  /// Readable while a log has grown since the last `clear()`.
  package let descriptor: Int32
  /// Forgets the changes until now.
  package let clear: @Sendable () -> Void

  /// Creates the source of the news.
  package init(descriptor: Int32, clear: @escaping @Sendable () -> Void) {
    self.descriptor = descriptor
    self.clear = clear
  }
}
