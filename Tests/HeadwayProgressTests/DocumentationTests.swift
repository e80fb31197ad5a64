import Dispatch
import DocumentedPages
import Glibc
import HeadwayLock
import HeadwayProgress
import Testing

/// The examples of the documentation.
///
/// Lines that begin with `#expect` may be inserted in an example; the last suite compares the rest.
struct DocumentationTests {
  /// The lines that the examples show.
  private let screen = Screen()

  private func show(_ line: String) { screen.show(line) }

  /// The output of the examples.
  private final class Screen: Sendable {
    private let kept = Guarded<[String]>([])

    func show(_ line: String) { kept.withLock { $0.append(line) } }

    var lines: [String] { kept.withLock { $0 } }
  }
}

// MARK: - The first page

extension DocumentationTests {
  @Test func `A tree sums up its parts`() {
    let release = ProgressNode("release", total: 2)
    let fetch = release.child("fetch", units: 1, total: 100)
    fetch.complete(50)
    let half = release.fraction  // 0.25: half of one unit of two
    #expect(half == 0.25)
    fetch.finish()
    let whole = release.fraction  // 0.5
    #expect(whole == 0.5)

    func checksum(of rows: [Int]) -> Int {
      let progress = ProgressNode.joinCurrent("Checking", total: rows.count)
      return rows.reduce(0) { sum, row in
        progress.complete(1)
        return sum &+ row
      }
    }
    let sum = release.withCurrent(units: 1) { checksum(of: [1, 2, 3]) }
    #expect(sum == 6)
    #expect(release.completed == 2)
  }
}

// MARK: - Reporting progress from a function

extension DocumentationTests {
  @Test func `A function joins the current node`() async {
    @Sendable
    func blur(_ rows: [Int]) -> [Int] {
      let progress = ProgressNode.joinCurrent("Blurring", total: rows.count)
      return rows.map { row in
        progress.complete(1)
        return row / 2
      }
    }
    #expect(blur([2]) == [1])

    let edit = ProgressNode("Editing", total: 10)
    let image = edit.withCurrent(units: 7) { blur([2, 4, 6]) }
    #expect(edit.completed == 7)
    let small = edit.withCurrent(units: 3) { image.dropLast() }  // does not report progress
    #expect(small == [1, 2])
    let done = edit.completed  // 10
    #expect(done == 10)

    func blurAll(_ images: [[Int]]) async -> Int {
      let progress = ProgressNode.joinCurrent("Blurring all", total: images.count)
      return await withTaskGroup(of: Int.self) { group in
        for rows in images {
          group.addTask { progress.withCurrent(units: 1) { blur(rows).count } }
        }
        return await group.reduce(0, +)
      }
    }
    let album = ProgressNode("Album", total: 1)
    let rows = await album.withCurrent(units: 1) { await blurAll([[2, 4], [6]]) }  // 3
    #expect(rows == 3)
    #expect(album.completed == 1)
  }

  @Test func `A share is used once`() async {
    @Sendable
    func fetch(_ page: String, _ share: consuming ProgressShare) async -> Int {
      let progress = share.start(page, total: page.count)
      for _ in page { progress.complete(1) }
      return page.count
    }
    let site = ProgressNode("Site", total: 9)
    let first = await fetch("index", site.share(of: 3))
    #expect(site.completed == 3)
    async let second = fetch("about", site.share(of: 3))
    let both = await first + second
    #expect(both == 10)
    #expect(site.completed == 6)

    let last = site.share(of: 3).start("news", total: 4)
    let task = Task { for _ in 0..<4 { last.complete(1) } }
    await task.value
    last.finish()
    #expect(site.completed == 9)

    let news = ProgressNode("News", total: 2)
    let letters = await withTaskGroup(of: Int.self) { group in
      for page in ["a", "bc"] {
        group.addTask { await fetch(page, news.share(of: 1)) }
      }
      return await group.reduce(0, +)
    }  // 3
    #expect(letters == 3)
    #expect(news.completed == 2)
  }

  @Test func `A total can be set later`() {
    let scan = ProgressNode("Scanning")
    let isUnknown = scan.isIndeterminate  // true
    #expect(isUnknown)
    scan.total = 2
    scan.addToTotal(2)  // a folder was found, with two files
    scan.complete(1)
    let quarter = scan.fraction  // 0.25
    #expect(quarter == 0.25)
  }

  @Test func `Children of one scope share its units`() {
    let whole = ProgressNode(total: 8)
    whole.withCurrent(units: 8) {
      let head = ProgressNode.joinCurrent(units: 3, total: 1)  // 3 of the 8
      let rest = ProgressNode.joinCurrent(total: 1)  // the remaining 5
      let late = ProgressNode.joinCurrent(total: 1)  // nothing
      head.finish()
      let counted = whole.completed  // 3
      #expect(counted == 3)
      rest.finish()
      #expect(whole.completed == 8)
      late.finish()
    }
    #expect(whole.completed == 8)
  }

  @Test func `Typed values are combined`() {
    let copy = ProgressNode("Photos", total: 3_400_000)
    copy.kind = .file(.copying)  // the units are bytes
    copy.totalFileCount = 12
    copy.filePath = "photos/beach.jpg"
    copy.complete(1_200_000)
    let bytes = copy.sum(of: ProgressKeys.CompletedByteCount.self)  // 1200000
    #expect(bytes == 1_200_000)

    enum Warnings: ProgressKey {
      static func combined(_ left: Int, _ right: Int) -> Int { left + right }
    }
    let build = ProgressNode("Build", total: 2)
    let parse = build.child("Parse", units: 1, total: 1)
    parse[Warnings.self] = 2
    build[Warnings.self] = 1
    parse.finish()
    let warnings = build.sum(of: Warnings.self)  // 3: the sum of a finished child is kept
    #expect(warnings == 3)
  }
}

// MARK: - Showing progress to a person

extension DocumentationTests {
  @Test func `A snapshot is a copy`() {
    let album = ProgressNode("Album", total: 4)
    let page = album.child("Page", units: 1, total: 2)
    page.complete(1)
    let snapshot = album.snapshot()
    let line = "\(snapshot.label): \(snapshot.children.count) at work, \(snapshot.fraction)"
    show(line)  // Album: 1 at work, 0.125
    #expect(screen.lines == ["Album: 1 at work, 0.125"])
    page.finish()
    #expect(snapshot.children.count == 1)
  }

  @Test func `A feed ends with the work`() async {
    let work = ProgressNode("Work", total: 3)
    let watcher = Task {
      var shown: [Double] = []
      for await snapshot in work.feed(every: .milliseconds(50)) {
        shown.append(snapshot.shownFraction)
      }
      return shown.last
    }
    work.complete(3)
    work.finish()
    let last = await watcher.value  // 1.0
    #expect(last == 1)
  }

  @Test func `A snapshot has the sums of the tree`() {
    let download = ProgressNode("Download", total: 2)
    let file = download.child(units: 1, total: 800)
    file.kind = .file(.downloading)
    file.complete(200)
    file.throughput = 100
    let state = download.snapshot()
    let bytes = state.sum(of: ProgressKeys.CompletedByteCount.self)  // 200
    let speed = state.sum(of: ProgressKeys.Throughput.self)  // 100.0
    #expect(bytes == 200)
    #expect(speed == 100)
    file.finish()
  }

  @Test func `A snapshot has a limit`() {
    let wide = ProgressNode("Wide", total: 100)
    let children = (0..<100).map { _ in wide.child(units: 1, total: 1) }
    let part = wide.snapshot(limit: 11)
    show("\(part.children.count) of many: \(part.omitsChildren)")  // 10 of many: true
    #expect(screen.lines == ["10 of many: true"])
    for child in children { child.finish() }
  }
}

// MARK: - Cancelling and pausing

extension DocumentationTests {
  @Test func `A cancel reaches descendants`() async throws {
    let backup = ProgressNode("Backup", total: 2)
    let upload = backup.child("Upload", units: 1, total: 10)
    backup.cancel()
    let isAsked = upload.isCancelled  // true
    #expect(isAsked)

    func copy(_ files: [String], _ node: ProgressNode) async throws -> Int {
      var count = 0
      for _ in files {
        try await node.checkpoint()
        count += 1
        node.complete(1)
      }
      return count
    }
    await #expect(throws: CancellationError.self) { try await copy(["a"], upload) }
    let count = try await copy(["a", "b"], ProgressNode(total: 2))
    #expect(count == 2)
  }

  @Test func `A thread has checkpoints too`() {
    func sum(_ numbers: [Int], _ node: ProgressNode) throws(CancellationError) -> Int {
      var sum = 0
      for number in numbers {
        try node.blockingCheckpoint()
        sum += number
        node.complete(1)
      }
      return sum
    }
    let node = ProgressNode(total: 2)
    #expect(throws: Never.self) { try sum([1, 2], node) }
    node.cancel()
    #expect(throws: CancellationError.self) { try sum([1, 2], node) }
  }

  @Test func `A task is cancelled with its node`() async {
    let node = ProgressNode("Wait", total: 1)
    let isCancelled = await node.withTaskCancellation {
      node.cancel()
      return Task.isCancelled
    }  // true
    #expect(isCancelled)
    #expect(!Task.isCancelled)
  }

  @Test func `Handlers are called`() {
    let job = ProgressNode("Job", total: 1)
    let handler = job.onCancel { show("the job was cancelled") }
    job.onPause { show("paused") }
    job.onResume { show("resumed") }
    job.pause()  // paused
    #expect(screen.lines == ["paused"])
    job.resume()  // resumed
    #expect(screen.lines == ["paused", "resumed"])
    handler.remove()
    job.cancel()  // shows nothing
    #expect(screen.lines.count == 2)
  }

  @Test func `A signal cancels a node`() async {
    func cancel(_ root: ProgressNode, at number: Int32) -> any DispatchSourceSignal {
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { root.cancel() }
      source.resume()
      return source  // keep it for as long as the work goes on
    }
    let root = ProgressNode("Work", total: 1)
    // A signal that is ignored, and of which processes that other tests start know nothing.
    let source = cancel(root, at: SIGURG)
    await withCheckedContinuation { isRegistered in
      source.setRegistrationHandler { isRegistered.resume() }
    }
    await withCheckedContinuation { isCancelled in
      root.onCancel { isCancelled.resume() }
      kill(getpid(), SIGURG)
    }
    #expect(root.isCancelled)
    source.cancel()
    signal(SIGURG, SIG_DFL)
  }

  @Test func `A step can be uncancellable, and pauses nest`() {
    let deploy = ProgressNode("Deploy", total: 2)
    let swap = deploy.child("Swap", units: 1, total: 1)
    swap.isCancellable = false
    deploy.cancel()
    let isShielded = swap.isCancelled  // false
    #expect(!isShielded)
    swap.isCancellable = true
    let isReached = swap.isCancelled  // true
    #expect(isReached)

    let top = ProgressNode("Top", total: 2)
    let low = top.child("Low", units: 1, total: 1)
    low.pause()
    top.pause()
    top.resume()
    let isHeld = low.isPaused  // true: it was paused itself
    #expect(isHeld)

    var active = ActiveTime(startingAt: .seconds(0))
    active.note(isPaused: true, at: .seconds(4))
    active.note(isPaused: false, at: .seconds(10))
    let time = active.elapsed(at: .seconds(11))  // 5 seconds
    #expect(time == .seconds(5))
  }
}

// MARK: - Coming from NSProgress

extension DocumentationTests {
  @Test func `The image filter reports its progress`() async throws {
    func filterImage(_ rows: [Int]) async throws -> [Int] {
      let progress = ProgressNode.joinCurrent("Filtering", total: rows.count)
      return try await Task {
        var filtered: [Int] = []
        for row in rows {
          try await progress.checkpoint()
          filtered.append(row / 2)
          progress.complete(1)
        }
        return filtered
      }.value
    }
    let progress = ProgressNode(total: 1)
    let filtered = try await progress.withCurrent(units: 1) { try await filterImage([2, 4]) }
    #expect(filtered == [1, 2])
    #expect(progress.completed == 1)
  }
}

/// Functions that the documentation quotes.
struct DocumentedExamplesTests {
  @Test(arguments: [
    // Foundation's Progress
    "totalUnitCount", "discreteProgress", "parent", "pendingUnitCount", "userInfo", "addChild",
    "current", "becomeCurrent", "resignCurrent", "performAsCurrent", "completedUnitCount",
    "fractionCompleted", "isIndeterminate", "isFinished", "isCancellable", "isPausable",
    "isCancelled", "isPaused", "cancel", "pause", "resume", "cancellationHandler",
    "pausingHandler", "resumingHandler", "localizedDescription", "localizedAdditionalDescription",
    "setUserInfoObject", "kind", "fileOperationKind", "fileURL", "fileTotalCount",
    "fileCompletedCount", "throughput", "estimatedTimeRemaining", "publish", "unpublish",
    "addSubscriber", "PublishingHandler", "UnpublishingHandler", "removeSubscriber", "isOld",
    // Its keys, kinds and protocol
    "ProgressUserInfoKey", "estimatedTimeRemainingKey", "throughputKey", "fileOperationKindKey",
    "fileURLKey", "fileTotalCountKey", "fileCompletedCountKey", "fileAnimationImageKey",
    "fileAnimationImageOriginalRectKey", "fileIconKey", "ProgressKind", "file",
    "FileOperationKind", "downloading", "decompressingAfterDownloading", "receiving", "copying",
    "uploading", "duplicating", "ProgressReporting",
    // ProgressManager
    "ProgressManager", "totalCount", "completedCount", "reporter", "Subprogress", "subprogress",
    "assigningCount", "start", "assign", "complete", "Property", "summary", "totalFileCount",
    "completedFileCount", "totalByteCount", "completedByteCount",
  ])
  func `Every member of Foundation's progress has a row`(name: String) throws {
    let rows = try DocumentedPages(of: "HeadwayProgress").namesInRows(of: "ComingFromNSProgress")
    #expect(rows.contains(name))
  }

  @Test(arguments: [
    "HeadwayProgress", "ReportingProgressFromAFunction", "ShowingProgressToAPerson",
    "CancellingAndPausing", "ComingFromNSProgress",
  ])
  func `Every example is run by a test`(name: String) throws {
    let pages = DocumentedPages(of: "HeadwayProgress")
    let missing = try pages.examplesNotRun(of: name, in: "DocumentationTests")
    #expect(missing.isEmpty)
  }
}
