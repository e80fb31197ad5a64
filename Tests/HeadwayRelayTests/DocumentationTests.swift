import DocumentedPages
import HeadwayProgress
import HeadwayRelay
import Testing

/// The examples of the documentation, as they stand there.
struct DocumentationTests {
  @Test func `A node is published`() {
    let node = ProgressNode("Backing up", total: 3)
    node.publish()
    node.finish()
  }

  /// Prints what others publish, until its task is cancelled.
  @Sendable private func list() async {
    for await work in Subscription() {
      print(work.program, work.node.snapshot().label)
    }
  }

  /// Follows uploads, until its task is cancelled.
  @Sendable private func followUploads() async {
    for await work in Subscription(.kind("upload")) {
      Task {
        for await snapshot in work.node.feed() { print(snapshot.shownFraction) }
        print(await work.ended() as Any)
      }
    }
  }

  @Test func `An iteration ends when its task is cancelled`() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await list() }
      group.addTask { await followUploads() }
      group.cancelAll()
    }
  }

  @Test func `Work is published that others can cancel`() async throws {
    let files = ["a.jpg", "b.jpg"]
    let node = ProgressNode("Uploading photos", total: files.count)
    let publication = node.publish(kind: "upload", file: "/home/me/photos")
    for file in files {
      try await node.checkpoint()  // waits while paused, throws when cancelled
      node.detail = file
      node.complete(1)
    }
    node.finish()
    #expect(!publication.id.isEmpty)
  }

  @Test func `Work may refuse to be cancelled or paused`() {
    let backup = ProgressNode("Backing up", total: 2)
    backup.publish(accepts: .pause)  // nobody else can cancel it
    let index = backup.child("writing the index", units: 1)
    index.isPausable = false
    backup.pause()
    #expect(backup.isPaused && !index.isPaused)
    backup.finish()
  }

  /// Cancels the work about photos, whoever does it.
  private func cancelUploads() async {
    for work in await Subscription(.file("/home/me/photos")).current() {
      do {
        try await work.cancel()
      } catch {
        print("\(work.program): \(error)")
      }
    }
  }

  @Test func `A program gets its variables`() {
    let release = ProgressNode("Release", total: 10)
    let share = release.share(of: 4).forProcess("compile")
    let variables = share.environment  // add them to the environment of the program
    share.finish()  // when it has ended
    _ = variables
    #expect(release.completed == 4)
  }

  @Test(arguments: [
    "HeadwayRelay", "LettingOtherProgramsSeeYourProgress",
  ])
  func `Every example of a page stands in these tests`(page: String) throws {
    let missing = try DocumentedPages(of: "HeadwayRelay")
      .examplesNotRun(of: page, in: "DocumentationTests")
    #expect(missing.isEmpty)
  }
}
