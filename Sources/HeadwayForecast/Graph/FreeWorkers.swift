/// The workers of a simulation on which no task runs.
protocol FreeWorkers {
  /// Forgets the previous simulation.
  mutating func reset(for remaining: RemainingGraph)
  /// Takes a worker for a task; there is one.
  ///
  /// - Returns: The factor by which the task takes longer there.
  mutating func take(for task: Int32, _ remaining: RemainingGraph) -> Double
  /// Gives back the worker of a task that has ended.
  mutating func giveBack(from task: Int32)
}

/// Workers that are all alike; how many are free is known without this value.
struct EqualWorkers: FreeWorkers {
  @inline(__always)
  mutating func reset(for remaining: RemainingGraph) {}
  @inline(__always)
  mutating func take(for task: Int32, _ remaining: RemainingGraph) -> Double { 1 }
  @inline(__always)
  mutating func giveBack(from task: Int32) {}
}

/// The workers of hosts that differ in speed.
///
/// A task starts on the host with the most free workers, as in a run on several machines; on a worker whose host is unknown only if
/// there is no other. O(hosts) for each task.
struct WorkersOfHosts: FreeWorkers, Sendable {
  /// The number of free workers of each host.
  private var free = ContiguousArray<Int32>()
  /// The host of each task that runs.
  private var hostOfTask = ContiguousArray<Int32>()

  mutating func reset(for remaining: RemainingGraph) {
    let count = remaining.openDependencies.count
    if hostOfTask.count != count { hostOfTask = ContiguousArray(repeating: 0, count: count) }
    free.removeAll(keepingCapacity: true)
    free.append(contentsOf: remaining.freeWorkers)
    for (task, host) in zip(remaining.running, remaining.hostsOfRunning) {
      hostOfTask[Int(task)] = host
    }
  }

  mutating func take(for task: Int32, _ remaining: RemainingGraph) -> Double {
    var host = 0
    for index in 0..<(free.count - 1) where free[index] > free[host] { host = index }
    if free[host] <= 0 { host = free.count - 1 }
    free[host] -= 1
    hostOfTask[Int(task)] = Int32(host)
    return remaining.hostFactors[host]
  }

  mutating func giveBack(from task: Int32) { free[Int(hostOfTask[Int(task)])] += 1 }
}
