internal import HeadwayFiles
internal import HeadwayLibc
internal import HeadwaySystem

/// The folder of a plan, with the files that the plan refers to.
package struct PlanFolder: PlanSources {
  private let path: String

  /// Creates the sources of a plan.
  ///
  /// - Parameter path: The path of its folder, without a trailing slash.
  package init(_ path: String) { self.path = path }

  package func contents(of name: String) throws(PlanSourceError) -> [UInt8] {
    let file = unsafe open(absolute(name), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      let code = errno
      throw PlanSourceError(
        reason: "cannot be read: \(errorDescription(code))", isMissing: code == ENOENT)
    }
    defer { close(file) }
    let status = FileStatus(descriptor: file)
    guard status?.kind ?? .file == .file else {
      throw PlanSourceError(reason: "is not a regular file")
    }
    if let reason = status?.refusal(in: FileStatus(path)) {
      throw PlanSourceError(reason: "was not used, because it \(reason)")
    }
    let (bytes, error) = readAll(file, limit: PlanLimits.fileBytes + 1)
    guard error == 0 else {
      throw PlanSourceError(reason: "cannot be read: \(errorDescription(error))")
    }
    return bytes
  }

  package func files(matching pattern: String) throws(PlanSourceError) -> [String] {
    let found = FilePattern(pattern, maxEntries: 100_000).search(in: path)
    if let limit = found.exceededLimit { throw PlanSourceError(reason: "finds \(limit)") }
    return found.files.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The path of a file of the plan.
  private func absolute(_ name: String) -> String {
    name.hasPrefix("/") ? name : "\(path)/\(name)"
  }
}
