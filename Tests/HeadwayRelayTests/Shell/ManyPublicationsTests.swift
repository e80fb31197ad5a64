#if os(Linux)
  import Glibc
  import HeadwayCollections
  import HeadwayLock
  import HeadwayProgress
  import HeadwaySystem
  import ProcessFixtures
  import Synchronization
  import Testing

  @testable import HeadwayRelay

  /// Many publications and subscriptions that come and go at the same time in one process.
  @Suite(.serialized)
  struct ManyPublicationsTests {
    @Test func `A thousand publications on eight threads, watched ten times, leave nothing behind`()
      async
    {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        unsafe setenv("XDG_RUNTIME_DIR", folder.path, 1)
        unsafe unsetenv("HEADWAY_PROGRESS")
        // What the process needs once is there before it is counted.
        await publishAndWatch(publications: 8, threads: 8, subscriptions: 1)
        #expect(eventually { folderEntries(folder.path + "/headway").isEmpty })
        #expect(eventually { !hasRelayThread })
        let descriptors = descriptorCount
        await publishAndWatch(publications: 1_000, threads: 8, subscriptions: 10)
        #expect(eventually { folderEntries(folder.path + "/headway").isEmpty })
        #expect(eventually { !hasRelayThread })
        #expect(eventually { descriptorCount == descriptors })
      }
    }

    @Test func `Publications that have ended are not watched any more`() async {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        unsafe setenv("XDG_RUNTIME_DIR", folder.path, 1)
        unsafe unsetenv("HEADWAY_PROGRESS")
        let watching = Task {
          var works: [WatchedPublication] = []
          for await work in Subscription(.kind("many")) { works.append(work) }
        }
        // On a thread of its own, because it blocks, and the tasks share few.
        await onThread {
          var random = SplitMix64(seed: 7)
          for round in 0..<100 {
            let node = ProgressNode("node", total: 1_000)
            let publication = node.publish(kind: "many")
            let isSeen = eventually { publication.isWatched }
            #expect(isSeen, "round \(round): \(publication.problem.map { "\($0)" } ?? "")")
            if !isSeen { break }
            for _ in 0..<100 { node.complete(1) }
            pauseAtRandom(upTo: .milliseconds(20), using: &random)
            node.complete(1)
            node.finish()
            let isOver = eventually { !publication.isWatched }
            #expect(isOver, "round \(round)")
            if !isOver { break }
          }
        }
        watching.cancel()
      }
    }
  }

  /// Runs a function that blocks on a thread of its own.
  private func onThread(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      let error = SystemThread.start(named: "test") {
        body()
        continuation.resume()
      }
      #expect(error == 0)
    }
  }

  /// The number of descriptors that this process has open.
  private var descriptorCount: Int { openDescriptors(of: "self") }

  /// Whether this process has a thread of the relay.
  private var hasRelayThread: Bool {
    folderEntries("/proc/self/task").contains { thread in
      let file = unsafe open("/proc/self/task/\(thread)/comm", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return false }
      defer { close(file) }
      return String(decoding: readAll(file, limit: 64).bytes, as: UTF8.self) == "headway-relay\n"
    }
  }

  /// How publications have ended.
  private final class Ends: Sendable {
    private let noted = Guarded<Set<WatchedPublication.End>>([])

    var all: Set<WatchedPublication.End> { noted.withLock { $0 } }

    func note(_ end: WatchedPublication.End) { noted.withLock { _ = $0.insert(end) } }
  }

  /// The number of threads that have not come to their end.
  private final class Running: Sendable {
    let count: Atomic<Int>

    init(_ threads: Int) { count = Atomic(threads) }
  }

  /// Publishes on several threads while others watch.
  private func publishAndWatch(publications: Int, threads: Int, subscriptions: Int) async {
    let ends = Ends()
    await withTaskGroup { group in
      for number in 0..<subscriptions {
        group.addTask { await watch(number, ends) }
      }
      // Real threads, because they block, and tasks would share two.
      let running = Running(threads)
      for number in 0..<threads {
        let error = SystemThread.start(named: "publisher") {
          publish(publications / threads, seed: UInt64(number))
          running.count.subtract(1, ordering: .acquiringAndReleasing)
        }
        #expect(error == 0)
      }
      #expect(eventually { running.count.load(ordering: .acquiring) == 0 })
      group.cancelAll()
    }
    let known: Set<WatchedPublication.End> = [.finished, .unpublished]
    #expect(known.isSuperset(of: ends.all), "\(ends.all)")
  }

  /// Publishes one node after the other, each of which ends in another way.
  private func publish(_ count: Int, seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var kept: [(ProgressNode, Publication)] = []
    for number in 0..<count {
      let node = ProgressNode("node \(number)", total: 10)
      let publication = node.publish(kind: "many", name: "\(seed).\(number)")
      let child = node.child("child", units: 5, total: 5)
      for _ in 0..<Int.random(in: 0...5, using: &random) { child.complete(1) }
      if Bool.random(using: &random) { pauseAtRandom(upTo: .milliseconds(2), using: &random) }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: publication.unpublish()
      case 1: node.finish()
      case 2:
        node.cancel()
        node.finish()
        publication.unpublish()
      case 3:
        node.pause()
        publication.unpublish()
        publication.unpublish()
      case 4: kept.append((node, publication))
      // Dropped.
      default: break
      }
      if kept.count > 10 { kept.removeFirst() }
    }
    for (node, publication) in kept {
      if node.completed > 2 { node.finish() } else { publication.unpublish() }
    }
  }

  /// Watches until the task is cancelled, some all the time and some again and again.
  private func watch(_ number: Int, _ ends: Ends) async {
    while !Task.isCancelled {
      if number % 3 == 0 {
        for work in await Subscription(.kind("many")).current() {
          _ = work.node.snapshot()
          if number == 6 { work.node.cancel() }
          if let end = work.end { ends.note(end) }
        }
        continue
      }
      await withDiscardingTaskGroup { group in
        var left = number % 3 == 1 ? Int.max : 20
        for await work in Subscription(.kind("many")) {
          group.addTask {
            if number == 1 { try? await work.pause() }
            if number == 2 { try? await work.cancel() }
            if let end = await work.ended() { ends.note(end) }
            #expect(Task.isCancelled || work.node.isFinished)
          }
          left -= 1
          if left == 0 { break }
        }
        if left == 0 { group.cancelAll() }
      }
    }
  }
#endif
