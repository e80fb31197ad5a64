/// Decides which typed bytes are keys of the program, and which belong to the shell.
///
/// ```
///   waiting ── Tab, and nothing typed before it ──▶ active ── Esc, Enter, ten seconds ──▶ waiting
///      │                                              │
///      └─ anything else: a line for the shell ──▶ kept  └─ another key ──▶ ignoring ── Enter, three seconds ──▶ waiting
/// ```
///
/// While it waits, the terminal keeps what is typed, and nothing is read: the shell gets it after the program. A key that
/// means nothing ends the session, and the rest of its line is ignored, so that no half of a command is left. A pure value.
package struct KeySession: Hashable, Sendable {
  /// What happens with what is typed.
  package enum Phase: Hashable, Sendable {
    /// No keys can be typed.
    case off
    /// Nothing is read until the first key is Tab.
    case waiting
    /// Keys are read.
    case active
    /// The rest of a line is read and ignored.
    case ignoring
    /// The terminal has a line for the shell, so nothing is read any more.
    case kept
  }

  /// The key that makes others count: nobody types it first on a line that is meant for a shell.
  package static let request = UInt8(ascii: "\t")
  /// How long keys count after the last one.
  static let timeout = Duration.seconds(10)
  /// How long the rest of a line is ignored after its last byte.
  static let ignoringTimeout = Duration.seconds(3)
  /// The keys by which people leave.
  private static let endKeys: [UInt8] = [0x1B, 0x0A, 0x0D]

  /// What happens with what is typed.
  package private(set) var phase = Phase.off
  /// The keys of the program.
  private let keys: Set<UInt8>
  /// The time of the latest key.
  private var latest = Duration.zero

  /// Creates a session that is off.
  ///
  /// - Parameter keys: The keys of the program; Tab is one in any case.
  package init(keys: Set<UInt8>) { self.keys = keys.union([Self.request]) }

  /// Begins to wait, or ends everything.
  package mutating func begin(_ canRead: Bool) { phase = canRead ? .waiting : .off }

  /// Decides, while waiting, whether the bytes that can be read are read.
  ///
  /// - Parameter count: How many can be read: up to the last end of a line, or Tab.
  /// - Returns: Whether to read one byte.
  mutating func readsFirst(of count: Int) -> Bool {
    // One byte is Tab or an empty line. More of them are a line that the shell will get.
    guard phase == .waiting, count != 1 else { return phase == .waiting }
    phase = .kept
    return false
  }

  /// Takes bytes that were read.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - now: The time since the work began.
  /// - Returns: The keys of the program among them.
  mutating func take(_ bytes: [UInt8], at now: Duration) -> [UInt8] {
    var found: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      latest = now
      switch phase {
      case .off, .kept: return found
      case .waiting where byte == Self.request:
        phase = .active
        found.append(byte)
      case .waiting: break
      case .ignoring: if byte == 0x0A || byte == 0x0D { phase = .waiting }
      case .active:
        if byte == 0x1B, rest.first == UInt8(ascii: "[") {
          // A key such as an arrow, which means nothing.
          rest = rest.dropFirst().drop { !(0x40...0x7E).contains($0) }.dropFirst()
        } else if Self.endKeys.contains(byte) {
          phase = .waiting
        } else if keys.contains(byte) {
          found.append(byte)
        } else {
          phase = .ignoring
        }
      }
    }
    return found
  }

  /// Leaves after some time without a key.
  mutating func advance(to now: Duration) {
    let limit = phase == .ignoring ? Self.ignoringTimeout : Self.timeout
    if phase == .active || phase == .ignoring, now - latest > limit { phase = .waiting }
  }
}
