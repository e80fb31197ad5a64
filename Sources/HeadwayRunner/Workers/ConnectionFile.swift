internal import CTLS
internal import HeadwayLibc
internal import HeadwayRun
internal import HeadwaySystem

/// Where the workers of a run connect to over TCP, and the key by which both ends know each other.
///
/// It is a file that only its user can read, because whoever has the key can take part in the run.
struct ConnectionFile: Hashable, Sendable {
  /// The name of the file in the folder of the run.
  static let name = "connection.json"
  /// The most bytes of the file.
  private static let mostBytes = 1 << 16
  /// The permissions of the others, which a file with a key must not have.
  private static let permissionsOfOthers: UInt16 = 0o077

  /// The names of the fields.
  private enum Name {
    static let addresses = "addresses"
    static let port = "port"
    static let key = "key"
  }

  /// The numeric addresses of the machine of the run, the one to try first at the beginning.
  let addresses: [String]
  let port: UInt16
  /// The key; `HW_TLS_KEY_SIZE` bytes.
  let key: [UInt8]

  /// Creates the contents of a file, with a new key.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of this machine.
  ///   - port: The port.
  init(addresses: [String], port: UInt16) {
    (self.addresses, self.port) = (addresses, port)
    var random = SystemRandomNumberGenerator()
    key = (0..<Int(HW_TLS_KEY_SIZE)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// The contents of the file: a line of JSON.
  var bytes: [UInt8] {
    var line = JSONLine(names: [])
    line.begin()
    line.add(named: Name.addresses, texts: addresses)
    line.add(named: Name.port, number: Int(port))
    line.add(named: Name.key, texts: key.map { String($0, radix: 16) })
    line.end()
    return line.bytes + [UInt8(ascii: "\n")]
  }

  /// Reads the contents of a file; nil if they are damaged.
  ///
  /// - Parameter bytes: The bytes.
  init?(_ bytes: [UInt8]) {
    guard let fields = try? JSONObject(bytes.dropLast()),
      let addresses = try? fields.texts(Name.addresses),
      let port = (try? fields.number(Name.port)).flatMap({ UInt16(exactly: $0) }),
      let key = try? fields.texts(Name.key).compactMap({ UInt8($0, radix: 16) }),
      key.count == Int(HW_TLS_KEY_SIZE)
    else { return nil }
    (self.addresses, self.port, self.key) = (addresses, port, key)
  }

  /// Reads a file that is this user's, and that nobody else may read.
  ///
  /// - Parameter path: Its path.
  /// - Throws: `RunnerError.connection`.
  init(reading path: String) throws(RunnerError) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .connection(path, errorDescription(errno)) }
    defer { close(file) }
    guard let status = FileStatus(descriptor: file) else {
      throw .connection(path, errorDescription(errno))
    }
    guard status.owner == geteuid(), status.permissions & Self.permissionsOfOthers == 0 else {
      throw .connection(path, "others may read or replace it, so its key is not secret")
    }
    guard let file = ConnectionFile(readAll(file, limit: Self.mostBytes).bytes) else {
      throw .connection(path, "it is damaged")
    }
    self = file
  }

  /// The numeric addresses of this machine under which others may reach it.
  static func ownAddresses() -> [String] {
    final class List { var addresses: [String] = [] }
    let list = List()
    // The function is not called after this one has returned.
    let context = unsafe Unmanaged.passUnretained(list).toOpaque()
    _ = unsafe hw_tcp_each_address(
      { context, address in
        guard let context = unsafe context, let address = unsafe address else { return }
        unsafe Unmanaged<List>.fromOpaque(context).takeUnretainedValue().addresses.append(
          String(cString: address))
      }, context)
    return list.addresses
  }
}
