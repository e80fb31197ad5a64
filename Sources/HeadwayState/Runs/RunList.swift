internal import HeadwayLibc
internal import HeadwayLock
internal import HeadwaySystem
internal import HeadwayText

/// The runs in a state folder, and the order in which they began.
///
/// The only place that knows this order. Each header has a number for it, ``RunHeader/order``, which neither the time zone nor a clock
/// that is set back can put before the number of a run that was there already. Of each header, only the beginning is read, and
/// that once. Safe from any thread.
package final class RunList: Sendable {
  /// The folder of all runs.
  let folder: PrivateDirectory
  /// What is known of the order, by name.
  private let orders = Guarded<[String: Int64]>([:])

  /// Creates the list of a folder of runs.
  init(_ folder: PrivateDirectory) { self.folder = folder }

  /// The folders of runs as they are now, in no order, with or without a header.
  var unorderedNames: [String] {
    folder.names().filter { StateFolder.processNumber(of: $0) != nil }
  }

  /// The names of all runs, the oldest first, also of those that have no header yet.
  ///
  /// - Complexity: O(runs · log runs); the beginning of each header that was not read before is read.
  var names: [String] {
    sorted(unorderedNames.map { ($0, order(of: $0)) })
  }

  /// The runs that have a header, and those whose folders cannot be used, the newest first.
  var entries: [RunEntry] {
    unorderedNames.compactMap { name -> (order: Int64, name: String, entry: RunEntry)? in
      do throws(StateError) {
        return try run(named: name).map { (order(of: $0), name, .folder($0)) }
      } catch {
        guard case .run(_, let reason) = error else { return nil }
        return (Self.latestOrder(of: name), name, .unusable(name, reason: reason))
      }
    }.sorted { ($0.order, $0.name) > ($1.order, $1.name) }.map(\.entry)
  }

  /// Finds a run.
  ///
  /// - Parameter name: The name of the run.
  /// - Returns: Its folder, nil if there is none or it has no header.
  /// - Throws: `StateError.run` if it cannot be used.
  func run(named name: String) throws(StateError) -> RunFolder? {
    do throws(DirectoryError) {
      let run = RunFolder(name, directory: try folder.directory(name, creates: false))
      return run.hasHeader ? run : nil
    } catch {
      // It may have been removed since it was listed.
      guard folder.has(name) else { return nil }
      throw .run(name, error.reason)
    }
  }

  /// The runs of a plan that go on, the newest first.
  ///
  /// - Parameter plan: The name of the plan.
  /// - Returns: Their names.
  func running(_ plan: String) -> [String] {
    let running = unorderedNames.compactMap { name -> (name: String, order: Int64)? in
      guard let run = RunFolder(name, in: folder), run.mayBeRunning,
        let header = try? run.header(), header.plan.isExactly(plan), run.isRunning(header) == true
      else { return nil }
      return (name, header.order)
    }
    return sorted(running).reversed()
  }

  /// The number for the order of a run that begins now: larger than that of any other.
  ///
  /// - Parameter now: The time, in milliseconds since 1970.
  /// - Returns: The number.
  func nextOrder(at now: Int64) -> Int64 {
    let newest = unorderedNames.map { order(of: $0) }.max()
    return max(now, newest.map { $0 + 1 } ?? now)
  }

  private func sorted(_ runs: [(name: String, order: Int64)]) -> [String] {
    runs.sorted { ($0.order, $0.name) < ($1.order, $1.name) }.map(\.name)
  }

  /// The order of a run whose folder cannot be used, at the most: nothing can be believed but its name, which has seconds.
  private static func latestOrder(of name: String) -> Int64 { StateFolder.time(of: name) + 999 }

  /// The order of a run of which only the name is known.
  private func order(of name: String) -> Int64 {
    if let known = orders.withLock({ $0[name] }) { return known }
    guard let directory = try? folder.directory(name, creates: false) else {
      return Self.latestOrder(of: name)
    }
    return order(of: RunFolder(name, directory: directory))
  }

  /// The order of a run.
  private func order(of run: RunFolder) -> Int64 {
    if let known = orders.withLock({ $0[run.name] }) { return known }
    let (order, isFinal) = run.readOrder()
    if isFinal { orders.withLock { $0[run.name] = order } }
    return order
  }
}

/// A run in a state folder, as a list has it.
package enum RunEntry: Sendable {
  /// The folder of a run.
  case folder(RunFolder)
  /// The name of a run whose folder cannot be used, and why; it may belong to another user.
  case unusable(String, reason: String)

  /// The folder, nil if it cannot be used.
  package var usable: RunFolder? {
    if case .folder(let folder) = self { folder } else { nil }
  }
}

extension RunFolder {
  /// The number of bytes at the beginning of a header that have the order, as this version writes it.
  private static let orderBytes = 64

  /// Reads the place of the run in the order in which runs began.
  ///
  /// A run whose header cannot be read is as new as its name and its header say at the most: whoever asks for the newest run must
  /// hear of it instead of silently getting an older one.
  ///
  /// - Returns: The order, and whether it stays so.
  fileprivate func readOrder() -> (order: Int64, isFinal: Bool) {
    let named = StateFolder.time(of: name)
    let file = directory.openForReading(RunHeader.fileName)
    guard file >= 0 else { return (named, false) }
    defer { close(file) }
    if let order = RunHeader.order(atStartOf: readAll(file, limit: Self.orderBytes).bytes) {
      return (order, true)
    }
    // That of an older version, or of somebody who has changed it.
    if let header = try? header() { return (header.order, true) }
    return (max(named, Self.lastChange(of: file) ?? named), false)
  }
}
