import HeadwayLock
import HeadwayProgress
import Testing

/// The examples beside the declarations.
struct SnippetTests {

  @Test func `A tree that was read cannot be added`() {
    var lines: [String] = []
    func show(_ line: String) { lines.append(line) }
    let release = ProgressNode("Release", total: 2)
    let upload = ProgressNode("Upload", total: 10)
    _ = upload.fraction
    do throws(ProgressError) {
      try release.add(upload, units: 1)
    } catch {
      show("\(error)")  // the progress of the tree was read before
    }
    #expect(lines.count == 1 && release.snapshot().children.isEmpty)
  }

  @Test func `Values stand under keys`() {
    let copy = ProgressNode("Photos", total: 100)
    copy[ProgressKeys.TotalFileCount.self] = 12
    copy[ProgressKeys.CompletedFileCount.self] = 3
    copy[ProgressKeys.TotalByteCount.self] = 4_000_000
    copy[ProgressKeys.CompletedByteCount.self] = 1_000_000
    copy[ProgressKeys.RemainingTime.self] = .seconds(9)
    copy[ProgressKeys.FilePath.self] = "photos/3.jpg"
    let files = copy.sum(of: ProgressKeys.FilePath.self)  // ["photos/3.jpg"]
    #expect(files == ["photos/3.jpg"] && copy.totalFileCount == 12)
  }

  @Test func `A handler is removed`() {
    let lines = Guarded<[String]>([])
    @Sendable func show(_ line: String) { lines.withLock { $0.append(line) } }
    let job = ProgressNode("Job", total: 1)
    let registration: ProgressNode.HandlerRegistration = job.onCancel { show("cancelled") }
    registration.remove()
    job.cancel()  // shows nothing
    #expect(lines.withLock { $0 } == [])
  }

  @Test func `A snapshot becomes a line`() {
    func line(of snapshot: ProgressSnapshot) -> String {
      let parts = snapshot.children.map(\.label).joined(separator: ", ")
      return "\(snapshot.label): \(Int(snapshot.shownFraction * 100)) % (\(parts))"
    }
    let release = ProgressNode("Release", total: 2)
    let fetch = release.child("Fetch", units: 1, total: 2)
    fetch.complete(1)
    #expect(line(of: release.snapshot()) == "Release: 25 % (Fetch)")
  }
}
