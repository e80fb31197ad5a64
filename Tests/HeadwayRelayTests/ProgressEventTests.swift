import Foundation
import HeadwayCollections
import HeadwayLaunch
import HeadwayProgress
import HeadwayRun
import ProgressFixtures
import Repetitions
import Testing

@testable import HeadwayRelay

/// Progress trees as lines of JSON, there and back.
struct ProgressEventTests {
  private static let seeds = 0..<(20 as UInt64)
  private static let trees = repetitions(50, real: 500, underSanitizer: 20)

  /// The line of an event.
  private func line(_ event: ProgressEvent) -> [UInt8] {
    var line = JSONLine(names: [])
    line.begin()
    event.write(to: &line)
    line.end()
    return line.bytes
  }

  private func text(_ event: ProgressEvent) -> String {
    String(decoding: line(event), as: UTF8.self)
  }

  private func read(_ text: String) throws -> ProgressEvent {
    try ProgressEvent(line: Array(text.utf8)[...])
  }

  @Test(arguments: seeds)
  func `Ten thousand random trees arrive as they are`(seed: UInt64) throws {
    var seeds = SplitMix64(seed: seed)
    for number in 0..<Self.trees {
      var tree = RandomTree(seed: seeds.next())
      let mirror = ProgressMirror(limit: 1_000)
      var last: ProgressSnapshot?
      for _ in 0..<4 {
        for _ in 0..<(1 + tree.number(below: 12)) { tree.step() }
        let snapshot = tree.root.snapshot()
        let event = ProgressEvent(
          isWhole: last == nil, time: .zero, change: TreeChange(from: last, to: snapshot))
        let bytes = line(event)
        let arrived = try ProgressEvent(line: bytes[...])
        try mirror.apply(arrived.change)
        last = snapshot
        let seen = mirror.root.snapshot()
        #expect(seen == snapshot, "tree \(number): \(String(decoding: bytes, as: UTF8.self))")
        if seen != snapshot { return }
      }
    }
  }

  /// The objects of the nodes of an encoded snapshot, parents first, each with the number of its parent.
  private func nodes(of object: [String: Any], parent: Int? = nil) throws -> [[String: Any]] {
    var node = object
    node["parent"] = parent
    // The format of lines has no units without a parent, and the fraction follows from the rest.
    if parent == nil { node["units"] = nil } else { node["units"] = node["units"] ?? 0 }
    if var summary = node["summary"] as? [String: Any] {
      // Sums of what watchers see only in the nodes.
      for key in ["rate", "remaining", "paths"] { summary[key] = nil }
      node["summary"] = summary
    }
    let fraction = node.removeValue(forKey: "fraction")
    #expect(fraction is Double)
    let children = node.removeValue(forKey: "children") as? [[String: Any]] ?? []
    let number = try #require(node["node"] as? Int)
    return try [node] + children.flatMap { try nodes(of: $0, parent: number) }
  }

  @Test func `An encoded snapshot has the fields of a line, whatever the tree`() throws {
    var seeds = SplitMix64(seed: 4)
    var names: Set<String> = []
    for _ in 0..<Self.trees {
      var tree = RandomTree(seed: seeds.next())
      for _ in 0..<(1 + tree.number(below: 30)) {
        tree.step()
        // A fraction that goes back later is remembered once it was read.
        if tree.isOne(in: 3) { _ = tree.root.snapshot() }
      }
      if tree.isOne(in: 2) { tree.root.remainingTime = .milliseconds(tree.number(below: 9_999)) }
      if tree.isOne(in: 9) { tree.root.finish() }
      let snapshot = tree.root.snapshot(limit: tree.isOne(in: 2) ? 1_000 : 3)
      let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(snapshot))
      let nodes = try nodes(of: try #require(encoded as? [String: Any]))
      let event = ProgressEvent(
        isWhole: true, time: .zero, change: TreeChange(from: nil, to: snapshot))
      let printed = try JSONSerialization.jsonObject(with: Data(line(event)))
      let lineNodes = (printed as? [String: Any])?["nodes"] as? [[String: Any]] ?? []
      try #require(nodes.count == lineNodes.count)
      for (node, same) in zip(nodes, lineNodes) {
        try #require(NSDictionary(dictionary: node) == NSDictionary(dictionary: same))
        names.formUnion(node.keys)
      }
    }
    // Nothing that a node can have was left out by chance.
    #expect(names.isSuperset(of: ["label", "detail", "kind", "completed", "total", "peak"]))
    #expect(names.isSuperset(of: ["finished", "cancelled", "paused", "cancellable", "pausable"]))
    #expect(names.isSuperset(of: ["omits", "values", "finished_values", "summary"]))
  }

  @Test func `A line has what is not usual, and what has changed`() {
    let root = ProgressNode("build", total: 3)
    let child = root.child("copy", units: 2, total: 1_000)
    child.kind = .file(.copying)
    child.isPausable = false
    child.totalFileCount = 4
    child.filePath = "/tmp/a\u{202E}b"
    let first = root.snapshot()
    let whole = ProgressEvent(
      isWhole: true, time: .milliseconds(1_500), change: TreeChange(from: nil, to: first))
    #expect(
      text(whole) == """
        {"event":"progress","time":1.500,"nodes":[\
        {"node":0,"label":"build","total":3},\
        {"node":1,"parent":0,"units":2,"label":"copy","kind":"copying","total":1000,"pausable":false,\
        "values":{"total_files":4,"path":"/tmp/a\\u202eb"}}]}
        """)
    child.complete(17)
    let changed = ProgressEvent(
      isWhole: false, time: .seconds(2), change: TreeChange(from: first, to: root.snapshot()))
    #expect(
      text(changed)
        == #"{"event":"progress_changed","time":2.000,"nodes":[{"node":1,"completed":17}]}"#)
    let second = root.snapshot()
    child.finish()
    let ended = ProgressEvent(
      isWhole: false, time: .seconds(2), change: TreeChange(from: second, to: root.snapshot()))
    #expect(
      text(ended) == """
        {"event":"progress_changed","time":2.000,"ended":[1],"nodes":[{"node":0,"completed":2,\
        "values":{},"finished_values":{"total_files":4,"total_bytes":1000,"completed_bytes":17}}]}
        """)
  }

  @Test func `The largest numbers in a line of one changed number take less than 200 bytes`() {
    var node = NodeChange(.max)
    node.completed = .max
    var change = TreeChange()
    change.nodes = [node]
    let event = ProgressEvent(isWhole: false, time: .seconds(1 << 40), change: change)
    #expect(line(event).count < 200)
  }

  @Test func `What a later version adds is ignored`() throws {
    let event = try read(
      #"{"event":"progress","time":0,"new":[1,{}],"nodes":[{"node":1,"kind":"teleporting","more":null}]}"#
    )
    var node = NodeChange(1)
    node.kind = .file(nil)
    #expect(event.change.nodes == [node])
  }

  @Test(arguments: [
    ("", "not JSON"), ("{", "not JSON"), ("[]", "must be an object"), ("null", "must be an object"),
    (#"{"time":0}"#, "'event'"), (#"{"event":"progress"}"#, "'time'"),
    (#"{"event":"other","time":0}"#, "must be one of progress, progress_changed"),
    (#"{"event":"progress","time":1e999}"#, "'time' must be a number"),
    (#"{"event":"progress","time":0,"time":1}"#, "a field appears twice"),
    (#"{"event":"progress","time":0,"nodes":{}}"#, "must be a list"),
    (#"{"event":"progress","time":0,"nodes":[{}]}"#, "'node'"),
    (#"{"event":"progress","time":0,"nodes":[{"node":-1}]}"#, "must be from 0"),
    (#"{"event":"progress","time":0,"nodes":[{"node":4294967296}]}"#, "must be from 0"),
    (#"{"event":"progress","time":0,"nodes":[{"node":1.5}]}"#, "whole number"),
    (
      #"{"event":"progress","time":0,"nodes":[{"node":99999999999999999999}]}"#,
      "'node' must be a whole number of 64 bits"
    ),
    (#"{"event":"progress","time":0,"nodes":[{"node":1,"completed":-1}]}"#, "must be from 0"),
    (#"{"event":"progress","time":0,"nodes":[{"node":1,"label":7}]}"#, "must be a text"),
    (#"{"event":"progress","time":0,"nodes":[{"node":1,"paused":1}]}"#, "must be true or false"),
    (#"{"event":"progress","time":0,"nodes":[{"node":1,"peak":2}]}"#, "must be from 0 to 1"),
    (#"{"event":"progress","time":0,"nodes":[{"node":2,"parent":1}]}"#, "'units'"),
    (#"{"event":"progress","time":0,"ended":[-1]}"#, "'ended' must have numbers"),
    (#"{"event":"progress","time":0} x"#, "not JSON"),
  ])
  func `A wrong line is refused in words`(line: String, words: String) {
    do {
      _ = try read(line)
      Issue.record("it was read")
    } catch {
      #expect("\(error)".contains(words), "\(error)")
    }
  }

  @Test func `Invalid UTF-8 and lists without end are refused`() {
    #expect(throws: DecodingError.self) {
      try ProgressEvent(
        line: (Array(#"{"event":""#.utf8) + [0xFF] + Array(#""}"#.utf8))[...])
    }
    #expect(throws: DecodingError.self) { try read(String(repeating: "[", count: 100_000)) }
  }

  @Test func `The events of a run are read, too`() throws {
    let event = RunEvent(
      time: .milliseconds(1_250),
      kind: .taskOverdue(TaskID(2, name: "probe"), attempt: 1, limit: .seconds(3)))
    var line = JSONLine(names: [])
    line.begin()
    event.write(to: &line)
    line.end()
    #expect(try RunEvent(line: line.bytes[...]) == event)
  }
}
