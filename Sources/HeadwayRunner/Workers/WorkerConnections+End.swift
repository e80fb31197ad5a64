// The end of the connections of a run.

internal import HeadwayLibc
internal import HeadwayTime

extension WorkerConnections {
  /// Forgets the programs that have ended.
  func reap() {
    retired = retired.filter { link in
      var link = link
      return !link.reap()
    }
  }

  /// Ends the programs of all connections, after the run; has no effect the second time.
  func end() {
    guard !hasEnded else { return }
    hasEnded = true
    for index in connections.indices {
      let isOwnEnd = connections[index].needs != nil || connections[index].job != nil
      retire(index, endsByItself: isOwnEnd && connections[index].hasSaidEnd)
    }
    closeQueue(at: MonotonicTime.continuous)
    retired += copies.end(in: poller)
    retired += submitted?.end(spawner, in: poller) ?? []
    reapAll()
    if let cluster { lookForJobs(of: cluster) }
  }

  /// Ends the jobs of the run that the cluster has nevertheless.
  private func lookForJobs(of cluster: SlurmJobs) {
    guard var link = try? WorkerLink(cluster.lastLook, spawner) else { return }
    link.closeStreams()
    let begin = MonotonicTime.now
    while !link.reap() {
      let time = MonotonicTime.now - begin
      if time > Self.endTimeout { link.end(SIGKILL) }
      // One that cannot be killed is left to the supervisor.
      if time > Self.endTimeout * 2 { break }
      usleep(5_000)
    }
    if link.process > 0 || link.status != 0 {
      warnings.append(
        "the Slurm cluster does not answer, so jobs of this run may be left; squeue --me lists them"
      )
    }
  }

  /// Waits until all programs have ended, and kills them after a while.
  private func reapAll() {
    let begin = MonotonicTime.now
    var isKilling = false
    while !retired.isEmpty {
      reap()
      if !isKilling, MonotonicTime.now - begin > Self.endTimeout {
        isKilling = true
        for link in retired { link.end(SIGKILL) }
      }
      // Those that cannot be killed are left to the supervisor.
      if MonotonicTime.now - begin > Self.endTimeout * 2 { return }
      if !retired.isEmpty { usleep(5_000) }
    }
  }
}
