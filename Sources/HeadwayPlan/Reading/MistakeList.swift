/// The mistakes of a file while it is being read: the first ones by place, and the number of all.
///
/// A place tells one mistake. What is found there later follows from it, or was reached through an alias again.
struct MistakeList {
  /// A mistake before it has its source line.
  struct Finding {
    /// The line, from 1; 0 for the file as a whole.
    var line: Int
    /// The column in characters, from 1.
    var column: Int
    /// What is wrong and what to do about it.
    var message: String
  }

  /// The mistakes that are kept, in no order.
  private var findings: [Finding] = []
  /// The places that have told a mistake.
  private var places: Set<UInt64> = []

  /// The first line that tells no more mistakes.
  private var silence = Int.max

  /// The number of all mistakes.
  var count: Int { places.count }
  /// Whether as many are known as will be told, so that costly advice can be left out.
  var isFull: Bool { count >= PlanLimits.mistakes }

  /// Adds a mistake, unless its place has told one.
  mutating func add(line: Int, column: Int, _ message: @autoclosure () -> String) {
    guard line < silence else { return }
    let place = UInt64(UInt32(clamping: line)) << 32 | UInt64(UInt32(clamping: column))
    guard places.insert(place).inserted else { return }
    // Messages quote the file, which may hold anything.
    findings.append(Finding(line: line, column: column, message: visible(message())))
    // Half of what is kept goes at a time, so each mistake is sorted a few times at most.
    if findings.count >= 4 * PlanLimits.mistakes { findings = first() }
  }

  /// Tells no more mistakes from a line on, as what was read there is not what was meant.
  mutating func silence(from line: Int) { silence = min(silence, max(line, 1)) }

  /// Gives the mistakes to tell, in the order of the file.
  func first() -> [Finding] {
    let sorted = findings.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    return Array(sorted.prefix(PlanLimits.mistakes))
  }
}
