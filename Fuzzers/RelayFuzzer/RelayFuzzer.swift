import FuzzSupport
import HeadwayProgress
import HeadwayRelay
import HeadwayRun

/// Reads arbitrary bytes as the lines of another process, a line each: what can be read must survive being written, and a
/// mirror of it must stay within its limits and be readable.
///
/// Then as all that a publisher sends, and all that a watcher does. After a `z` first, as what a program in Zig writes.
@main
enum RelayFuzzer {
  /// The maximum number of nodes of the mirror.
  private static let limit = 50

  static func main() { fuzz(check) }

  /// Checks one input.
  private static func check(_ bytes: [UInt8]) {
    if bytes.first == UInt8(ascii: "z") { return checkZig(bytes[1...]) }
    let mirror = ProgressMirror(limit: limit)
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(20).map(Array.init) {
      if let event = try? RunEvent(line: line[...]) { checkRoundTrip(event) }
      guard let event = try? ProgressEvent(line: line[...]) else { continue }
      checkRoundTrip(event)
      let before = mirror.root.snapshot()
      do {
        try mirror.apply(event.change)
      } catch {
        expect(mirror.root.snapshot() == before, "a refused line has changed something")
      }
      let snapshot = mirror.root.snapshot()
      var count = 0
      snapshot.forEachNode { node, _ in
        count += 1
        expect((0...1).contains(node.fraction), "the fraction is \(node.fraction)")
      }
      expect(count <= limit, "there are \(count) nodes")
    }
    checkWatcher(bytes)
    checkPublisher(bytes)
  }

  /// Reads the bytes as a publisher's.
  private static func checkWatcher(_ bytes: [UInt8]) {
    var core = WatcherCore()
    core.request(.subscribe(Interest()))
    core.received(bytes[...])
    var mirrors: [PublicationID: ProgressMirror] = [:]
    var isClosed = false
    while let action = core.nextAction() {
      expect(!isClosed, "something follows the end")
      switch action {
      case .send(let sent): core.sent(sent.count)
      case .changed(let id, let isWhole, let change):
        if isWhole { mirrors[id] = ProgressMirror(limit: limit) }
        do { try mirrors[id]?.apply(change) } catch { core.refuse(id, error) }
      case .close: isClosed = true
      case .began, .forecast, .ended, .answered: break
      }
    }
  }

  /// Reads the bytes as packets of Zig, in pieces whose size the first byte says: every change can be followed.
  private static func checkZig(_ input: ArraySlice<UInt8>) {
    var reader = ZigReader()
    let mirror = ProgressMirror(limit: ZigReader.maximumNodes)
    let size = Int(input.first ?? 0) * 8 + 1
    var rest = input.dropFirst()
    var refusals = 0
    while !rest.isEmpty {
      let piece = rest.prefix(size)
      rest = rest.dropFirst(size)
      do throws(ZigReader.InvalidBytes) {
        let change = try reader.received(piece)
        do { try mirror.apply(change) } catch { fatalError("\(error) after \(change)") }
      } catch {
        refusals += 1
      }
    }
    expect(refusals <= 1, "the same problem is reported \(refusals) times")
    var count = 0
    mirror.root.snapshot().forEachNode { node, _ in
      count += 1
      expect((0...1).contains(node.fraction), "the fraction is \(node.fraction)")
    }
    expect(count <= ZigReader.maximumNodes + 1, "there are \(count) nodes")
    for layout in ZigPacket.Layout.allCases {
      guard let packet = ZigPacket(input.dropFirst(), layout: layout) else { continue }
      let again = ZigPacket(packet.encoded(layout)[...], layout: layout)
      expect(
        again?.nodes.map(\.parent) == packet.nodes.map(\.parent), "writing \(packet) changes it")
    }
  }

  /// Reads the bytes as a watcher's, of a publisher with one tree.
  private static func checkPublisher(_ bytes: [UInt8]) {
    var core = PublisherCore(program: "fuzz", pid: 1)
    let root = ProgressNode("work", total: 10)
    try? core.publish(PublicationID("1.1"), kind: "work", path: "/a/b", now: .zero)
    let peer = PublisherCore.Peer(1)
    core.connected(peer, now: .zero)
    core.received(bytes[...], from: peer, now: .zero)
    var isClosed = false
    // Until it rests: each turn is a frame, and a silent watcher is closed in the end.
    for _ in 0..<100 {
      while let action = core.nextAction() {
        switch action {
        case .send(let to, let sent):
          expect(!isClosed, "something follows the end")
          expect(sent.last == UInt8(ascii: "\n"), "a line has no end")
          core.sent(sent.count, to: to, now: .zero)
        case .copy(let id): core.copied(id, root.snapshot(), now: .zero)
        case .control(let control): core.carriedOut(control.reply, nil, now: .zero)
        case .share(let request): core.answered(request, nil, now: .zero)
        case .carryOut(let command): core.carriedOut(command.reply, nil, now: .zero)
        case .close: isClosed = true
        case .read, .arm, .disarm: break
        }
      }
      guard let deadline = core.nextDeadline else { return }
      core.advance(to: deadline)
    }
    expect(bytes.count > 64 * 20, "the publisher never rests")
  }

  /// Checks that what was read is written as something that is read as the same.
  private static func checkRoundTrip<Value: EventRecord & Equatable>(_ value: Value) {
    let once = copy(value)
    // Times and fractions are rounded once.
    expect(copy(once) == once, "writing \(once) changes it")
  }

  /// Writes a value and reads it.
  private static func copy<Value: EventRecord>(_ value: Value) -> Value {
    var line = JSONLine(names: [])
    line.begin()
    value.write(to: &line)
    line.end()
    do {
      return try Value(line: line.bytes[...])
    } catch {
      fatalError("\(String(decoding: line.bytes, as: UTF8.self)) cannot be read: \(error)")
    }
  }
}
