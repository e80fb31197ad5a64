import Glibc
import HeadwaySystem
import Testing

@testable import HeadwayTerminal

/// An output that is slower than the program.
struct TerminalPortTests {
  @Test func `A slow terminal that takes a part of what is written gets the rest later`() throws {
    let terminal = Pty(columns: 80, rows: 24)
    // As other programs in the same terminal may leave it: what has no room is not taken.
    #expect(fcntl(terminal.slave, F_SETFL, O_NONBLOCK) == 0)
    var expected: [UInt8] = []
    let line = Array("this fills the terminal\n".utf8)
    while true {
      let count = unsafe write(terminal.slave, line, line.count)
      guard count > 0 else { break }
      expected += line.prefix(count)
    }
    let text = (0..<10_000).map { "\($0) of many lines\n" }.joined()
    expected += Array(text.utf8) + [UInt8(ascii: "!")]

    let port = TerminalPort(terminal.slave)
    defer { port.abandon() }
    let error = SystemThread.start(named: "writer") {
      port.write(Array(text.utf8))
      port.write([UInt8(ascii: "!")])
    }
    try #require(error == 0)
    var output: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 777)
    while output.last != UInt8(ascii: "!") {
      var wait = pollfd(fd: terminal.master, events: Int16(POLLIN), revents: 0)
      try #require(unsafe poll(&wait, 1, 120_000) > 0)
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(terminal.master, $0.baseAddress, $0.count)
      }
      try #require(count > 0)
      output += bytes.prefix(count)
    }
    // The terminal puts a carriage return before each line end.
    let isWhole = output.filter { $0 != 0x0D } == expected
    #expect(isWhole)
  }
}
