#if os(Linux)
  import Glibc
  import HeadwayLock
  import HeadwayProgress
  import HeadwayRun
  import HeadwaySystem
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// What is asked of a run, through its publication and in its own process.
  struct RunRequestTests {
    @Test func `A closed queue refuses what waits and what follows, and wakes nobody for it`() {
      let wake = WaitableEvent()
      let queue = RequestQueue(wake: wake)
      let answers = Guarded<[String?]>([])
      queue.ask(.pause) { answer in answers.withLock { $0.append(answer) } }
      #expect(isSet(wake))
      wake.clear()
      queue.ask(.cancel) { answer in answers.withLock { $0.append(answer) } }
      let taken = queue.take()
      #expect(taken.map(\.request) == [.pause, .cancel])
      #expect(queue.take().isEmpty)
      taken[0].answer(nil)
      queue.ask(.skip("a")) { answer in answers.withLock { $0.append(answer) } }
      wake.clear()
      queue.close()
      queue.ask(.unpause) { answer in answers.withLock { $0.append(answer) } }
      #expect(queue.take().isEmpty)
      #expect(!isSet(wake))
      #expect(answers.withLock { $0 } == [nil, "the run has ended", "the run has ended"])
    }

    @Test
    func
      `What is asked of a published run reaches its queue, and the tree changes only when the run does`()
      async
    {
      await #expect(processExitsWith: .success) {
        let folder = Folder()
        unsafe setenv("XDG_RUNTIME_DIR", folder.path, 1)
        unsafe unsetenv("HEADWAY_PROGRESS")
        let queue = RequestQueue(wake: WaitableEvent())
        let top = ProgressNode("run", total: 10)
        let publication = top.publish(
          kind: "run", name: "a run", onWatch: nil, requests: queue, onProblem: nil)
        let other = await Subscription(ofProcess: getpid() + 1, every: .seconds(1)).current()
        #expect(other.isEmpty)
        let works = await Subscription(ofProcess: getpid(), every: .milliseconds(16)).current()
        guard let work = works.first, works.count == 1 else {
          Issue.record("found \(works.map(\.id)): \(publication.problem.map { "\($0)" } ?? "")")
          return
        }

        // Each request comes as it was asked, and is answered as the run answers.
        let requests: [RunRequest] = [
          .pause, .unpause, .cancelTask("a"), .retry(nil), .retry("b"), .skip(nil), .skip("c"),
          .cancel,
        ]
        for request in requests {
          let asked = Task {
            do throws(RelayError) {
              try await work.ask(request)
              return nil as RelayError?
            } catch {
              return error
            }
          }
          let entry = next(of: queue)
          #expect(entry?.request == request)
          entry?.answer("not now")
          #expect(await asked.value == .requestRefused(reason: "not now"))
        }
        #expect(!top.isPaused && !top.isCancelled)

        // Who only asks needs no tree.
        let untold = await Subscription(ofProcess: getpid(), hasTrees: false).current()
        #expect(untold.map(\.id) == [work.id] && untold.first?.name == "a run")
        #expect(untold.first?.node.total == nil && work.node.total == 10)
        let asking = Task { try await untold.first?.ask(.skip("d")) }
        let skipped = next(of: queue)
        #expect(skipped?.request == .skip("d"))
        skipped?.answer(nil)
        await #expect(throws: Never.self) { try await asking.value }

        // A key of another program that follows the tree asks the run as well, and not the tree.
        work.node.pause()
        let entry = next(of: queue)
        #expect(entry?.request == .pause)
        #expect(!top.isPaused)
        top.pause()
        entry?.answer(nil)
        #expect(eventually { work.node.isPaused })
        top.resume()
        #expect(eventually { !work.node.isPaused })
      }
    }
  }

  /// Whether an event is set.
  private func isSet(_ event: WaitableEvent) -> Bool {
    var ready = pollfd(fd: event.descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&ready, 1, 0) == 1
  }

  /// Waits for the next request.
  private func next(of queue: RequestQueue) -> RequestQueue.Entry? {
    var entry: RequestQueue.Entry?
    #expect(
      eventually {
        entry = queue.take().first
        return entry != nil
      })
    return entry
  }
#endif
