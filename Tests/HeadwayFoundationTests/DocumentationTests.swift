import DocumentedPages
import Foundation
import HeadwayFoundation
import HeadwayProgress
import Testing

/// The examples of the documentation, as they stand there.
///
/// Lines that begin with `#expect` may stand between those of an example; the last test compares.
struct DocumentationTests {
  @Test func `A snapshot gives two lines`() {
    let node = ProgressNode(total: 6)
    node.complete(3)
    let english = Locale(identifier: "en_US")
    let chinese = Locale(identifier: "zh_Hans_CN")
    let first = node.localizedDescription(locale: english)  // 50% completed
    #expect(first == "50% completed")
    let second = node.localizedAdditionalDescription(locale: english)  // 3 of 6
    #expect(second == "3 of 6")
    let third = node.localizedDescription(locale: chinese)  // 已完成 50%
    #expect(third == "已完成 50%")
  }

  @Test func `A node mirrors a progress`() throws {
    let node = ProgressNode("Release", total: 3)
    let download = Progress.discreteProgress(totalUnitCount: 100)
    try node.add(download, units: 2)
    download.completedUnitCount = 50
    let fraction = node.fraction  // 0.3333333333333333
    #expect(abs(fraction - 1.0 / 3) < 1e-12)
  }

  @Test func `A progress reads its node`() {
    let node = ProgressNode(total: 4)
    let progress = NodeProgress(of: node)
    node.complete(3)
    let completed = progress.completedUnitCount  // 3
    #expect(completed == 3)
    progress.cancel()
    let isCancelled = node.isCancelled  // true
    #expect(isCancelled)
  }

  @Test func `Loops and files report themselves`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data([1, 2, 3]).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var checked: [String] = []
    func check(_ name: String) { checked.append(name) }

    let node = ProgressNode("Checking", total: 2)
    node.withCurrent(units: 1) {
      for name in ["a", "b", "c"].reportingToCurrent() { check(name) }
    }
    #expect(checked == ["a", "b", "c"])
    let report = try node.withCurrent(units: 1) { try FileProgress.contents(of: file) }
    #expect(report == Data([1, 2, 3]))
    #expect(node.completed == 2)
  }

  @Test(arguments: ["HeadwayFoundation"])
  func `Every example of a page stands in these tests`(page: String) throws {
    let pages = DocumentedPages(of: "HeadwayFoundation")
    #expect(try pages.examplesNotRun(of: page, in: "DocumentationTests") == [])
  }
}
