import CTLS
import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// The two ends of a connection with TLS, over sockets of this process.
struct TLSConnectionTests {
  /// Two ends, with the sockets of their processes.
  private final class Ends {
    var client: TLSConnection
    var server: TLSConnection
    /// The socket of the process at each end, -1 once it is closed.
    var (first, second): (Int32, Int32)

    /// Creates two ends that have not client.
    init(key: [UInt8], otherKey: [UInt8]? = nil, name: String = "7") throws {
      let network = try #require(socketPair())
      let (first, second) = try (#require(socketPair()), #require(socketPair()))
      for socket in [network.0, network.1, first.0, first.1, second.0, second.1] {
        makeNonblocking(socket)
      }
      client = try #require(TLSConnection(client: network.0, key: key, name: name))
      server = try #require(TLSConnection(server: network.1, key: otherKey ?? key))
      client.carry(first.0)
      server.carry(second.0)
      (self.first, self.second) = (first.1, second.1)
    }

    /// Lets both ends do what they can.
    func advance() {
      client.advance()
      server.advance()
    }

    /// Closes the process of the end that has client.
    func closeFirst() {
      hangUp(first)
      first = -1
    }

    deinit {
      client.end()
      server.end()
      for socket in [first, second] where socket >= 0 { close(socket) }
    }
  }

  private static let key = [UInt8](repeating: 5, count: Int(HW_TLS_KEY_SIZE))

  /// Reads what has arrived; nil at the end.
  private func received(_ socket: Int32) -> [UInt8]? {
    var isOver = false
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
      let result = unsafe read(socket, room.baseAddress, room.count)
      isOver = result == 0
      count = max(result, 0)
    }
    return isOver ? nil : bytes
  }

  @Test func `Bytes go in both directions, and the identity arrives`() throws {
    let ends = try Ends(key: Self.key, name: "headway-17")
    #expect(ends.server.name == nil)
    #expect(writeAll(ends.first, Array("to the run".utf8)) == 0)
    #expect(writeAll(ends.second, Array("to the worker".utf8)) == 0)
    for _ in 0..<10 { ends.advance() }
    #expect(ends.server.name == "headway-17")
    #expect(received(ends.second) == Array("to the run".utf8))
    #expect(received(ends.first) == Array("to the worker".utf8))
  }

  @Test func `More than the sockets hold waits, and nothing is lost when a process ends`() throws {
    let ends = try Ends(key: Self.key)
    let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var (written, arrived): (Int, [UInt8]) = (0, [])
    while arrived.count < sent.count {
      let count = unsafe sent.withUnsafeBytes {
        unsafe ends.first < 0
          ? 0 : write(ends.first, $0.baseAddress.map { unsafe $0 + written }, sent.count - written)
      }
      written += max(count, 0)
      if written == sent.count, ends.first >= 0 { ends.closeFirst() }
      ends.advance()
      arrived += try #require(received(ends.second))
    }
    #expect(arrived == sent)
    for _ in 0..<4 { ends.advance() }
    #expect(ends.server.state == .over)
  }

  @Test func `What a process has sent before it ended arrives, although more has come for it`()
    throws
  {
    let ends = try Ends(key: Self.key)
    for _ in 0..<10 { ends.advance() }
    #expect(writeAll(ends.second, Array("one more".utf8)) == 0)
    ends.server.advance()
    #expect(writeAll(ends.first, Array("the last word".utf8)) == 0)
    ends.closeFirst()
    for _ in 0..<10 { ends.advance() }
    #expect(received(ends.second) == Array("the last word".utf8))
    #expect(ends.client.state != .open)
    #expect(ends.server.state == .over)
  }

  @Test func `Without the key, nothing begins`() throws {
    let ends = try Ends(key: Self.key, otherKey: Self.key.map { $0 + 1 })
    #expect(writeAll(ends.first, Array("secret".utf8)) == 0)
    for _ in 0..<10 { ends.advance() }
    #expect(ends.client.state == .over && ends.client.isRefused)
    #expect(ends.server.state == .over && ends.server.isRefused)
    #expect(ends.server.name == nil)
    #expect(received(ends.second) == [])
  }

  @Test func `What is no TLS ends the connection`() throws {
    let network = try #require(socketPair())
    makeNonblocking(network.0)
    var server = try #require(TLSConnection(server: network.0, key: Self.key))
    #expect(writeAll(network.1, Array("GET / HTTP/1.1\r\n\r\n".utf8)) == 0)
    for _ in 0..<4 { server.advance() }
    #expect(server.state == .over && server.isRefused)
    server.end()
    close(network.1)
  }

  @Test func `A connection that is cut at its beginning is not refused`() throws {
    let network = try #require(socketPair())
    makeNonblocking(network.0)
    var client = try #require(TLSConnection(client: network.0, key: Self.key, name: "7"))
    client.advance()
    hangUp(network.1)
    for _ in 0..<4 { client.advance() }
    #expect(client.state == .over && !client.isRefused)
    client.end()
  }

  @Test func `A worker finds its run, and only with the key`() throws {
    var port: UInt16 = 0
    let listening = unsafe hw_tcp_listen(&port)
    try #require(listening >= 0)
    let file = ConnectionFile(addresses: ["127.0.0.1"], port: port)
    let run = try TLSTunnels(listening: listening, key: file.key)
    let (worker, socket) = try TLSTunnels.connected(to: file, as: "3", within: .seconds(60))
    var watched = pollfd(fd: run.arrivalEvent.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&watched, 1, 60_000) == 1)
    let arrivals = run.takeArrivals()
    #expect(arrivals.map(\.name) == ["3"])
    let other = try #require(arrivals.first).socket
    #expect(writeAll(socket, Array("hello".utf8)) == 0)
    watched = pollfd(fd: other, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&watched, 1, 60_000) == 1)
    #expect(received(other) == Array("hello".utf8))
    // Another key, for the same port.
    let stranger = ConnectionFile(addresses: ["127.0.0.1"], port: port)
    #expect(
      throws: RunnerError.connection(
        "127.0.0.1:\(port)", "127.0.0.1: it does not have the key of the run")
    ) { try TLSTunnels.connected(to: stranger, as: "3", within: .seconds(60)) }
    #expect(run.takeArrivals().isEmpty)
    // The end of the worker is seen by the run.
    close(socket)
    worker.end()
    #expect(unsafe poll(&watched, 1, 60_000) == 1)
    #expect(received(other) == nil)
    close(other)
    run.end()
  }
}
