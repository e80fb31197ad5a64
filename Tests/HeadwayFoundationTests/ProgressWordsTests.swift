import Foundation
import HeadwayFoundation
import HeadwayProgress
import Testing

private enum Locales {
  static let english = Locale(identifier: "en_US")
  static let chinese = Locale(identifier: "zh_Hans_CN")
}

/// A progress and its description.
private struct Case: Sendable, CustomTestStringConvertible {
  let name: String
  let english: String
  let chinese: String
  let snapshot: @Sendable () -> ProgressSnapshot

  init(
    _ name: String, _ english: String, _ chinese: String, total: Int? = nil,
    kind: WorkKind = .work,
    _ change: @escaping @Sendable (ProgressNode) -> Void
  ) {
    (self.name, self.english, self.chinese) = (name, english, chinese)
    snapshot = {
      let node = ProgressNode(total: total)
      node.kind = kind
      change(node)
      return node.snapshot()
    }
  }

  var testDescription: String { name }
}

/// Descriptions of progress.
struct ProgressWordsTests {
  private static let summaries = [
    Case("nothing done", "0% completed", "已完成 0%", total: 5) { _ in },
    Case("two fifths", "40% completed", "已完成 40%", total: 5) { $0.complete(2) },
    Case("rounded down", "66% completed", "已完成 66%", total: 3) { $0.complete(2) },
    Case("all but finished", "99% completed", "已完成 99%", total: 3) { $0.complete(3) },
    Case("finished", "100% completed", "已完成 100%", total: 3) { $0.finish() },
    Case("unknown", "Working…", "正在处理…") { $0.complete(3) },
    Case("paused", "40% completed", "已完成 40%", total: 5) {
      $0.complete(2)
      $0.pause()
    },
    Case("being cancelled", "Cancelling…", "正在取消…", total: 5) { $0.cancel() },
    Case("cancelled", "Cancelled", "已取消", total: 5) {
      $0.cancel()
      $0.finish()
    },
    Case("a label", "Baking", "Baking", total: 5) { $0.label = "Baking" },
    Case("four files", "Downloading 4 files…", "正在下载 4 个文件…", kind: .file(.downloading)) {
      $0.totalFileCount = 4
    },
    Case("one file", "Copying 1 file…", "正在拷贝 1 个文件…", kind: .file(.copying)) {
      $0.totalFileCount = 1
    },
    Case("one named file", "Downloading “a.txt”…", "正在下载“a.txt”…", kind: .file(.downloading)) {
      $0.filePath = "/tmp/a.txt"
      $0.totalFileCount = 1
    },
    Case("four files, one named", "Receiving 4 files…", "正在接收 4 个文件…", kind: .file(.receiving)) {
      $0.filePath = "/tmp/a.txt"
      $0.totalFileCount = 4
    },
    Case("some files", "Uploading files…", "正在上传文件…", kind: .file(.uploading)) { _ in },
    Case("two named files", "Downloading 2 files…", "正在下载 2 个文件…", kind: .file(.downloading)) {
      for name in ["a.txt", "b.txt"] {
        let child = $0.child(units: 1)
        child.filePath = name
        kept.keep(child)
      }
    },
    Case("1,200 files", "Duplicating 1,200 files…", "正在复制 1,200 个文件…", kind: .file(.duplicating)) {
      $0.totalFileCount = 1_200
    },
    Case("no operation", "Processing 2 files…", "正在处理 2 个文件…", kind: .file(nil)) {
      $0.totalFileCount = 2
    },
    Case("files done", "Decompressed 2 files", "已解压缩 2 个文件", kind: .file(.decompressing)) {
      $0.totalFileCount = 2
      $0.finish()
    },
    Case("a file done", "Downloaded “a.txt”", "已下载“a.txt”", kind: .file(.downloading)) {
      $0.filePath = "a.txt"
      $0.finish()
    },
  ]

  @Test(arguments: summaries)
  private func `The first line describes the work`(_ line: Case) {
    let snapshot = line.snapshot()
    #expect(snapshot.localizedDescription(locale: Locales.english) == line.english)
    #expect(snapshot.localizedDescription(locale: Locales.chinese) == line.chinese)
  }

  private static let counts = [
    Case("3 of 6", "3 of 6", "3（共 6）", total: 6) { $0.complete(3) },
    Case("large counts", "1,000 of 1,234,567", "1,000（共 1,234,567）", total: 1_234_567) {
      $0.complete(1_000)
    },
    Case("unknown", "3 completed", "已完成 3") { $0.complete(3) },
    Case("nothing known", "", "") { _ in },
    Case("paused", "Paused – 3 of 6", "已暂停 – 3（共 6）", total: 6) {
      $0.complete(3)
      $0.remainingTime = .seconds(5)
      $0.pause()
    },
    Case("paused, nothing known", "Paused", "已暂停") { $0.pause() },
    Case("finished", "6 of 6", "6（共 6）", total: 6) {
      $0.complete(6)
      $0.remainingTime = .seconds(5)
      $0.finish()
    },
    Case("one second", "3 of 6 – 1 second remaining", "3（共 6） – 剩余 1 秒", total: 6) {
      $0.complete(3)
      $0.remainingTime = .milliseconds(300)
    },
    Case("a detail", "Reading the index", "Reading the index", total: 6) {
      $0.detail = "Reading the index"
    },
    Case("its own time", "0 of 6 – 3 seconds remaining", "0（共 6） – 剩余 3 秒", total: 6) {
      $0.remainingTime = .seconds(3)
      let child = $0.child(units: 1)
      child.remainingTime = .seconds(9)
      kept.keep(child)
    },
    Case("no time of its own", "0 of 2", "0（共 2）", total: 2) {
      for seconds in [1, 3] {
        let child = $0.child(units: 1)
        child.remainingTime = .seconds(seconds)
        kept.keep(child)
      }
    },
  ]

  /// The second line of paused and cancelled work.
  private static let halts = [
    Case("paused, a detail", "Paused – Reading", "已暂停 – Reading", total: 6) {
      $0.detail = "Reading"
      $0.pause()
    },
    Case("paused and finished, a detail", "Read", "Read", total: 6) {
      $0.detail = "Read"
      $0.pause()
      $0.finish()
    },
    Case("being cancelled", "2 of 4", "2（共 4）", total: 4) {
      $0.complete(2)
      $0.cancel()
    },
    Case("a label, being cancelled", "Cancelling… – 2 of 4", "正在取消… – 2（共 4）", total: 4) {
      $0.label = "Photos"
      $0.complete(2)
      $0.pause()
      $0.cancel()
    },
    Case("a label, cancelled", "Cancelled – 2 of 4", "已取消 – 2（共 4）", total: 4) {
      $0.label = "Photos"
      $0.complete(2)
      $0.cancel()
      $0.finish()
    },
    Case("a label and a detail, being cancelled", "Cancelling… – Reading", "正在取消… – Reading") {
      $0.label = "Photos"
      $0.detail = "Reading"
      $0.cancel()
    },
    Case("a label, nothing known, cancelled", "Cancelled", "已取消") {
      $0.label = "Photos"
      $0.cancel()
      $0.finish()
    },
  ]

  private static let sizes = [
    Case("sizes", "1.2 MB of 3.4 MB", "1.2 MB（共 3.4 MB）", total: 3_400_000, kind: .file(.copying)) {
      $0.complete(1_200_000)
    },
    Case(
      "a time that is left", "1.2 MB of 3.4 MB – 5 seconds remaining",
      "1.2 MB（共 3.4 MB） – 剩余 5 秒", total: 3_400_000, kind: .file(.copying)
    ) {
      $0.complete(1_200_000)
      $0.remainingTime = .seconds(5)
    },
    Case(
      "a speed", "1.2 MB of 3.4 MB (440 kB/second) – 5 seconds remaining",
      "1.2 MB（共 3.4 MB），440 kB/秒 – 剩余 5 秒", total: 3_400_000, kind: .file(.copying)
    ) {
      $0.complete(1_200_000)
      $0.throughput = 440_000
      $0.remainingTime = .seconds(5)
    },
    Case("bytes", "999 bytes of 1 kB", "999字节（共 1 kB）", total: 1_000, kind: .file(.copying)) {
      $0.complete(999)
    },
    Case("one byte", "1 byte of 2 bytes", "1字节（共 2字节）", total: 2, kind: .file(.copying)) {
      $0.complete(1)
    },
    Case("no total", "1.2 MB", "1.2 MB", kind: .file(.receiving)) { $0.complete(1_200_000) },
    Case("nothing known", "", "", kind: .file(.receiving)) { _ in },
    Case("finished", "3.4 MB", "3.4 MB", total: 3_400_000, kind: .file(.copying)) {
      $0.complete(3_400_000)
      $0.throughput = 1_000_000
      $0.finish()
    },
    Case("cancelled", "1 MB of 3 MB", "1 MB（共 3 MB）", total: 3_000_000, kind: .file(.copying)) {
      $0.complete(1_000_000)
      $0.remainingTime = .seconds(5)
      $0.cancel()
    },
    Case("files below", "2 MB of 4 MB", "2 MB（共 4 MB）", kind: .file(.downloading)) {
      let child = $0.child(units: 1, total: 4_000_000)
      child.kind = .file(.downloading)
      child.complete(2_000_000)
      kept.keep(child)
    },
    Case("shares below", "1 MB of 4 MB", "1 MB（共 4 MB）", total: 4_000_000, kind: .file(.copying)) {
      let child = $0.child(units: 2_000_000, total: 10)
      child.complete(5)
      kept.keep(child)
    },
  ]

  @Test(arguments: counts + halts + sizes)
  private func `The second line describes the counts`(_ line: Case) {
    let snapshot = line.snapshot()
    #expect(snapshot.localizedAdditionalDescription(locale: Locales.english) == line.english)
    #expect(snapshot.localizedAdditionalDescription(locale: Locales.chinese) == line.chinese)
  }

  @Test(arguments: [
    (Duration.milliseconds(1), "1 second", "1 秒"),
    (.seconds(59), "59 seconds", "59 秒"),
    (.milliseconds(59_001), "1 minute", "1 分钟"),
    (.seconds(61), "1 minute, 1 second", "1 分钟 1 秒"),
    (.seconds(125), "2 minutes, 5 seconds", "2 分钟 5 秒"),
    (.seconds(3_600), "1 hour", "1 小时"),
    (.seconds(3_605), "1 hour", "1 小时"),
    (.seconds(7_260), "2 hours, 1 minute", "2 小时 1 分钟"),
    (.seconds(86_400), "1 day", "1 天"),
    (.seconds(200_000), "2 days, 7 hours", "2 天 7 小时"),
    (.seconds(86_400_000), "1,000 days", "1,000 天"),
  ])
  func `The remaining time has plural forms`(time: Duration, english: String, chinese: String) {
    let node = ProgressNode()
    node.remainingTime = time
    #expect(
      node.snapshot().localizedAdditionalDescription(locale: Locales.english)
        == "\(english) remaining")
    #expect(
      node.snapshot().localizedAdditionalDescription(locale: Locales.chinese) == "剩余 \(chinese)")
  }

  @Test(arguments: [Duration.zero, .seconds(-5)])
  func `A remaining time of zero is omitted`(time: Duration) {
    let node = ProgressNode()
    node.remainingTime = time
    #expect(node.snapshot().localizedAdditionalDescription(locale: Locales.english) == "")
  }

  @Test(arguments: [Double.nan, .infinity, -1, 0, 0.2])
  func `An invalid speed is omitted`(speed: Double) {
    let node = ProgressNode(total: 10)
    node.kind = .file(.copying)
    node.throughput = speed
    #expect(
      node.snapshot().localizedAdditionalDescription(locale: Locales.english)
        == "0 bytes of 10 bytes")
  }

  @Test(arguments: 0..<100)
  func `A count out of 100 reads as its percentage`(count: Int) {
    let node = ProgressNode(total: 100)
    node.complete(count)
    #expect(node.snapshot().localizedDescription(locale: Locales.english) == "\(count)% completed")
  }

  @Test(arguments: [
    ("de_DE", "40 % completed", "1,2 MB of 3,4 MB"),
    ("fr_FR", "40 % completed", "1,2 Mo of 3,4 Mo"),
    ("zh_Hant_TW", "40% completed", "1.2 MB of 3.4 MB"),
    ("zh", "已完成 40%", "1.2 MB（共 3.4 MB）"),
  ])
  func `Other locales have English text and their own numbers`(
    locale: String, summary: String, details: String
  ) {
    let locale = Locale(identifier: locale)
    let work = ProgressNode(total: 5)
    work.complete(2)
    #expect(plainSpaces(in: work.snapshot().localizedDescription(locale: locale)) == summary)
    let file = ProgressNode(total: 3_400_000)
    file.kind = .file(.copying)
    file.complete(1_200_000)
    #expect(
      plainSpaces(in: file.snapshot().localizedAdditionalDescription(locale: locale)) == details)
  }

  @Test(arguments: ["zh_Hant", "zh_TW", "zh-HK", "zh_MO", "zh_Hant_CN"])
  func `Traditional Chinese has English text`(
    locale: String
  ) {
    let node = ProgressNode(total: 6)
    node.complete(3)
    #expect(
      node.snapshot().localizedAdditionalDescription(locale: Locale(identifier: locale)) == "3 of 6"
    )
  }

  @Test(arguments: ["zh", "zh_CN", "zh_SG", "zh_Hans_HK", "zh-Hans-TW"])
  func `Simplified Chinese has the same text in every region`(locale: String) {
    let node = ProgressNode(total: 6)
    node.complete(3)
    #expect(
      node.snapshot().localizedAdditionalDescription(locale: Locale(identifier: locale)) == "3（共 6）"
    )
  }

  @Test func `The first line never goes back and the second has the counts`() {
    let english = Locale(identifier: "en_US")
    let node = ProgressNode(total: 4)
    node.complete(3)
    #expect(node.snapshot().localizedDescription(locale: english) == "75% completed")
    node.total = 6
    #expect(node.snapshot().localizedDescription(locale: english) == "75% completed")
    #expect(node.snapshot().localizedAdditionalDescription(locale: english) == "3 of 6")
  }

  /// A text with no-break spaces replaced by spaces.
  private func plainSpaces(in text: String) -> String {
    text.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
  }
}

private let kept = RetainedNodes()

/// The file URL of a node.
struct FileURLTests {
  @Test func `A file URL is stored as a path`() {
    let node = ProgressNode()
    node.fileURL = URL(filePath: "/tmp/a b.txt")
    #expect(node.filePath == "/tmp/a b.txt")
    #expect(node.fileURL?.lastPathComponent == "a b.txt")
    #expect(node.snapshot().fileURL == URL(filePath: "/tmp/a b.txt"))
    #expect(node.snapshot().fileURLs == [URL(filePath: "/tmp/a b.txt")])
  }

  @Test func `A network URL has no path`() {
    let node = ProgressNode()
    node.fileURL = URL(filePath: "/tmp/a")
    node.fileURL = URL(string: "https://example.org/a")
    #expect(node.filePath == nil)
    #expect(node.fileURL == nil)
  }
}
