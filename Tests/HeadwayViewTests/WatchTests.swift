import HeadwayProgress
import HeadwayRun
import HeadwayTerminal
import HeadwayTestSupport
import TerminalFixtures
import Testing

@testable import HeadwayView

/// Published work as lists show it.
func work(
  _ id: String, _ label: String = "", name: String? = nil, completed: Int = 0, total: Int? = 100,
  detail: String? = nil, parts: [String] = [], isOld: Bool = true,
  remaining: RoundedRemaining = .unknown, isPaused: Bool = false, isCancelled: Bool = false,
  end: WatchedWork.End? = nil
) -> WatchedWork {
  let node = ProgressNode(label, total: total)
  let children = parts.map { node.child($0, units: 0) }
  node.setCompleted(completed)
  node.detail = detail
  if isPaused { node.pause() }
  if isCancelled { node.cancel() }
  let snapshot = node.snapshot()
  withExtendedLifetime(children) {}
  return WatchedWork(
    id: id, name: name, program: "tool", isOld: isOld, snapshot: snapshot, remaining: remaining,
    end: end)
}

/// What people mean by the words that they type.
struct WorkChoiceTests {
  private let works = [
    work("10.1", "release", name: "20261121-101500-10"),
    work("10.2", "photos"),
    work("20.1", "release", name: "20261121-101777-20"),
    work("30.1", "10.1", name: "photos"),
    work("40.1", "", name: "nightly"),
    work("50.1", "2026", name: "backup-home"),
  ]

  @Test(arguments: [
    // An ID counts before a label.
    ("10.1", WorkChoice.one("10.1")),
    // A name counts before a label.
    ("photos", .one("30.1")),
    ("20261121-101500-10", .one("10.1")),
    ("20261121-1015", .one("10.1")),
    ("nigh", .one("40.1")),
    // Three characters are too few, unless they are all.
    ("nig", .none),
    ("release", .several(["10.1", "20.1"])),
    ("20261121", .several(["10.1", "20.1"])),
    // Two names begin so, and one label is exactly that.
    ("2026", .one("50.1")),
    ("nothing", .none),
    ("", .none),
  ])
  func `An ID, a name, the beginning of a name and a label choose, in this order`(
    word: String, choice: WorkChoice
  ) {
    #expect(WorkChoice(word, among: works) == choice)
  }

  @Test func `Work without a label is called by its name`() {
    #expect(WorkChoice("nightly", among: works) == .one("40.1"))
    #expect(WorkChoice("tool", among: [work("1.1")]) == .one("1.1"))
  }
}

/// The table of what runs.
struct WatchTableTests {
  @Test func `Work is a line with its ID, title, percentage, time and parts`() {
    let works = [
      work("1234.10", "photos", completed: 7, detail: "copying"),
      work(
        "1234.9", "release", completed: 42, detail: "2 of 9", parts: ["build", "test"],
        remaining: .about(.seconds(180))),
      work("7.1", "scan", total: nil, parts: ["a", "b", "c", "d", "e", "f"], isPaused: true),
    ]
    #expect(
      WatchTable.text(works, style: .gray) == """
        7.1      scan       -  paused            a, b, c, d, … and 2 more
        1234.9   release  42%  about 3 min left  build, test
        1234.10  photos    7%                    copying

        """)
  }

  @Test func `Without work there is a sentence`() {
    #expect(
      WatchTable.text([], style: .gray) == "nothing is running; published work appears here\n")
  }

  @Test func `Columns without any text take no room`() {
    #expect(WatchTable.text([work("7.1", "scan")], style: .gray) == "7.1  scan  0%\n")
  }

  @Test func `Nothing that other programs say reaches the terminal as a command`() {
    let hostile = "a\u{1B}[2J\u{202E}b\nc"
    let text = WatchTable.text(
      [work(hostile, hostile, detail: hostile), work("1.1", "", name: hostile, parts: [hostile])],
      style: .gray)
    #expect(text.split(separator: "\n").count == 2)
    #expect(!text.split(separator: "\n").joined().hasUnsafeScalars)
  }
}

extension String {
  /// Whether something in the text can control a terminal.
  fileprivate var hasUnsafeScalars: Bool {
    unicodeScalars.contains {
      $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || $0 == "\u{202E}"
    }
  }
}

/// The keys of a terminal.
struct WatchKeysTests {
  private func keys(_ text: String, at now: Duration = .zero) -> [WatchKeys.Key] {
    var keys = WatchKeys()
    for byte in text.utf8 { keys.take(byte) }
    return keys.pressed(at: now)
  }

  @Test func `Arrows are read in both forms, and other sequences as one key`() {
    #expect(keys("\u{1B}[A\u{1B}OB") == [.up, .down])
    #expect(keys("\u{1B}[3~\u{1B}[1;5A\u{1B}x") == [.other, .other, .other])
    #expect(keys("jk") == [.character(UInt8(ascii: "j")), .character(UInt8(ascii: "k"))])
  }

  @Test func `Esc is a key if nothing follows for a moment`() {
    var keys = WatchKeys()
    keys.take(0x1B)
    #expect(keys.pressed(at: .seconds(1)) == [])
    #expect(keys.due == .seconds(1) + WatchKeys.patience)
    #expect(keys.pressed(at: .seconds(1) + WatchKeys.patience) == [.escape])
    #expect(keys.isEmpty && keys.due == nil)
  }

  @Test func `A sequence that comes in parts is one key`() {
    var keys = WatchKeys()
    keys.take(0x1B)
    #expect(keys.pressed(at: .zero) == [])
    keys.take(UInt8(ascii: "["))
    #expect(keys.pressed(at: .milliseconds(10)) == [])
    keys.take(UInt8(ascii: "A"))
    #expect(keys.pressed(at: .milliseconds(20)) == [.up])
  }

  @Test func `Esc twice is Esc`() {
    #expect(keys("\u{1B}\u{1B}") == [.escape])
  }
}

/// What is listed, chosen and asked for.
struct WatchListTests {
  private func press(_ list: inout WatchList, _ letter: Character) -> WatchList.Action? {
    list.press(.character(letter.asciiValue ?? 0))
  }

  private func list(_ works: WatchedWork...) -> WatchList {
    var list = WatchList()
    for work in works { list.update(work) }
    list.advance(to: .zero)
    return list
  }

  @Test func `What was there is sorted by ID, and what comes later follows`() {
    let list = list(
      work("20.1"), work("3.1", isOld: false), work("10.2"), work("10.1"),
      work("1.1", isOld: false))
    #expect(list.items.map(\.work.id) == ["10.1", "10.2", "20.1", "3.1", "1.1"])
  }

  @Test func `Arrows and letters choose, and stay within the list`() {
    var list = list(work("1.1"), work("2.1"), work("3.1"))
    #expect(list.chosen == "1.1")
    #expect(list.press(.up) == nil && list.chosen == "1.1")
    #expect(list.press(.down) == nil && list.chosen == "2.1")
    #expect(press(&list, "j") == nil && list.chosen == "3.1")
    #expect(press(&list, "j") == nil && list.chosen == "3.1")
    #expect(press(&list, "k") == nil && list.chosen == "2.1")
  }

  @Test func `The choice stays with its work, and goes to the next when that is gone`() {
    var list = list(work("5.1"), work("6.1"), work("7.1"))
    _ = list.press(.down)
    list.update(work("1.1"))
    #expect(list.chosen == "6.1")
    list.update(work("6.1", end: .finished))
    list.advance(to: .seconds(1))
    list.advance(to: .seconds(1) + WatchList.farewell)
    #expect(list.items.map(\.work.id) == ["1.1", "5.1", "7.1"])
    #expect(list.chosen == "7.1")
  }

  @Test func `Ended work is shown for a while`() {
    var list = list(work("1.1"))
    list.update(work("1.1", end: .lost("its process ended")))
    list.advance(to: .seconds(10))
    #expect(list.items.count == 1 && list.hasEnded)
    #expect(list.nextChange == .seconds(10) + WatchList.farewell)
    list.advance(to: .seconds(10) + WatchList.farewell)
    #expect(list.items.isEmpty && list.chosen == nil && list.nextChange == nil)
  }

  @Test func `P pauses, and resumes what is paused`() {
    var list = list(work("1.1"))
    #expect(press(&list, "p") == .ask("1.1", .pause))
    list.update(work("1.1", isPaused: true))
    #expect(press(&list, "p") == .ask("1.1", .unpause))
  }

  @Test func `Each of two quick presses counts, and a refusal begins anew`() {
    var list = list(work("1.1"))
    #expect(press(&list, "p") == .ask("1.1", .pause))
    #expect(press(&list, "p") == .ask("1.1", .unpause))
    #expect(press(&list, "p") == .ask("1.1", .pause))
    list.show(message: "it cannot be paused")
    #expect(press(&list, "p") == .ask("1.1", .pause))
  }

  @Test func `Only c and then y cancels`() {
    var list = list(work("1.1"), work("2.1"))
    #expect(press(&list, "y") == nil)
    #expect(press(&list, "c") == nil)
    #expect(list.asking == "1.1")
    #expect(press(&list, "y") == .ask("1.1", .cancel))
    #expect(list.asking == nil)
  }

  @Test(arguments: [
    WatchKeys.Key.down, .escape, .other, .character(UInt8(ascii: "q")),
    .character(UInt8(ascii: "c")), .character(UInt8(ascii: "p")), .character(UInt8(ascii: "n")),
  ])
  func `Any other key withdraws the question and does nothing else`(key: WatchKeys.Key) {
    var list = list(work("1.1"), work("2.1"))
    _ = press(&list, "c")
    #expect(list.press(key) == nil)
    #expect(list.asking == nil && list.chosen == "1.1")
    #expect(press(&list, "y") == nil)
  }

  @Test func `A question about work that ends is withdrawn, and never meets other work`() {
    var list = list(work("1.1"), work("2.1"))
    _ = press(&list, "c")
    list.update(work("1.1", end: .finished))
    #expect(list.asking == nil)
    #expect(press(&list, "y") == nil)
    // What has ended cannot be asked for anything.
    #expect(press(&list, "c") == nil && list.asking == nil)
    #expect(press(&list, "p") == nil)
  }

  @Test func `Q and Esc leave`() {
    var list = WatchList()
    #expect(press(&list, "q") == .quit)
    #expect(list.press(.escape) == .quit)
    #expect(press(&list, "p") == nil && press(&list, "c") == nil && list.press(.down) == nil)
  }

  @Test func `A message goes after a while, or with the next key`() {
    var list = list(work("1.1"))
    list.show(message: "no")
    list.advance(to: .seconds(1))
    #expect(list.message == "no" && list.nextChange == .seconds(1) + WatchList.messageTime)
    list.advance(to: .seconds(1) + WatchList.messageTime)
    #expect(list.message == nil)
    list.show(message: "no")
    _ = list.press(.down)
    #expect(list.message == nil)
  }
}
