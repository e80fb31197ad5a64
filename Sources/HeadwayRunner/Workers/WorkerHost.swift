/// A machine that carries out attempts, as a user names it.
package struct WorkerHost: Hashable, Sendable {
  /// The name for `ssh`: of a host, of its configuration, or `user@host`.
  package let name: String
  /// How many attempts it may have at once, nil for one for each of its cores.
  package let places: Int?

  /// The most attempts that a machine may have at once.
  package static let mostPlaces = 10_000

  /// Reads `host` or `host:8`.
  ///
  /// - Parameter text: The text.
  /// - Throws: `WorkerHostError` if it is not such a text.
  package init(_ text: some StringProtocol) throws(WorkerHostError) {
    var name = text[...]
    var places: Int?
    // An address of IPv6 has colons of its own, so it needs brackets before the number.
    if let colon = text.lastIndex(of: ":"), !text[..<colon].contains(":") || text.contains("]") {
      guard let count = Int(text[text.index(after: colon)...]), (1...Self.mostPlaces) ~= count
      else {
        throw WorkerHostError(
          reason: "'\(text)': after the colon comes a whole number from 1 to \(Self.mostPlaces)")
      }
      places = count
      name = text[..<colon]
    }
    if name.first == "[", name.last == "]" { name = name.dropFirst().dropLast() }
    guard let first = name.first, first != "-",
      name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
    else {
      throw WorkerHostError(reason: "'\(text)' is not the name of a host")
    }
    self.name = String(name)
    self.places = places
  }

  /// Reads a list such as `host1,user@host2:8`.
  ///
  /// - Parameter text: The text.
  /// - Returns: The machines, in this order.
  /// - Throws: `WorkerHostError`, also if a host is named twice.
  package static func list(_ text: String) throws(WorkerHostError) -> [WorkerHost] {
    var hosts: [WorkerHost] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let host = try WorkerHost(part)
      if hosts.contains(where: { $0.name == host.name }) {
        throw WorkerHostError(reason: "the host '\(host.name)' is named twice")
      }
      hosts.append(host)
    }
    return hosts
  }
}

/// A text does not name a machine.
package struct WorkerHostError: Error, Hashable, Sendable {
  /// What is wrong with it, for the user.
  package let reason: String
}
