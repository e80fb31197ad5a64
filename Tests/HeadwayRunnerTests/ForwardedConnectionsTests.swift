import HeadwayRelay
import HeadwaySystem
import Testing

@testable import HeadwayRunner

/// Connections of programs whose other end is on another machine.
struct ForwardedConnectionsTests {
  private typealias Key = ForwardedConnections.Key

  /// The connections, with the poller that waits for them.
  private final class Fixture {
    let poller = Poller()
    var connections = ForwardedConnections(lastToken: 1 << 40)

    func add(_ socket: RelaySocket, as key: Key) -> Bool {
      connections.add(socket, as: key, in: poller)
    }

    func send(_ bytes: [UInt8], to key: Key) -> Bool {
      connections.send(bytes, to: key, in: poller)
    }

    /// Waits for an event and handles it.
    func handle() throws -> ForwardedConnections.Event? {
      let token = try #require(poller.wait(for: .seconds(60)).first).token
      #expect(connections.contains(token: token))
      return connections.handle(token, in: poller)
    }
  }

  private let fixture = Fixture()
  private let key = Key(worker: 2, number: 7)

  /// Connects, and returns both ends.
  private func pair() throws -> (program: RelaySocket, ours: RelaySocket) {
    let directory = try RuntimeDirectory.first(of: RuntimeDirectory.places)
    let name = RuntimeDirectory.newForwardedName()
    let listener = try RelaySocket.listen(in: directory, name: name)
    defer { directory.remove(name) }
    let program = try RelaySocket.connect(in: directory, name: name)
    guard case .accepted(let ours) = listener.accept() else {
      throw RelayError.system("cannot accept", reason: "nobody has connected")
    }
    return (program, ours)
  }

  @Test func `What a program says is passed on with its key, and answers reach it`() throws {
    let program: RelaySocket
    do {
      let ends = try pair()
      #expect(fixture.add(ends.ours, as: key))
      program = ends.program
    }
    #expect(program.send(Array("hello".utf8)[...]) == .done(5))
    #expect(try fixture.handle() == .received(key, Array("hello".utf8)))
    #expect(fixture.send(Array("answer".utf8), to: key))
    var answer: [UInt8] = []
    #expect(program.receive(into: &answer) == .done(6))
    #expect(answer == Array("answer".utf8))
    fixture.connections.close(key, in: fixture.poller)
    #expect(program.receive(into: &answer) == .ended)
    // About one that was closed meanwhile there is nothing to tell.
    #expect(fixture.send([1], to: key))
    #expect(!fixture.connections.contains(token: 1))
  }

  @Test func `A program that ends closes its connection`() throws {
    // The other end is closed with its object.
    #expect(fixture.add(try pair().ours, as: key))
    #expect(try fixture.handle() == .closed(key))
    #expect(fixture.add(try pair().ours, as: key))
  }

  @Test func `Bytes wait for a program that does not read, but not without end`() throws {
    let (program, ours) = try pair()
    #expect(fixture.add(ours, as: key))
    let piece = [UInt8](repeating: 1, count: 100_000)
    var sent = 0
    for _ in 0..<8 {
      #expect(fixture.send(piece, to: key))
      sent += piece.count
    }
    var received: [UInt8] = []
    while received.count < sent {
      if case .wouldBlock = program.receive(into: &received) {
        #expect(try fixture.handle() == nil)
      }
    }
    #expect(received.count == sent)
    var isOpen = true
    for _ in 0..<100 where isOpen { isOpen = fixture.send(piece, to: key) }
    #expect(!isOpen)
  }

  @Test func `The connections of one worker are closed together`() throws {
    let other = Key(worker: 3, number: 7)
    let pairs = try (0..<5).map { _ in try pair() }
    #expect(fixture.add(pairs[0].ours, as: key))
    #expect(!fixture.add(pairs[1].ours, as: key))
    #expect(fixture.add(pairs[2].ours, as: other))
    fixture.connections.closeAll(of: 2, in: fixture.poller)
    #expect(fixture.add(pairs[3].ours, as: key))
    #expect(!fixture.add(pairs[4].ours, as: other))
  }
}
