// The jobs of a cluster: when they are submitted and ended, and why they wait.

internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem
internal import HeadwayTime

extension WorkerConnections {
  // MARK: - Jobs for single tasks

  /// Submits jobs for tasks that wait for a machine, and ends those that no task needs any more.
  func updateTaskJobs(at now: Duration) {
    guard let cluster, let largest = executor.dedicatedMachines?.largest, !executor.isEnding,
      let wanted = executor.wanted
    else {
      taskJobs?.wait()
      return
    }
    var having: [Resources: Int] = [:]
    var used = 0
    for connection in connections {
      guard let needs = connection.needs, connection.stage != .over else { continue }
      used += 1
      if hasBegunNoTask(connection) { having[needs, default: 0] += 1 }
    }
    let changes = taskJobs?.changes(
      for: wanted.filter { largest.fits($0.needs) }, having: having, used: used, at: now)
    for (needs, count) in changes?.surplus ?? [:] { endJobs(count, for: needs) }
    for needs in changes?.submissions ?? [] {
      guard let number = taskJobs?.nextNumber() else { continue }
      var connection = Connection(place: cluster.place(number, forTaskThatNeeds: needs))
      connection.needs = needs
      let index =
        connections.firstIndex { $0.needs != nil && $0.stage == .over } ?? connections.count
      if index == connections.count {
        connections.append(connection)
      } else {
        connections[index] = connection
      }
      open(index)
    }
  }

  /// Whether a job is on its way, or has started and waits for its task.
  private func hasBegunNoTask(_ connection: Connection) -> Bool {
    switch connection.stage {
    case .waiting, .connecting, .beginning: true
    case .ready: connection.worker.map { executor.isIdle($0) } ?? false
    case .unreachable, .over: false
    }
  }

  /// Ends jobs that no task needs, those first that have not started.
  private func endJobs(_ count: Int, for needs: Resources) {
    let jobs = connections.indices.filter {
      connections[$0].needs == needs && hasBegunNoTask(connections[$0])
    }
    let waiting = jobs.filter { connections[$0].stage != .ready }
    for index in (waiting + jobs.filter { connections[$0].stage == .ready }).prefix(count) {
      if let worker = connections[index].worker {
        executor.endWorker(worker)
      } else {
        retire(index)
        connections[index].stage = .over
      }
    }
  }

  // MARK: - Jobs whose workers connect over TCP

  /// Submits the jobs that were added, and ends those that were removed.
  func submitJobs() {
    for event in submitted?.submit(spawner, in: poller) ?? [] { handle(event) }
  }

  /// Handles what has happened to jobs whose workers connect over TCP.
  func handle(_ event: SubmittedJobs.Event) {
    switch event {
    case .connected(let job, let socket):
      // A worker that nobody expects ends when its connection does.
      guard let index = connections.firstIndex(where: { $0.job == job }),
        connections[index].stage == .connecting, connections[index].link == nil
      else {
        close(socket)
        return
      }
      connections[index].link = WorkerLink(socket: socket)
      connections[index].moment = MonotonicTime.continuous + Self.greetingTimeout
      if !watch(index) {
        connections[index].errors = Array("cannot wait for it: \(errorDescription(errno))".utf8)
        fail(index)
      }
    case .refused(let jobs, let reason):
      for index in connections.indices {
        guard let job = connections[index].job, jobs.contains(job) else { continue }
        connections[index].errors = Array(reason.utf8)
        fail(index)
      }
    }
  }

  /// Notes which jobs have left the cluster without a worker that has connected.
  ///
  /// - Parameters:
  ///   - present: The jobs that wait or run, by an answer.
  ///   - time: When it was asked.
  /// - Returns: Whether there are some.
  private func noteGone(
    _ present: Set<SubmittedJobs.Element>, askedAt time: Duration
  ) -> Bool {
    var hasSome = false
    for index in connections.indices {
      guard let job = connections[index].job, connections[index].stage == .connecting,
        connections[index].link == nil,
        submitted?.isGone(job, by: present, askedAt: time) ?? false
      else { continue }
      connections[index].errors = Array("its job has ended before its worker has connected".utf8)
      readOutput(index)
      fail(index)
      hasSome = true
    }
    return hasSome
  }

  /// Reads what the worker of a job has said, if its standard error is a file.
  func readOutput(_ index: Int) {
    guard let job = connections[index].job, let said = submitted?.output(of: job), !said.isEmpty
    else { return }
    connections[index].errors = said.suffix(Self.mostErrors)
  }

  // MARK: - The queue of the cluster

  /// The number of workers whose jobs may wait in the queue.
  private var queued: Int {
    connections.count { $0.place.timeout == nil && $0.stage == .connecting }
  }

  /// How many more tasks could run at once if the workers in the queue had started.
  private var queuedPlaces: Int {
    let jobs = connections.lazy.filter { $0.place.timeout == nil }
    guard let taskJobs else {
      return jobs.filter { $0.stage == .connecting }.reduce(0) { $0 + ($1.place.places ?? 1) }
    }
    // While one waits, there is no room for others either.
    return max(taskJobs.most - jobs.count { $0.stage == .ready }, 0)
  }

  /// Asks why workers wait, if any do and it is time to.
  ///
  /// - Returns: Whether what is known has changed.
  func askQueue(at now: Duration) -> Bool {
    if queue.isOverdue(at: now) { closeQueue(at: now) }
    if queued == 0 || executor.isEnding {
      queue.stop()
      return tell(nil)
    }
    if submitted?.hasJobs == false { queue.stop() }
    if queue.moment == nil { queue.expectJobs(at: now) }
    if queue.ask(aboutAll: submitted != nil, at: now, spawner),
      !poller.add(queue.socket, token: Self.queueToken)
    {
      closeQueue(at: now)
    }
    // Before the first answer nobody knows why, and when some have started since the last one, it is asked again soon.
    if waiting == nil {
      return tell(RunEvent.WorkersWaiting(count: queued, reason: "", start: nil, advice: nil))
    }
    if waiting?.count != queued { queue.expectJobs(at: now) }
    return false
  }

  /// Ends a question about the queue.
  func closeQueue(at now: Duration) {
    if queue.socket >= 0 { poller.remove(queue.socket) }
    guard var link = queue.close(at: now) else { return }
    link.closeStreams()
    link.end(SIGTERM)
    if !link.reap() { retired.append(link) }
  }

  /// Reads the answer about the queue.
  ///
  /// - Returns: Whether what is known has changed.
  func receiveQueue() -> Bool {
    guard queue.socket >= 0, queue.receive() else { return false }
    let now = MonotonicTime.continuous
    closeQueue(at: now)
    if submitted != nil, let present = queue.present, noteGone(present, askedAt: queue.asked) {
      return true
    }
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    // Without an answer, the last one holds.
    guard
      let found = queue.waiting(
        count: queued, places: queuedPlaces, at: now, wallClock: time.tv_sec)
    else { return false }
    return tell(found)
  }

  private func tell(_ found: RunEvent.WorkersWaiting?) -> Bool {
    let known = waiting
    waiting = found
    let isSame =
      known?.count == found?.count && known?.reason == found?.reason
      && known?.advice == found?.advice && Self.isAbout(known?.start, found?.start)
    if isSame { return false }
    executor.waiting = found
    return true
  }

  /// Whether two times are about the same: Slurm moves its expectations a little all the time.
  private static func isAbout(_ first: Duration?, _ second: Duration?) -> Bool {
    guard let first, let second else { return first == second }
    return max(first, second) - min(first, second) < .seconds(30)
  }
}
