/// What a task needs of the machine that runs it, or what a machine has.
package struct Resources: Hashable, Sendable {
  /// The number of CPUs.
  package var cpus: Int
  /// The memory in bytes.
  package var memory: Int
  /// The number of GPUs.
  package var gpus: Int
  /// Words for what only some machines have, each once.
  package var labels: [String]

  /// Creates resources; those of a task that says nothing are one CPU.
  package init(cpus: Int = 1, memory: Int = 0, gpus: Int = 0, labels: [String] = []) {
    self.cpus = cpus
    self.memory = memory
    self.gpus = gpus
    self.labels = labels
  }

  /// Whether a task with these needs runs on no machine: a group.
  package var isNothing: Bool { cpus == 0 }

  /// The resources without those of a task, which may be more than there are.
  package func subtracting(_ other: Resources) -> Resources {
    Resources(
      cpus: cpus - other.cpus, memory: memory - other.memory, gpus: gpus - other.gpus,
      labels: labels)
  }

  /// Gives back what a task has taken.
  package mutating func add(_ other: Resources) {
    cpus += other.cpus
    memory += other.memory
    gpus += other.gpus
  }

  /// Whether a task that needs `other` fits.
  ///
  /// - Complexity: O(labels²).
  package func fits(_ other: Resources) -> Bool {
    other.cpus <= cpus && other.gpus <= gpus && (other.memory == 0 || other.memory <= memory)
      && other.labels.allSatisfy(labels.contains)
  }

  /// How many tasks with the same needs fit at once.
  package func count(of needs: Resources) -> Int {
    guard fits(needs) else { return 0 }
    var most = cpus / max(needs.cpus, 1)
    if needs.memory > 0 { most = min(most, memory / needs.memory) }
    if needs.gpus > 0 { most = min(most, gpus / needs.gpus) }
    return most
  }

  /// The larger one of each amount, and all labels.
  package func union(_ other: Resources) -> Resources {
    Resources(
      cpus: max(cpus, other.cpus), memory: max(memory, other.memory), gpus: max(gpus, other.gpus),
      labels: labels + other.labels.filter { !labels.contains($0) })
  }
}
