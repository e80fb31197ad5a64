import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// The file by which workers find their run.
struct ConnectionFileTests {
  private let folder = Folder()
  private var path: String { "\(folder.path)/connection.json" }

  /// Writes a file with permissions.
  private func write(_ bytes: [UInt8], permissions: mode_t = 0o600) {
    folder.write("connection.json", String(decoding: bytes, as: UTF8.self))
    unsafe chmod(path, permissions)
  }

  @Test func `What was written is read`() throws {
    let file = ConnectionFile(addresses: ["192.0.2.1", "fd00::1"], port: 65_535)
    write(file.bytes)
    #expect(try ConnectionFile(reading: path) == file)
    #expect(file.key.count == 32)
    #expect(ConnectionFile(addresses: [], port: 1).key != file.key)
  }

  @Test(arguments: [0o604, 0o640, 0o602, 0o601] as [mode_t])
  func `A file that others may read or change is refused`(permissions: mode_t) {
    write(ConnectionFile(addresses: [], port: 1).bytes, permissions: permissions)
    #expect(
      throws: RunnerError.connection(
        path, "others may read or replace it, so its key is not secret")
    ) { try ConnectionFile(reading: path) }
  }

  @Test func `A missing file, a link and a damaged file are refused`() {
    #expect(throws: RunnerError.connection(path, "No such file or directory")) {
      try ConnectionFile(reading: path)
    }
    unsafe symlink("/dev/null", path)
    #expect(throws: RunnerError.self) { try ConnectionFile(reading: path) }
    unsafe unlink(path)
    let whole = ConnectionFile(addresses: ["192.0.2.1"], port: 7).bytes
    for bytes in [[], Array(whole.dropLast(9)), Array("{}\n".utf8), Array("nonsense\n".utf8)] {
      write(bytes)
      #expect(throws: RunnerError.connection(path, "it is damaged")) {
        try ConnectionFile(reading: path)
      }
    }
  }

  @Test func `This machine can be reached under some address`() {
    let addresses = ConnectionFile.ownAddresses()
    #expect(addresses.contains("127.0.0.1") || addresses.contains("::1"))
    #expect(!addresses.contains { $0.hasPrefix("fe80:") })
  }
}
