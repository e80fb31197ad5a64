package import HeadwayRun

/// On which machine of a run a task starts, by what tasks need and what is free.
///
/// A task goes to the machine with the most free CPUs that has what it needs; one with GPUs comes last for tasks that need none.
/// Tasks that need less may overtake one that fits nowhere at the moment, but only so often: then a machine is kept for it, on
/// which other tasks start only if they leave it what it needs. So no task waits forever, and little stands idle; this
/// is the backfilling of batch systems, without their time limits (Mu'alem and Feitelson, IEEE TPDS 12(6), 2001).
///
/// Not thread safe.
package struct Placement: Sendable {
  /// A machine.
  private struct Machine: Sendable {
    let total: Resources
    /// What the one task that it is for needs, nil if it is for all tasks that fit.
    let own: Resources?
    var free: Resources
    /// Whether each of its GPUs is in use.
    var usedGPUs: [Bool]
    /// Whether it still takes part in the run.
    var isOpen = true

    /// Whether a task may run there when nothing else does.
    func suits(_ needs: Resources) -> Bool { own.map { $0 == needs } ?? total.fits(needs) }
  }

  /// What a task that was started has.
  private struct Taken: Sendable {
    let machine: Int
    let needs: Resources
    let gpus: [Int]
  }

  private var machines: [Machine] = []
  /// What tasks have taken, by their indices.
  private var taken: [Int: Taken] = [:]
  /// The task that waits for a machine and comes before all others that do, nil for none.
  private(set) var waitingTask: Int?
  /// What that task needs.
  private var waitingNeeds = Resources()
  /// How many tasks that come after it were started since it waits.
  private var overtakers = 0
  /// The machine that is kept for it, nil for none.
  private var keptMachine: Int?
  /// How many tasks may overtake one that waits.
  private let mostOvertakers: Int
  /// Whether more machines may come.
  package var expectsMachines = false
  /// The most that a machine for a single task may have, nil if there are none.
  package var largestDedicatedMachine: Resources?

  /// Creates a placement without machines.
  ///
  /// - Parameter mostOvertakers: How many tasks may overtake one that waits.
  package init(mostOvertakers: Int) { self.mostOvertakers = mostOvertakers }

  /// Adds a machine, whose number is that of the machines before.
  ///
  /// - Parameters:
  ///   - total: What it has.
  ///   - own: What the one task that it is for needs, nil if it is for all tasks that fit.
  package mutating func addMachine(_ total: Resources, own: Resources? = nil) {
    machines.append(
      Machine(
        total: total, own: own, free: total,
        usedGPUs: Array(repeating: false, count: total.gpus)))
  }

  /// The number of machines, with those that are closed.
  package var count: Int { machines.count }

  /// Sets whether tasks may start on a machine.
  package mutating func setOpen(_ machine: Int, _ isOpen: Bool) {
    guard machines[machine].isOpen != isOpen else { return }
    machines[machine].isOpen = isOpen
    if keptMachine == machine { keptMachine = nil }
  }

  /// The machine of a task that was started, nil if none fits.
  package func machine(of task: Int) -> Int? { taken[task]?.machine }

  /// The numbers of the GPUs of its machine that a task that was started has, the lowest ones that were free.
  package func gpus(of task: Int) -> [Int] { taken[task]?.gpus ?? [] }

  /// The machine on which a task could start now, nil for none.
  ///
  /// - Complexity: O(machines).
  func machine(for needs: Resources, task: Int) -> Int? {
    var best: Int?
    for index in machines.indices where hasRoom(index, needs, task) {
      guard let other = best else {
        best = index
        continue
      }
      if isBetter(index, than: other, for: needs) { best = index }
    }
    return best
  }

  private func isBetter(_ machine: Int, than other: Int, for needs: Resources) -> Bool {
    if needs.gpus == 0 {
      let (hasGPUs, otherHasGPUs) = (
        machines[machine].total.gpus > 0, machines[other].total.gpus > 0
      )
      if hasGPUs != otherHasGPUs { return otherHasGPUs }
    }
    return machines[machine].free.cpus > machines[other].free.cpus
  }

  private func hasRoom(_ index: Int, _ needs: Resources, _ task: Int) -> Bool {
    let machine = machines[index]
    guard machine.isOpen, machine.free.fits(needs) else { return false }
    if machine.own != nil { return machine.suits(needs) && machine.free == machine.total }
    guard keptMachine == index, waitingTask != task else { return true }
    // What the task for which the machine is kept needs stays free, as far as this one would take of it.
    let left = machine.free.subtracting(needs)
    return left.cpus >= waitingNeeds.cpus
      && (needs.memory == 0 || left.memory >= waitingNeeds.memory)
      && (needs.gpus == 0 || left.gpus >= waitingNeeds.gpus)
  }

  /// Whether a task fits on none of the machines, even if nothing else runs there, and none is expected.
  package func isHopeless(_ needs: Resources) -> Bool {
    !expectsMachines && largestDedicatedMachine?.fits(needs) != true
      && !machines.contains { $0.isOpen && $0.suits(needs) }
  }

  /// Notes the task that waits for a machine and comes before all others that do, nil for none.
  mutating func wait(_ task: Int?, _ needs: Resources) {
    guard waitingTask != task else { return }
    (waitingTask, waitingNeeds, overtakers, keptMachine) = (task, needs, 0, nil)
  }

  /// Notes that a task starts, on a machine if there is one for it.
  ///
  /// - Parameters:
  ///   - task: The task.
  ///   - needs: What it needs.
  ///   - isOvertaking: Whether the task that waits comes before it.
  mutating func take(_ task: Int, _ needs: Resources, isOvertaking: Bool) {
    if let machine = machine(for: needs, task: task) { take(machine, for: task, needs) }
    if waitingTask == task {
      wait(nil, Resources())
    } else if isOvertaking {
      overtakers += 1
      if overtakers >= mostOvertakers, keptMachine == nil { keepMachine() }
    }
  }

  private mutating func take(_ machine: Int, for task: Int, _ needs: Resources) {
    machines[machine].free = machines[machine].free.subtracting(needs)
    var gpus: [Int] = []
    while gpus.count < needs.gpus, let gpu = machines[machine].usedGPUs.firstIndex(of: false) {
      machines[machine].usedGPUs[gpu] = true
      gpus.append(gpu)
    }
    taken[task] = Taken(machine: machine, needs: needs, gpus: gpus)
  }

  /// Keeps a machine for the task that waits: the one on which the fewest CPUs have to become free.
  private mutating func keepMachine() {
    keptMachine = machines.indices
      .filter { machines[$0].isOpen && machines[$0].suits(waitingNeeds) }
      .max { machines[$0].free.cpus < machines[$1].free.cpus }
  }

  /// Gives back what a task has taken.
  mutating func release(_ task: Int) {
    guard let taken = taken.removeValue(forKey: task) else { return }
    machines[taken.machine].free.add(taken.needs)
    for gpu in taken.gpus { machines[taken.machine].usedGPUs[gpu] = false }
  }
}
