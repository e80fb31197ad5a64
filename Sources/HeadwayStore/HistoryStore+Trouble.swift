/// What trouble means.
extension HistoryStore {
  /// Does something with the file, where there is one.
  ///
  /// The file is let go before this returns, so that an error can be handled by closing it.
  func use<Result>(
    _ body: (HistoryFile) throws(StoreError) -> Result
  ) -> Swift.Result<Result, StoreError>? {
    switch state {
    case .open(let file), .still(let file):
      do { return .success(try body(file)) } catch { return .failure(error) }
    case .waiting, .off: return nil
    }
  }

  /// Opens the file, and settles what can be settled.
  func open() {
    for _ in 0..<3 {
      let identity = FileIdentity(path)
      do {
        state = .open(
          try HistoryFile(path: path, schema: schema, limits: limits, patience: patience))
        return
      } catch {
        switch error.kind {
        case .locked:
          state = .waiting
          patience = 0
          return
        case .damaged, .refused:
          // Somebody else may have put a new file in its place meanwhile.
          guard setAside(identity) else { return }
        case .foreign, .newer, .full, .readOnly, .unreachable:
          turnOff(error)
          return
        }
      }
    }
    turnOff(StoreError(.damaged, path: path))
  }

  /// Settles trouble with an open file.
  func handle(_ error: StoreError) {
    switch error.kind {
    case .locked:
      // Once is enough: from now on nobody waits until the file is free.
      wait(milliseconds: 0)
    case .damaged:
      // Who may only read leaves it to those who write.
      if case .still = state { return turnOff(error) }
      state = .off
      place = nil
      if setAside(FileIdentity(path)) { open() }
    case .foreign, .newer, .readOnly, .full, .unreachable, .refused:
      turnOff(error)
    }
  }

  /// Puts a damaged file out of the way.
  ///
  /// - Parameter identity: The file that is damaged.
  /// - Returns: Whether a new one may be made.
  private func setAside(_ identity: FileIdentity?) -> Bool {
    state = .off
    if hasSetAside {
      turnOff(StoreError(.damaged, path: path))
      return false
    }
    guard let identity, identity == FileIdentity(path) else { return true }
    hasSetAside = true
    guard let name = HistoryStore.setAside(path) else {
      turnOff(StoreError(.damaged, path: path))
      return false
    }
    remark("'\(path)' was damaged; it is now '\(name)', and a new history has begun")
    return true
  }

  /// Goes on without writing, and without reading where that is not possible either.
  func turnOff(_ error: StoreError) {
    switch error.kind {
    case .readOnly, .unreachable, .full:
      if case .open(let file) = state {
        state = .still(file)
      } else {
        let still = try? HistoryFile(reading: path, schema: schema)
        state = still.map { .still($0) } ?? .off
      }
    case .locked, .damaged, .foreign, .newer, .refused:
      state = .off
    }
    // Who only reads has nothing to say of a file that can be read.
    if isReader, error.kind == .readOnly, case .still = state { return }
    remark("history: \(error.message)")
  }

  /// Sets how long calls wait for another program.
  func wait(milliseconds: Int32) {
    patience = milliseconds
    if case .open(let file) = state { file.database.wait(milliseconds: milliseconds) }
  }

  /// Adds a line for people, once.
  func remark(_ line: String) {
    if !remarks.contains(line) { remarks.append(line) }
  }
}
