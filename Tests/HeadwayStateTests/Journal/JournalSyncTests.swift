import Glibc
import HeadwayLock
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayState

/// When the disk is asked to store a journal.
struct JournalSyncTests {
  @Test func `What was written is stored, once for many requests`() {
    let (told, asked) = (Pipe(), Pipe())
    defer { for end in [told.reader, told.writer, asked.reader, asked.writer] { close(end) } }
    let sync = JournalSync(interval: .zero) {
      told.write("<")
      _ = asked.nextByte()
      told.write(">")
      return 0
    }
    for _ in 0..<1000 { sync.request() }
    #expect(told.nextByte() == UInt8(ascii: "<"))
    // These come while the disk is at work, and are stored afterwards, together.
    for _ in 0..<1000 { sync.request() }
    asked.write("x")
    for expected in "><".utf8 { #expect(told.nextByte() == expected) }
    sync.stop()
    asked.write("x")
    #expect(told.nextByte() == UInt8(ascii: ">"))
    #expect(sync.failure == 0 && !hasByte(told.reader))
  }

  @Test func `Nothing is stored unless something was written`() {
    let asked = Pipe()
    defer { for end in [asked.reader, asked.writer] { close(end) } }
    let sync = JournalSync(interval: .zero) {
      asked.write("x")
      return 0
    }
    sync.stop()
    sync.request()
    #expect(!hasByte(asked.reader))
  }

  @Test func `An error of the disk is kept`() {
    let sync = JournalSync(interval: .zero) { EIO }
    sync.request()
    #expect(eventually { sync.failure == EIO })
    sync.stop()
  }

  /// Whether a pipe has something to read now.
  private func hasByte(_ reader: Int32) -> Bool {
    var event = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&event, 1, 0) == 1
  }
}
