internal import HeadwaySystem

/// The run in one of whose tasks this program was started.
///
/// A run inside of another one is a part of it: its task shows it, it takes part in the lock of the plan, and commands that take
/// the newest run take the outer one.
///
/// ```
///   build 20261121-101500-4711 ── task 0 ── headway run gen ── gen 20261121-101501-4712
///         HEADWAY_TASK_ID=20261121-101500-4711.0                    …4711.0/20261121-101501-4712.0
/// ```
package struct OuterRun: Hashable, Sendable {
  /// The names of the runs around this one, the outermost first.
  package let runs: [String]

  /// Reads the contents of `HEADWAY_TASK_ID`; nil if they have another form.
  package init?(identity: String) {
    runs = identity.split(separator: "/").compactMap { part in
      // The mark of services stands after the name.
      let name = String(part.prefix { $0 != "." && $0 != "+" })
      return StateFolder.processNumber(of: name) == nil ? nil : name
    }
    if runs.isEmpty { return nil }
  }
}

extension RunFolder {
  /// The file with the name of the run in one of whose tasks this one was started.
  static let outerName = "outer"
  /// The maximum number of bytes of such a name.
  private static let maxOuterBytes = 64

  /// The name of the outermost run of the same state folder inside of which this one was started, nil for a run of its own.
  package var outer: String? {
    guard directory.hasFile(Self.outerName) else { return nil }
    let bytes = directory.contents(of: Self.outerName, most: Self.maxOuterBytes)
    return String(validating: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  /// The runs of a list that are not inside of others, or all of them if all are.
  package static func ownRuns(_ folders: [RunFolder]) -> [RunFolder] {
    let own = folders.filter { $0.outer == nil }
    return own.isEmpty ? folders : own
  }
}
