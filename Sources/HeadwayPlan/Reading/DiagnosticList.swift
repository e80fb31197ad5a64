internal import HeadwayText

/// Collects the diagnostics of a file while it is read: the first ones by location, and the number of all.
///
/// A location has at most one diagnostic. Whatever is found there later is a consequence of the first, or was
/// reached again through an alias.
struct DiagnosticList {
  /// The diagnostics kept so far, unordered and without their source lines.
  private var kept: [PlanDiagnostic] = []
  /// The locations that have a diagnostic.
  private var locations: Set<UInt64> = []
  /// The first line whose diagnostics are ignored.
  private var firstIgnoredLine = Int.max

  /// The number of all diagnostics.
  var count: Int { locations.count }
  /// Whether enough are known to fill the report, so that costly suggestions can be skipped.
  var isFull: Bool { count >= PlanLimits.diagnostics }

  /// Adds a diagnostic unless its location already has one.
  mutating func add(line: Int, column: Int, _ message: @autoclosure () -> String) {
    guard line < firstIgnoredLine else { return }
    let location = UInt64(UInt32(clamping: line)) << 32 | UInt64(UInt32(clamping: column))
    guard locations.insert(location).inserted else { return }
    // Messages quote the file, which may contain anything.
    kept.append(PlanDiagnostic(line: line, column: column, message: message().sanitized))
    // Three quarters are dropped at a time, so each diagnostic is sorted only a few times.
    if kept.count >= 4 * PlanLimits.diagnostics { kept = first() }
  }

  /// Ignores diagnostics from a line on, where the text was not read as it was meant.
  mutating func ignore(from line: Int) { firstIgnoredLine = min(firstIgnoredLine, max(line, 1)) }

  /// Returns the diagnostics to report, in the order of the file.
  func first() -> [PlanDiagnostic] {
    let sorted = kept.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    return Array(sorted.prefix(PlanLimits.diagnostics))
  }
}
