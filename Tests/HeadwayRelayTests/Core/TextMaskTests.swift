import HeadwayProgress
import Testing

@testable import HeadwayRelay

/// What is hidden in the texts of programs: all of their texts, also where the protocol has cut them.
struct TextMaskTests {
  /// Marks each text, and whether it may have been cut.
  private static let marking: TextMask = { text, isCut in
    text.isEmpty ? "" : isCut ? "cut" : "whole \(text.count)"
  }

  /// Texts whose scalars take from one to twelve bytes of a line.
  private static let scalars = ["a", "\"", "\u{e9}", "\u{1b}", "\u{1F600}", "\u{E0001}"]

  @Test(arguments: scalars)
  func `A text that the protocol has cut is known as one`(scalar: String) {
    for count in [
      1, 20, 21, 22, 42, 43, 84, 85, 86, 127, 128, 129, 255, 256, 257, 512, 1_023, 1_024, 1_025,
    ] {
      let text = String(repeating: scalar, count: count)
      var told = Told()
      (told.label, told.detail) = (text, text)
      let sent = told.withinLimits
      let masked = sent.masked(by: Self.marking)
      if sent.label != text { #expect(masked.label == "cut", "\(count)") }
      if sent.detail != text { #expect(masked.detail == "cut", "\(count)") }
      if count < 20 { #expect(masked.label == "whole \(text.count)") }
    }
  }

  @Test func `All texts of a tree are masked`() {
    let node = ProgressNode("label", total: 3)
    node.detail = "detail"
    node.filePath = "path"
    let child = node.child("child", units: 1)
    child.detail = String(repeating: "x", count: 5_000)
    let change = TreeChange(from: nil, to: node.snapshot()).withinLimits
    let masked = change.masked(by: Self.marking)
    #expect(masked.nodes.map(\.label) == ["whole 5", "whole 5"])
    #expect(masked.nodes.map(\.detail) == ["whole 6", "cut"])
    #expect(masked.nodes[0].values?[ProgressKeys.FilePath.self] == "whole 4")
    #expect(masked.nodes.map(\.completed) == change.nodes.map(\.completed))
    let names = change.masked(by: Self.marking, nameSize: 8)
    #expect(names.nodes.map(\.label) == ["cut", "cut"])
  }

  @Test func `What a program tells is masked before it is shown`() {
    let node = ProgressNode("task")
    let share = OpenShare(node, masked: Self.marking)
    var told = Told()
    (told.label, told.detail) = ("name", "words")
    share.note(told)
    #expect(node.label == "whole 4" && node.detail == "whole 5")
    told.detail = ""
    share.note(told)
    #expect(node.detail == nil)
    var change = TreeChange()
    change.nodes = [NodeChange(1)]
    change.nodes[0].label = "tree"
    #expect(share.shown(change).nodes[0].label == "whole 4")
  }
}
