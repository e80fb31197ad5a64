internal import HeadwaySystem

/// The surfaces on a terminal, the first one at the top, and what was printed above them.
///
/// Used by the drawing thread.
struct SurfaceStack {
  /// A surface that is drawn.
  private struct Drawn {
    let surface: TerminalSurface
    var renderer: any Renderer
    /// The descriptor that keys are read from, nil for none.
    var keyboard: Int32?
    /// The size of the terminal at the last frame.
    var size: TerminalSize
    /// Whether it keeps away from the terminal.
    var isQuiet = false
    /// Whether it did so in the last pass.
    var wasQuiet = false
    /// Whether it could be drawn in the last pass.
    var isDrawn = false
    /// Whether it was not drawn yet.
    var isNew = true
    /// Whether it has to write what is left and end.
    var isFinishing = false
    /// Whether the program may draw.
    var isInForeground = true
  }

  private var all: [Drawn] = []
  /// The number of surfaces with rows in the last pass.
  private var sharers = 0
  /// The bytes of the rows of several surfaces that are on the screen.
  private var shownRows: [UInt8] = []
  /// Whether what was printed above all surfaces has no line end yet.
  private var isMidLine = false

  /// Whether there are rows at the bottom of the terminal, or will be with the next frame.
  var needsRows: Bool { all.contains { $0.renderer.needsRows } }

  /// Whether what the program prints comes above the rows.
  var keepsOutput: Bool { all.contains { $0.surface.keepsOutput } }

  // MARK: Drawing

  /// Adds the new surfaces below the others.
  mutating func join(_ requests: TerminalThread.Requests) {
    for surface in requests.joining {
      all.append(
        Drawn(
          surface: surface, renderer: surface.renderer, keyboard: surface.keyboard,
          size: surface.port.size))
    }
  }

  /// Draws what has changed.
  ///
  /// - Parameter requests: What was asked for.
  /// - Returns: The surfaces that have ended, and whether their renderers were over.
  mutating func draw(
    _ requests: TerminalThread.Requests
  ) -> [(surface: TerminalSurface, isOver: Bool)] {
    prepare(requests)
    var output: [UInt8] = []
    // What comes above the rows of all surfaces needs their place.
    if all.count > 1 || !requests.printed.isEmpty || isMidLine { erase(into: &output) }
    let start = output.count
    output += requests.printed
    if let last = requests.printed.last { isMidLine = last != 0x0A }
    for index in all.indices { update(index, into: &output) }
    let endings = all.indices.filter {
      (all[$0].isFinishing || all[$0].renderer.isOver) && !all[$0].renderer.hasMore
    }
    if !endings.isEmpty, isMidLine {
      output.append(0x0A)
      isMidLine = false
    }
    if all.count > 1 {
      for index in all.indices where mayDraw(index) {
        all[index].renderer.printLines(into: &output)
      }
    }
    for index in endings where all.count > 1 { all[index].renderer.withdraw(into: &output) }
    let rowsStart = output.count
    for index in all.indices where mayDraw(index) {
      if all.count == 1 || !endings.contains(index) { frame(index, into: &output) }
    }
    if all.count == 1, !endings.isEmpty { all[0].renderer.withdraw(into: &output) }
    write(output, hasLines: rowsStart > start, rows: output[rowsStart...])
    defer { for index in endings.reversed() { all.remove(at: index) } }
    return endings.map { (all[$0].surface, all[$0].renderer.isOver) }
  }

  /// Notes what each surface may do in this pass.
  private mutating func prepare(_ requests: TerminalThread.Requests) {
    sharers = all.count { $0.renderer.needsRows }
    for index in all.indices {
      let surface = all[index].surface
      if requests.finishing.contains(ObjectIdentifier(surface)) { all[index].isFinishing = true }
      all[index].wasQuiet = all[index].isQuiet
      all[index].isQuiet = requests.isSuspended && !all[index].isFinishing
      all[index].isInForeground = surface.port.isInForeground
      // Another program uses the terminal and writes below the rows: they must not be erased any more.
      if !all[index].isInForeground {
        all[index].renderer.forget()
        shownRows = []
      }
    }
  }

  /// Erases all rows, the lowest first; they are drawn again with the next frames.
  private mutating func erase(into output: inout [UInt8]) {
    for index in all.indices.reversed() where !all[index].wasQuiet {
      all[index].renderer.erase(into: &output)
    }
  }

  /// Passes the keys and the news to a surface.
  private mutating func update(_ index: Int, into output: inout [UInt8]) {
    let surface = all[index].surface
    if all[index].isNew {
      // The renderer knows the size before the first event.
      all[index].renderer.frame(at: .zero, size: all[index].size, into: &output)
      all[index].isNew = false
    }
    for key in surface.pressedKeys(&all[index].keyboard) { all[index].renderer.press(key) }
    // While suspended, what happens waits.
    if !all[index].isQuiet { all[index].renderer.update(into: &output) }
    if let keys = surface.requested { all[index].renderer.show(keys.phase) }
    if all[index].isQuiet, !all[index].wasQuiet { all[index].renderer.withdraw(into: &output) }
    all[index].isDrawn = !all[index].isQuiet && surface.port.isOpen && all[index].isInForeground
  }

  /// Whether rows of a surface can be drawn: not below a line that has no end.
  private func mayDraw(_ index: Int) -> Bool {
    all[index].isDrawn && !isMidLine
      && !all.indices.contains { $0 != index && all[$0].renderer.isMidLine }
  }

  /// Draws the rows of a surface.
  private mutating func frame(_ index: Int, into output: inout [UInt8]) {
    let size = all[index].surface.port.size
    all[index].size = size
    // The regions together have as many rows as one alone would have.
    let rows = size.rows / max(sharers, 1)
    all[index].renderer.frame(
      at: all[index].surface.now(), size: TerminalSize(columns: size.columns, rows: rows),
      into: &output)
  }

  /// Writes the bytes of a pass, which the terminal shows at once.
  ///
  /// - Parameters:
  ///   - output: The bytes.
  ///   - hasLines: Whether they print anything but rows.
  ///   - rows: The rows among them.
  private mutating func write(_ output: [UInt8], hasLines: Bool, rows: ArraySlice<UInt8>) {
    guard let port = (all.first { $0.surface.port.isOpen } ?? all.first)?.surface.port else {
      return
    }
    guard all.count > 1 else {
      shownRows = []
      return port.write(output)
    }
    // The rows were erased only to be drawn again as they were.
    guard hasLines || rows != shownRows[...] else { return }
    shownRows = Array(rows)
    var update: [UInt8] = []
    Escape.append(Escape.beginUpdate, to: &update)
    update += Escape.removingUpdates(from: output)
    Escape.append(Escape.endUpdate, to: &update)
    port.write(update)
  }

  // MARK: Resting

  /// Whether there is more to print than one pass does.
  func hasMore(isSuspended: Bool) -> Bool {
    all.contains { $0.renderer.hasMore && (!isSuspended || $0.isFinishing) }
  }

  /// Sleeps until a request, a key, the next frame or a new size of the terminal.
  ///
  /// - Parameters:
  ///   - wake: Set for a request.
  ///   - isSuspended: Whether the surfaces keep away from the terminal.
  func sleep(until wake: WaitableEvent, isSuspended: Bool) {
    var limit: Duration?
    var others: [Int32] = []
    for drawn in all {
      if drawn.isDrawn, let keyboard = drawn.keyboard { others.append(keyboard) }
      guard !isSuspended else { continue }
      if let news = drawn.renderer.news { others.append(news) }
      guard drawn.surface.port.isOpen else { continue }
      let moment = drawn.surface.now()
      guard let next = drawn.renderer.nextFrame(after: moment) else { continue }
      // Nothing is drawn in the background, and no signal reports the return to the foreground.
      let wait = drawn.isDrawn ? max(next - moment, .zero) : RenderLimits.backgroundPause
      limit = min(limit ?? wait, wait)
    }
    // The signal of a new size belongs to the program, so the size is polled while nothing moves.
    let shown = all.filter { $0.isDrawn && $0.renderer.isShown }
    guard limit == nil, !shown.isEmpty else {
      wake.wait(for: limit, or: others)
      return
    }
    while !wake.wait(for: RenderLimits.sizePause, or: others),
      shown.allSatisfy({ $0.surface.port.size == $0.size })
    {}
  }
}
