/// Draws on a terminal: a value that turns changes and the time into bytes.
///
/// It has no clock, file or thread; a ``RenderLoop`` calls it.
package protocol Renderer: Sendable {
  /// Whether the renderer has finished by itself, so that the loop may end.
  var isOver: Bool { get }
  /// Whether there is more to print than one pass does, so that the loop must not rest or end.
  var hasMore: Bool { get }
  /// Whether rows are on the screen that depend on the size of the terminal.
  var isShown: Bool { get }
  /// Whether the renderer redraws rows at the bottom of the terminal, or will with the next frame.
  var needsRows: Bool { get }
  /// Whether the cursor is behind text that has no line end yet, so that nothing can be drawn below it.
  var isMidLine: Bool { get }
  /// A descriptor that is readable when there is something to print, nil for none.
  var news: Int32? { get }
  /// Handles the changes since the last call, and appends what must be printed even in the background.
  mutating func update(into output: inout [UInt8])
  /// Draws the current state.
  ///
  /// - Parameters:
  ///   - now: The time since the work began.
  ///   - size: The current size of the terminal.
  ///   - output: The bytes to append to; none if nothing changed.
  mutating func frame(at now: Duration, size: TerminalSize, into output: inout [UInt8])
  /// The time of the next frame, nil if nothing moves until something happens.
  func nextFrame(after now: Duration) -> Duration?
  /// Erases what would be overwritten later, before the program stops or something else draws.
  mutating func withdraw(into output: inout [UInt8])
  /// Erases the rows for a moment, because something above them is printed or drawn; the next frame draws them again.
  mutating func erase(into output: inout [UInt8])
  /// Prints the lines that wait for the next frame, while no rows are on the screen.
  mutating func printLines(into output: inout [UInt8])
  /// Forgets the drawn rows after other output.
  mutating func forget()
  /// Handles a key press.
  mutating func press(_ key: UInt8)
  /// Shows what happens with what is typed.
  mutating func show(_ keys: KeySession.Phase)
}

extension Renderer {
  /// False: most renderers run until the loop is finished.
  package var isOver: Bool { false }
  /// False: most renderers print everything at once.
  package var hasMore: Bool { false }
  /// False: most renderers redraw often enough to notice a resize.
  package var isShown: Bool { false }
  /// The same as `isShown`.
  package var needsRows: Bool { isShown }
  /// False: most renderers print whole lines.
  package var isMidLine: Bool { false }
  /// The same as `withdraw(into:)`.
  package mutating func erase(into output: inout [UInt8]) { withdraw(into: &output) }
  /// Does nothing: most renderers print lines with their frames.
  package mutating func printLines(into output: inout [UInt8]) {}
  /// Nil: most renderers print what they are nudged for.
  package var news: Int32? { nil }
  /// Does nothing.
  package mutating func update(into output: inout [UInt8]) {}
  /// Does nothing.
  package mutating func forget() {}
  /// Ignores the key.
  package mutating func press(_ key: UInt8) {}
  /// Shows nothing.
  package mutating func show(_ keys: KeySession.Phase) {}
}
