extension GraphForecast {
  /// The hosts on which tasks have run.
  struct Hosts: Sendable {
    var indices: [String: Int] = [:]
    /// How much longer tasks take on each host according to earlier runs, as logarithms.
    var earlierShifts: [Double] = []
    /// The number of tasks that run on each host.
    var running: [Int] = []
    /// The maximum of that number so far: as many workers the host is known to have.
    var workers: [Int] = []
    /// The host of each task that runs on a known one.
    var ofTask: [Int: Int] = [:]

    /// Whether they may differ in speed from each other, or from those of earlier runs.
    var mayDiffer: Bool { earlierShifts.count > 1 || earlierShifts.contains { $0 != 0 } }

    /// Notes that a task does not run any more, or not where it did.
    mutating func remove(_ task: Int) {
      // Most runs have no hosts, and nothing has to be hashed.
      if ofTask.isEmpty { return }
      if let host = ofTask.removeValue(forKey: task) { running[host] -= 1 }
    }
  }

  /// Records on which host the attempt at a task runs, after its start.
  ///
  /// Once tasks have run on several hosts, the forecast estimates how fast each one is. The tasks that have not started
  /// are expected to take the workers that become free, each at the speed of its host.
  ///
  /// - Parameters:
  ///   - task: The index of a running task; others are ignored.
  ///   - host: The name of the host, by which it is found in history.
  ///   - now: The time.
  /// - Complexity: O(1).
  public mutating func place(_ task: Int, on host: String, at now: Duration) {
    _ = seconds(now)
    guard tasks.indices.contains(task), tasks.states[task] == .running else { return }
    hosts.remove(task)
    let index = hosts.indices[host] ?? hosts.earlierShifts.count
    if index == hosts.earlierShifts.count {
      hosts.indices[host] = index
      hosts.earlierShifts.append(model.hostShift(host))
      hosts.running.append(0)
      hosts.workers.append(0)
      updateSharing()
    }
    hosts.ofTask[task] = index
    hosts.running[index] += 1
    hosts.workers[index] = max(hosts.workers[index], hosts.running[index])
    answers.current = nil
  }

  /// Records that the host of a running task is lost, so that no other task is expected to start there until one does.
  ///
  /// - Complexity: O(1).
  package mutating func loseHost(of task: Int) {
    guard let host = hosts.ofTask[task] else { return }
    hosts.remove(task)
    hosts.workers[host] = hosts.running[host]
    answers.current = nil
  }

  /// How much longer a running task takes because of its host, as a logarithm.
  func hostShift(of task: Int, _ hostShifts: [Double]) -> Double {
    guard !hostShifts.isEmpty, let host = hosts.ofTask[task] else { return 0 }
    return hostShifts[host]
  }

  /// Collects the free workers of each host, and where the running tasks are, for the simulations.
  mutating func gatherHosts(_ outlook: RunOutlook) {
    remainingGraph.hostFactors.removeAll(keepingCapacity: true)
    guard !outlook.hostShifts.isEmpty else { return }
    remainingGraph.hostFactors.append(contentsOf: outlook.hostShifts.map { Logarithms.exp($0) })
    remainingGraph.hostFactors.append(1)
    remainingGraph.freeWorkers.removeAll(keepingCapacity: true)
    var unknown = remainingGraph.workers - remainingGraph.running.count
    for host in hosts.running.indices {
      // Some workers may have been removed since.
      let free = min(hosts.workers[host] - hosts.running[host], max(unknown, 0))
      remainingGraph.freeWorkers.append(Int32(free))
      unknown -= free
    }
    remainingGraph.freeWorkers.append(Int32(max(unknown, 0)))
    remainingGraph.hostsOfRunning.removeAll(keepingCapacity: true)
    for task in remainingGraph.running {
      remainingGraph.hostsOfRunning.append(Int32(hosts.ofTask[Int(task)] ?? hosts.running.count))
    }
  }
}
