import Foundation
import Testing

@testable import HeadwayReport

/// Pages of whole runs.
///
/// With `HEADWAY_REPORT_SAMPLES` in the environment they are written into the folder that it names, for eyes and for
/// the picture in the guide (`Scripts/picture-report`).
struct `Sample pages` {
  /// Keeps a page for eyes, where that is asked for, and checks its form.
  private func check(_ page: String, name: String) throws {
    if let folder = ProcessInfo.processInfo.environment["HEADWAY_REPORT_SAMPLES"] {
      let file = URL(filePath: folder).appending(path: "\(name).html")
      try Data(page.utf8).write(to: file)
    }
    let document = try MarkupDocument(page)
    #expect(document.elements(named: "h1").count == 1)
  }

  @Test func `A recorded build`() throws {
    let page = try SampleRun.recorded("leveldb", run: 4).report().page()
    try check(page, name: "build")
    #expect(page.utf8.count < 200_000)
  }

  @Test func `A run that fails`() throws {
    let page = SampleRun.failing.report().page()
    try check(page, name: "failed")
    #expect(page.contains("sign &lt;&amp;&gt; upload"))
    #expect(page.contains("timed out at"))
  }

  @Test func `Five thousand tasks`() throws {
    let page = SampleRun.wide(count: 5000, workers: 16).report().page()
    try check(page, name: "wide")
    #expect(page.utf8.count < 1_500_000)
  }
}
