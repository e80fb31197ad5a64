internal import CSpawn
internal import HeadwayLibc
internal import HeadwaySystem

/// The resources that this process may use.
package enum Machine {
  /// The descriptors that the runner may need beside those of tasks.
  private static let ownDescriptors = 64
  /// The descriptors without which no task can run: those that are open while one runs, and a few to spare.
  private static let minDescriptors = 32
  /// The descriptors that a running task needs: its output and its log.
  private static let descriptorsPerTask = 2
  /// The descriptors that a task needs in addition if it reports its progress through a pipe.
  private static let descriptorsForProgress = 1

  /// The number of cores that this process may use, at least 1.
  ///
  /// Respects the processor affinity and the quota of the control group, as in a container.
  static var cores: Int {
    let count = Int(hw_usable_cores())
    return max(1, min(count, groupLimit() ?? count))
  }

  /// The quota of the control group in cores, rounded up; nil if there is none.
  private static func groupLimit() -> Int? { groupFile("cpu.max").flatMap { cores(ofQuota: $0) } }

  /// The contents of a file of the control group, nil if there is none.
  static func groupFile(_ name: String) -> String? {
    let membership = String(decoding: readFile("/proc/self/cgroup", most: 4096), as: UTF8.self)
    guard let line = membership.split(separator: "\n").first(where: { $0.hasPrefix("0::") }) else {
      return nil
    }
    let bytes = readFile("/sys/fs/cgroup\(line.dropFirst(3))/\(name)", most: 64)
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// The number of cores in a quota such as `150000 100000`, rounded up; nil if it is not limited, as in `max 100000`.
  static func cores(ofQuota text: String) -> Int? {
    let words = text.split { $0.isWhitespace }
    guard words.count == 2, let quota = Int(words[0]), let period = Int(words[1]), period > 0 else {
      return nil
    }
    return quota / period + (quota % period > 0 ? 1 : 0)
  }

  /// Raises the limit on open descriptors if that many workers need more.
  ///
  /// - Parameters:
  ///   - workers: The number of tasks that run at once.
  ///   - hasPipes: Whether tasks report their progress through pipes.
  /// - Returns: The number of workers for which there are enough descriptors, at least 1.
  /// - Throws: `RunnerError.descriptors` if there are too few for one task.
  static func allowDescriptors(
    for workers: Int, withProgress hasPipes: Bool = false
  ) throws(RunnerError) -> Int {
    let descriptorsPerTask = descriptorsPerTask + (hasPipes ? descriptorsForProgress : 0)
    let allowed = try raiseDescriptors(to: workers * descriptorsPerTask + ownDescriptors)
    return max(1, min(workers, (allowed - ownDescriptors) / descriptorsPerTask))
  }

  /// Raises the limit on open descriptors, if that is necessary and possible, to what a command needs that starts no tasks.
  ///
  /// - Throws: `RunnerError.descriptors` if it stays too low, and what cannot be opened would look like what is not there.
  package static func allowDescriptors() throws(RunnerError) {
    _ = try raiseDescriptors(to: minDescriptors)
  }

  /// Raises the limit on open descriptors.
  ///
  /// - Returns: The limit, or the number that is needed if there is no lower one.
  private static func raiseDescriptors(to needed: Int) throws(RunnerError) -> Int {
    var limit = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < rlim_t(needed) else {
      return needed
    }
    limit.rlim_cur = min(rlim_t(needed), limit.rlim_max)
    unsafe setrlimit(kind, &limit)
    unsafe getrlimit(kind, &limit)
    guard limit.rlim_cur >= minDescriptors else {
      throw .descriptors(limit: Int(limit.rlim_cur), needed: minDescriptors)
    }
    return Int(clamping: limit.rlim_cur)
  }
}
