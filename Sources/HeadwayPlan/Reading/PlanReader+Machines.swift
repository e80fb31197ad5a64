extension PlanReader {
  /// Reads the machines that carry out the tasks.
  mutating func hosts(_ entry: Entry) -> [WorkerHost] {
    var hosts: [WorkerHost] = []
    for (text, node) in texts(entry) {
      do throws(WorkerHostError) {
        for host in try WorkerHost.list(text) {
          if hosts.contains(where: { $0.name == host.name }) {
            diagnose(node, "the host \(quoted(host.name)) is named twice")
          } else {
            hosts.append(host)
          }
        }
      } catch {
        diagnose(node, error.reason)
      }
    }
    return hosts
  }
}
