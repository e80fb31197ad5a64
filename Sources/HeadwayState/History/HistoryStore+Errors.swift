internal import HeadwaySystem

// MARK: - Errors

extension HistoryStore {
  /// Uses the file; nil if there is none.
  ///
  /// The file is released before this returns, so that an error can be handled by closing it.
  func use<Result>(
    _ body: (HistoryFile) throws(HistoryError) -> Result
  ) -> Swift.Result<Result, HistoryError>? {
    switch state {
    case .open(let file), .readOnly(let file):
      do { return .success(try body(file)) } catch { return .failure(error) }
    case .waiting, .off: return nil
    }
  }

  /// Opens the file, replacing a damaged one.
  func open() {
    for _ in 0..<3 {
      let identity = self.identity
      do {
        state = .open(try HistoryFile(path: path, schema: schema, limits: limits))
        return
      } catch {
        switch error.kind {
        case .locked:
          state = .waiting
          return
        case .damaged, .refused:
          // Another process may have replaced the file meanwhile.
          guard replace(identity) else { return }
        case .foreign, .newer, .full, .readOnly, .unreachable:
          turnOff(error)
          return
        }
      }
    }
    turnOff(HistoryError(.damaged, path: path))
  }

  /// Handles an error of an open file.
  func handle(_ error: HistoryError) {
    switch error.kind {
    case .locked: break
    case .damaged:
      // Only writers replace the file.
      if case .readOnly = state { return turnOff(error) }
      state = .off
      if replace(identity) { open() }
    case .foreign, .newer, .readOnly, .full, .unreachable, .refused:
      turnOff(error)
    }
  }

  /// Identifies the file that is at the path now, nil if there is none.
  private var identity: FileStatus.Identity? {
    FileStatus(path, followsLinks: false)?.identity
  }

  /// Renames a damaged file.
  ///
  /// - Parameter damaged: The file, nil if it is gone.
  /// - Returns: Whether a new one may be created.
  private func replace(_ damaged: FileStatus.Identity?) -> Bool {
    state = .off
    if hasReplacedFile {
      turnOff(HistoryError(.damaged, path: path))
      return false
    }
    guard let damaged, damaged == identity else { return true }
    hasReplacedFile = true
    guard let name = HistoryStore.setAside(path) else {
      turnOff(HistoryError(.damaged, path: path))
      return false
    }
    warn("'\(path)' was damaged; it is now '\(name)', and a new history was started")
    return true
  }

  /// Continues without writing, and without reading if that is impossible too.
  func turnOff(_ error: HistoryError) {
    switch error.kind {
    case .readOnly, .unreachable, .full:
      if case .open(let file) = state {
        state = .readOnly(file)
      } else {
        let file = try? HistoryFile(reading: path, schema: schema)
        state = file.map { .readOnly($0) } ?? .off
      }
    case .locked, .damaged, .foreign, .newer, .refused:
      state = .off
    }
    // A reader does not mind a read-only file, nor that nothing can be made beside it, as on a read-only file system.
    if isReader, error.kind == .readOnly || error.kind == .unreachable, case .readOnly = state {
      return
    }
    warn("history: \(error.message)")
  }

  /// Adds a warning, once.
  func warn(_ line: String) {
    if !warnings.contains(line) { warnings.append(line) }
  }
}
