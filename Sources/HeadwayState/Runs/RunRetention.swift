internal import HeadwaySystem

/// Which runs are kept in a state folder.
///
/// Before a run begins, the oldest are removed until the number and the size fit, without those that go on. The newest
/// of the others is kept whatever its size. Runs inside of another one are kept and removed with it, at most as many of them.
package struct RunRetention: Hashable, Sendable {
  /// The number of runs, with the one that begins.
  package var runs = 20
  /// The number of bytes of the runs before the one that begins.
  package var bytes = 1 << 30

  /// Creates the default retention.
  package init() {}

  /// The file with the sizes of runs that are over, a line each: counting them means looking at every log.
  static let sizesName = "sizes"
  /// The maximum number of bytes of that file.
  private static let maxSizesBytes = 1 << 20

  /// Removes the oldest runs.
  ///
  /// - Parameters:
  ///   - list: All runs.
  ///   - current: The name of the run that begins.
  func apply(in list: RunList, for current: String) {
    let folder = list.folder
    let all = list.names.reversed()
    let known = Self.sizes(in: folder)
    var sizes: [String: Int] = [:]
    // The runs inside of others, the newest first, by the name of the one around them.
    var parts: [String: [RunFolder]] = [:]
    var outer: String?
    let names = all.filter { name in
      guard let run = try? folder.directory(name, creates: false) else { return false }
      let opened = RunFolder(name, directory: run)
      guard let around = opened.outer else { return name != current }
      if name == current { outer = around } else { parts[around, default: []].append(opened) }
      return false
    }
    func remove(_ inner: some Sequence<RunFolder>) {
      for part in inner where !part.mayBeRunning && !part.hasProcess {
        sizes[part.name] = nil
        Self.remove(part.name, part.directory, in: folder)
      }
    }
    var kept = outer == nil ? 1 : 0
    var total = 0
    for name in names {
      guard let run = try? folder.directory(name, creates: false) else { continue }
      let opened = RunFolder(name, directory: run)
      guard opened.hasHeader else {
        // A run that was killed before it wrote its header. A run that is just starting may not have locked its journal yet,
        // so its process is checked, too.
        if !opened.mayBeRunning, !opened.hasProcess { Self.removeEmpty(name, run, in: folder) }
        continue
      }
      let size = known[name] ?? (opened.mayBeRunning ? nil : Self.size(of: run))
      let inner = parts.removeValue(forKey: name) ?? []
      let room = name == outer ? runs - 1 : runs
      remove(inner.dropFirst(room))
      var added = size ?? 0
      for part in inner.prefix(room) {
        let size = known[part.name] ?? (part.mayBeRunning ? nil : Self.size(of: part.directory))
        sizes[part.name] = size
        added += size ?? 0
      }
      total += added
      if kept >= runs || (kept > 1 && total > bytes), !opened.mayBeRunning {
        total -= added
        remove(inner)
        Self.remove(name, run, in: folder)
        continue
      }
      kept += 1
      sizes[name] = size
    }
    // Those of runs that were removed before.
    for inner in parts.values { remove(inner) }
    if sizes != known { Self.write(sizes, in: folder) }
  }

  /// Notes the size of a run that ends, so that the next one need not count it.
  static func noteSize(of run: PrivateDirectory, named name: String, in folder: PrivateDirectory) {
    var known = sizes(in: folder)
    known[name] = size(of: run)
    write(known, in: folder)
  }

  /// The number of bytes of a run.
  private static func size(of run: PrivateDirectory) -> Int {
    let logs = try? run.directory(RunFolder.logs, creates: false)
    return run.size(of: RunHeader.fileName) + run.size(of: Journal.fileName)
      + (logs?.names().reduce(0) { $0 + (logs?.size(of: $1) ?? 0) } ?? 0)
  }

  /// Removes what a run has written; what is not from it stays with its folder.
  private static func remove(_ name: String, _ run: PrivateDirectory, in folder: PrivateDirectory) {
    if let logs = try? run.directory(RunFolder.logs, creates: false) {
      for log in logs.names() where log.hasSuffix(".log") { logs.remove(log) }
    }
    run.removeDirectory(RunFolder.logs)
    run.remove(RunFolder.messages)
    run.remove(Journal.fileName)
    run.remove(RunFolder.continuationName)
    run.remove(RunFolder.outerName)
    // The last one, so that an interrupted removal is continued.
    run.remove(RunHeader.fileName)
    folder.removeDirectory(name)
  }

  /// Removes the folders of a run that has written nothing.
  private static func removeEmpty(
    _ name: String, _ run: PrivateDirectory, in folder: PrivateDirectory
  ) {
    run.removeDirectory(RunFolder.logs)
    if run.size(of: Journal.fileName) == 0, run.names() == [Journal.fileName] {
      run.remove(Journal.fileName)
    }
    folder.removeDirectory(name)
  }

  // MARK: Known sizes

  /// The known sizes of runs, by name.
  private static func sizes(in folder: PrivateDirectory) -> [String: Int] {
    var sizes: [String: Int] = [:]
    let text = String(
      decoding: folder.contents(of: sizesName, most: maxSizesBytes), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, let size = Int(words[1]), size >= 0, size < 1 << 53 else { continue }
      sizes[String(words[0])] = size
    }
    return sizes
  }

  /// Replaces the known sizes.
  private static func write(_ sizes: [String: Int], in folder: PrivateDirectory) {
    let text = sizes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
    _ = folder.replace(sizesName, with: Array(text.utf8))
  }
}
