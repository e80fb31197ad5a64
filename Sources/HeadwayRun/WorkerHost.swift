/// A machine, or a Slurm cluster, that carries out attempts, as a user names it.
package struct WorkerHost: Hashable, Sendable {
  /// The name that stands for the Slurm cluster of this machine.
  package static let slurm = "slurm"

  /// The name for `ssh`: of a host, of its configuration, or `user@host`.
  package let name: String
  /// How many attempts it may have at once, nil for one for each of its cores.
  package var places: Int?
  /// Its memory in bytes, nil for what it says itself.
  package var memory: Int?
  /// The number of its GPUs, nil for what it says itself.
  package var gpus: Int?
  /// Words for what only some machines have.
  package var labels: [String] = []
  /// Whether each task gets a job of its own, of a Slurm cluster.
  package var hasJobPerTask = false
  /// Whether it has another file system, so that the files of tasks are copied, with `rsync`.
  package var copiesFiles = false
  /// The folder on the machine below which the files of a run are copied, nil for one in the cache of its user.
  package var folder: String?

  /// The most attempts that a machine may have at once.
  package static let mostPlaces = 10_000
  /// The most bytes of a name, more than the name of a host in the Internet can have.
  private static let mostNameBytes = 255

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
    // With a slash, it would be a URL for `ssh`.
    guard let first = name.first, first != "-", name.utf8.count <= Self.mostNameBytes,
      name.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "/" })
    else {
      throw WorkerHostError(
        reason:
          "'\(text.prefix(RunLimits.quotedCharacters))' is not the name of a host of at most \(Self.mostNameBytes) bytes"
      )
    }
    if Self.isShortAddress(name) {
      throw WorkerHostError(
        reason:
          "'\(name)' is a number, which ssh would take for the address of a host; for \(name) tasks at once, use -j\(name)"
      )
    }
    guard name != Self.slurm || places != nil else {
      throw WorkerHostError(
        reason: "'slurm' needs the number of places after a colon, such as slurm:64")
    }
    self.name = String(name)
    self.places = places
  }

  /// Whether `ssh` would take a name for an address although it is not written as one: a whole number, decimal, octal or
  /// hexadecimal, or such numbers with dots that are not four from 0 to 255.
  private static func isShortAddress(_ name: some StringProtocol) -> Bool {
    let host = name.lastIndex(of: "@").map { name[name.index(after: $0)...] } ?? name[...]
    let parts = host.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    let isNumeric = parts.allSatisfy { part in
      part.hasPrefix("0x")
        ? part.dropFirst(2).utf8.allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit }
        : part.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }
    // `010` is 8 for `ssh`.
    return isNumeric
      && !(parts.count == 4 && parts.allSatisfy { UInt8($0).map { "\($0)" } == String($0) })
  }

  /// Takes over what another description of the machine says and this one does not.
  mutating func take(_ other: WorkerHost) {
    places = places ?? other.places
    memory = memory ?? other.memory
    gpus = gpus ?? other.gpus
    if labels.isEmpty { labels = other.labels }
    hasJobPerTask = hasJobPerTask || other.hasJobPerTask
    copiesFiles = copiesFiles || other.copiesFiles
    folder = folder ?? other.folder
  }

  /// The text that ``init(_:)`` reads.
  package var text: String {
    let needsBrackets = places != nil && name.contains(":")
    return (needsBrackets ? "[\(name)]" : name) + (places.map { ":\($0)" } ?? "")
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
