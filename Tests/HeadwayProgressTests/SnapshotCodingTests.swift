import DocumentedPages
import Foundation
import HeadwayCollections
import HeadwayProgress
import ProgressFixtures
import Repetitions
import Testing

/// Snapshots as JSON and property lists, there and back.
struct SnapshotCodingTests {
  private static let trees = repetitions(20, real: 200)

  private func encode(_ snapshot: ProgressSnapshot) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(snapshot), as: UTF8.self)
  }

  private func decode(_ text: String) throws -> ProgressSnapshot {
    try JSONDecoder().decode(ProgressSnapshot.self, from: Data(text.utf8))
  }

  @Test(arguments: 0..<(10 as UInt64))
  func `Random trees come back as they were`(seed: UInt64) throws {
    var seeds = SplitMix64(seed: seed)
    for number in 0..<Self.trees {
      var tree = RandomTree(seed: seeds.next())
      for _ in 0..<3 {
        for _ in 0..<(1 + tree.number(below: 25)) { tree.step() }
        if tree.isOne(in: 3) {
          tree.root.remainingTime = .nanoseconds(tree.number(below: 1 << 40) - 1_000)
        }
        let snapshot = tree.root.snapshot(
          limit: tree.isOne(in: 2) ? 1_000 : 1 + tree.number(below: 6))
        let text = try encode(snapshot)
        let back = try decode(text)
        try #require(back == snapshot, "tree \(number): \(text)")
        #expect(back.description == snapshot.description)
        #expect(try encode(back) == text)
        // The nodes of a tree are snapshots, too.
        for child in snapshot.children { #expect(try decode(encode(child)) == child) }
      }
    }
  }

  @Test func `A finished tree comes back, also from a property list`() throws {
    let root = ProgressNode("files", total: 2)
    let child = root.child("one", units: 1, total: 10)
    child.kind = .file(.downloading)
    child.complete(10)
    child.finish()
    root.detail = "almost"
    for isFinished in [false, true] {
      if isFinished { root.finish() }
      let snapshot = root.snapshot()
      #expect(snapshot.isFinished == isFinished)
      #expect(try decode(encode(snapshot)) == snapshot)
      for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        let data = try encoder.encode(snapshot)
        #expect(try PropertyListDecoder().decode(ProgressSnapshot.self, from: data) == snapshot)
      }
    }
  }

  @Test func `The format is what it was`() throws {
    let root = ProgressNode("build", total: 3)
    root.complete(1)
    let copy = root.child("copy", units: 1, total: 1_000)
    copy.kind = .file(.copying)
    copy.complete(500)
    copy.detail = "big.iso"
    copy.totalFileCount = 4
    copy.completedFileCount = 1
    copy.throughput = 2.5
    copy.remainingTime = .milliseconds(1_500)
    copy.filePath = "/tmp/big.iso"
    copy.isPausable = false
    let rest = root.child("rest", units: 1)
    rest.isCancellable = false
    rest.kind = .file(nil)
    rest.pause()
    let gone = root.child("gone", units: 0)
    gone.totalFileCount = 2
    gone.finish()
    let text = try encode(root.snapshot())
    #expect(
      text == """
        {"children":[\
        {"completed":500,"detail":"big.iso","fraction":0.5,"kind":"copying","label":"copy","node":1,\
        "pausable":false,"total":1000,"units":1,"values":{"completed_files":1,"path":"/tmp/big.iso",\
        "rate":2.5,"remaining":1.5,"total_files":4}},\
        {"cancellable":false,"fraction":0,"kind":"file","label":"rest","node":2,"paused":true,"units":1}],\
        "completed":1,"finished_values":{"total_files":2},"fraction":0.5,"label":"build","node":0,\
        "total":3,"values":{}}
        """)
    withExtendedLifetime((copy, rest)) {}
  }

  @Test func `The example of the page is a snapshot`() throws {
    let lines = try DocumentedPages(of: "HeadwayProgress").lines(of: "docs/events.md")
    let line = try #require(lines.first { $0.hasPrefix(#"{"node":0,"#) })
    let root = ProgressNode("build", total: 3)
    root.complete(1)
    let copy = root.child("copy", units: 1, total: 1_000)
    copy.kind = .file(.copying)
    copy.complete(500)
    #expect(try decode(line) == root.snapshot())
    #expect(try encode(decode(line)) == encode(root.snapshot()))
    let written = try JSONSerialization.jsonObject(with: JSONEncoder().encode(root.snapshot()))
    let shown = try JSONSerialization.jsonObject(with: Data(line.utf8))
    #expect(written as? NSDictionary == shown as? NSDictionary)
  }

  @Test func `What is missing or null has its usual value, and what is not known is ignored`()
    throws
  {
    let text = #"""
      {"node": 7, "detail": null, "total": null, "children": [{"node": 8, "later": [{}]}, {"node": 9,
      "kind": "melting", "total": 4, "completed": 1, "units": null}], "fraction": "?", "summary": null}
      """#
    let snapshot = try decode(text)
    #expect(snapshot.id == 7 && snapshot.label.isEmpty && snapshot.detail == nil)
    #expect(snapshot.total == nil && snapshot.completed == 0 && snapshot.fraction == 0)
    #expect(snapshot.kind == .work && snapshot.isCancellable && snapshot.isPausable)
    #expect(!snapshot.isFinished && !snapshot.isCancelled && !snapshot.isPaused)
    #expect(snapshot.children.map(\.id) == [8, 9])
    // An operation of a later version.
    #expect(snapshot.children[1].kind == .file(nil))
    #expect(snapshot.children[1].fraction == 0.25)
    #expect(try decode(#"{"node":0}"#) == ProgressNode().snapshot())
  }

  private enum Warnings: ProgressKey {
    static func combined(_ left: Int, _ right: Int) -> Int { left + right }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func `What cannot be encoded is left out`(rate: Double) throws {
    let root = ProgressNode("work", total: 1)
    root[Warnings.self] = 3
    root.throughput = rate
    let back = try decode(encode(root.snapshot()))
    #expect(back.label == "work" && back.total == 1)
    #expect(back[Warnings.self] == nil && back[ProgressKeys.Throughput.self] == nil)
  }

  /// A snapshot that is wrong, where, and what is said.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let text: String
    let path: String
    let message: String

    init(_ text: String, _ path: String, _ message: String) {
      (self.text, self.path, self.message) = (text, path, message)
    }

    var testDescription: String { text }
  }

  @Test(arguments: [
    Wrong(#"{}"#, "node", "'node' is missing"),
    Wrong(#"{"node":null}"#, "node", "'node' is missing"),
    Wrong(#"{"node":0.5}"#, "node", "must be a whole number of 64 bits, but is 0.5"),
    Wrong(#"{"node":-1}"#, "node", "'node' must be from 0 to 4294967295, but is -1"),
    Wrong(#"{"node":4294967296}"#, "node", "but is 4294967296"),
    Wrong(#"{"node":0,"total":-3}"#, "total", "'total' must be from 0 to"),
    Wrong(#"{"node":0,"completed":-1}"#, "completed", "'completed' must be from 0 to"),
    Wrong(#"{"node":0,"units":-1}"#, "units", "'units' must be from 0 to"),
    Wrong(#"{"node":0,"children":[{"node":1,"units":-1}]}"#, "children.Index 0.units", "'units'"),
    Wrong(#"{"node":0,"total":"3"}"#, "total", "Int"),
    Wrong(#"{"node":0,"label":3}"#, "label", "String"),
    Wrong(#"{"node":0,"kind":3}"#, "kind", "String"),
    Wrong(#"{"node":0,"paused":1}"#, "paused", "Bool"),
    Wrong(#"{"node":0,"children":{}}"#, "children", "Array"),
    Wrong(#"{"node":0,"children":[3]}"#, "children.Index 0", "Dictionary"),
    Wrong(#"{"node":0,"peak":1.5}"#, "peak", "'peak' must be from 0 to 1, but is 1.5"),
    Wrong(#"{"node":0,"values":[]}"#, "values", "Dictionary"),
    Wrong(#"{"node":0,"values":{"total_files":0.5}}"#, "values.total_files", "but is 0.5"),
    Wrong(#"{"node":0,"values":{"remaining":1e300}}"#, "values.remaining", "2^63"),
    Wrong(#"{"node":0,"summary":{}}"#, "summary.fraction", "'fraction' is missing"),
    Wrong(#"{"node":0,"summary":{"fraction":-1}}"#, "summary.fraction", "from 0 to 1"),
    Wrong(
      #"{"node":0,"children":[{"node":1},{"node":1}]}"#, "children.Index 1.node",
      "is 1, which is the number of another node"),
    Wrong(#"{"node":0,"children":[{"node":0}]}"#, "children.Index 0.node", "another node"),
    Wrong(
      #"{"node":0,"children":[{"node":1,"finished":true}]}"#, "children.Index 0.finished",
      "the first node only"),
    Wrong(#"[]"#, "", "Dictionary"), Wrong(#"{"node":0"#, "", "not valid JSON"),
    Wrong("", "", "not valid JSON"),
  ])
  func `A snapshot that is wrong is an error that says where`(wrong: Wrong) throws {
    let error = try #require(throws: DecodingError.self) { try decode(wrong.text) }
    let context: DecodingError.Context
    switch error {
    case .dataCorrupted(let inner): context = inner
    case .keyNotFound(_, let inner), .typeMismatch(_, let inner), .valueNotFound(_, let inner):
      context = inner
    @unknown default: return
    }
    #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == wrong.path)
    #expect("\(error)".contains(wrong.message), "\(context.debugDescription)")
  }

  @Test func `Numbers that JSON does not have are errors`() {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    for value in ["nan", "inf", "-inf"] {
      for text in [
        #"{"node":0,"peak":"\#(value)"}"#, #"{"node":0,"values":{"rate":"\#(value)"}}"#,
        #"{"node":0,"values":{"remaining":"\#(value)"}}"#,
        #"{"node":0,"summary":{"fraction":"\#(value)"}}"#,
      ] {
        #expect(throws: DecodingError.self, "\(text)") {
          try decoder.decode(ProgressSnapshot.self, from: Data(text.utf8))
        }
      }
    }
  }

  /// A chain of nodes, each the only child of the one before.
  private func chain(_ levels: Int) -> String {
    var text = ""
    for level in 0..<levels { text += #"{"node":\#(level),"total":1,"children":["# }
    return text + String(repeating: "]}", count: levels)
  }

  @Test func `A snapshot may be as deep as a tree`() throws {
    var nodes = [ProgressNode(total: 1)]
    while nodes.count < 80 { nodes.append(nodes[nodes.count - 1].child(units: 1, total: 1)) }
    let snapshot = nodes[0].snapshot()
    #expect(try decode(encode(snapshot)) == snapshot)
    let deepest = ProgressNode.maximumDepth + 1
    #expect(try decode(chain(deepest)).id == 0)
    for levels in [deepest + 1, 200, 100_000] {
      #expect(throws: DecodingError.self) { try decode(chain(levels)) }
    }
  }

  @Test func `A snapshot has at most a thousand nodes`() throws {
    func text(_ count: Int) -> String {
      let children = (1..<count).map { #"{"node":\#($0)}"# }.joined(separator: ",")
      return #"{"node":0,"children":[\#(children)]}"#
    }
    #expect(try decode(text(1_000)).children.count == 999)
    #expect(throws: DecodingError.self) { try decode(text(1_001)) }
  }

  @Test func `Damaged snapshots are refused, or come back`() throws {
    var tree = RandomTree(seed: 5)
    var generator = SplitMix64(seed: 6)
    let letters = Array(#"{}[]":,-.0123456789etrufalsn"#.utf8)
    var refused = 0
    for _ in 0..<3_000 {
      for _ in 0..<3 { tree.step() }
      var bytes = Array(try encode(tree.root.snapshot(limit: 8)).utf8)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
          letters.randomElement(using: &generator) ?? 0
      }
      do {
        let snapshot = try JSONDecoder().decode(ProgressSnapshot.self, from: Data(bytes))
        #expect(try decode(encode(snapshot)) == snapshot)
      } catch is DecodingError {
        refused += 1
      }
    }
    #expect(refused > 1_000)
  }

  @Test(arguments: [
    (WorkKind.work, "work"), (.file(nil), "file"), (.file(.copying), "copying"),
    (.file(.downloading), "downloading"),
  ])
  func `A kind of work is its name`(kind: WorkKind, name: String) throws {
    let data = try JSONEncoder().encode([kind])
    #expect(String(decoding: data, as: UTF8.self) == "[\"\(name)\"]")
    #expect(try JSONDecoder().decode([WorkKind].self, from: data) == [kind])
  }
}
