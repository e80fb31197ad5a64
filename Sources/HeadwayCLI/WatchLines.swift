internal import HeadwayRelay
internal import HeadwayRun
internal import HeadwayText

/// Turns what publishers send into the lines of `headway watch --json`.
///
/// The lines of all connections follow each other. Those about publications are passed on as they are, but with what could
/// control a terminal escaped. The greeting of a process comes before its first publication, and answers to the requests of
/// this program are left out. A pure value.
struct WatchLines: Sendable {
  /// A connection to a process.
  private struct Connection: Sendable {
    var buffer = LineBuffer(limit: RelayLimits.eventBytes)
    /// The greeting, until it was passed on.
    var greeting: [UInt8] = []
    /// Whether nothing more of it is passed on.
    var isOver = false
  }

  /// The beginnings of the most frequent lines as publishers write them, which need no look inside.
  private static let frequent = ["progress", "progress_changed"].map {
    Array(#"{"event":"\#($0)","#.utf8)
  }

  /// Whether only what was there at the beginning is wanted.
  private let isOnce: Bool
  private var connections: [Int: Connection] = [:]

  /// Creates a state before the first byte.
  ///
  /// - Parameter isOnce: Whether only what was there at the beginning is wanted: the answer to the subscription ends it.
  init(isOnce: Bool) { self.isOnce = isOnce }

  /// Takes what a process has sent.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - number: The number of the connection.
  /// - Returns: Whole lines to print.
  /// - Complexity: O(bytes).
  mutating func take(_ bytes: ArraySlice<UInt8>, from number: Int) -> [UInt8] {
    var connection = connections.removeValue(forKey: number) ?? Connection()
    guard !connection.isOver else {
      connections[number] = connection
      return []
    }
    var output: [UInt8] = []
    connection.buffer.append(bytes)
    do {
      while !connection.isOver, let line = try connection.buffer.next() {
        read(line, &connection, into: &output)
      }
    } catch {
      connection.isOver = true
    }
    if connection.isOver { connection.buffer = LineBuffer(limit: 0) }
    connections[number] = connection
    return output
  }

  private func read(
    _ line: ArraySlice<UInt8>, _ connection: inout Connection, into output: inout [UInt8]
  ) {
    if connection.greeting.isEmpty, Self.frequent.contains(where: { line.starts(with: $0) }) {
      return Self.append(line, to: &output)
    }
    // What is not valid ends the connection.
    guard let event = try? RelayEvent(line: line) else {
      connection.isOver = true
      return
    }
    switch event {
    case .hello(let version, _, _):
      if version > RelayLimits.version { connection.isOver = true }
      Self.append(line, to: &connection.greeting)
    case .answer: if isOnce { connection.isOver = true }
    case .began, .tree, .forecast, .ended, .other:
      output += connection.greeting
      connection.greeting = []
      Self.append(line, to: &output)
    }
  }

  /// Appends a line of valid JSON with its end, so that nothing in it can control a terminal.
  private static func append(_ line: ArraySlice<UInt8>, to output: inout [UInt8]) {
    if line.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      output += line
    } else {
      for scalar in String(decoding: line, as: UTF8.self).unicodeScalars {
        if !scalar.isUnsafeInText {
          output += scalar.utf8
        } else if scalar.value < 0x20 {
          // Between two fields; inside of a text, JSON does not allow it.
          output.append(UInt8(ascii: " "))
        } else {
          for unit in scalar.utf16 {
            let digits = String(unit, radix: 16)
            output += #"\u"#.utf8
            output += repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)
            output += digits.utf8
          }
        }
      }
    }
    output.append(LineBuffer.newline)
  }

  /// The line that says that a publication was not seen to its end.
  static func lost(_ id: String, reason: String) -> [UInt8] {
    var line = JSONLine(names: [])
    line.begin()
    line.add(.event, text: "publication_lost")
    line.add(.time, seconds: .zero)
    line.add(.publication, text: id)
    line.add(.reason, text: reason)
    line.end()
    return line.bytes + [LineBuffer.newline]
  }
}
