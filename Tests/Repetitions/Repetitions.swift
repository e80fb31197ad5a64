internal import Glibc

/// Whether long tests run: `HEADWAY_REAL=1`, as in `Scripts/check --real`.
public let isLongRun = unsafe getenv("HEADWAY_REAL") != nil

/// Returns how often a test repeats something, such as random cases, rounds of threads, or kills.
///
/// - Parameters:
///   - usual: The number in `make test`: as many as it takes to notice the defects that are listed in `Tests/Mutants`.
///   - real: The number in a long run; the usual one if there is none.
///   - underSanitizer: The number under ThreadSanitizer, where code is about ten times slower; the usual one if there is
///     none.
/// - Returns: The number for this run.
public func repetitions(_ usual: Int, real: Int? = nil, underSanitizer: Int? = nil) -> Int {
  #if TSAN
    return underSanitizer ?? usual
  #else
    return isLongRun ? real ?? usual : usual
  #endif
}

/// The seeds of one part of a test whose random cases are divided into parts, which run at the same time.
///
/// - Parameters:
///   - part: The number of the part, from 0.
///   - usual: The number of seeds of each part in `make test`.
///   - real: The number in a long run.
/// - Returns: The seeds, which no other part has. Under ThreadSanitizer there are at most ten.
public func seeds(of part: Int, usual: Int, real: Int) -> Range<Int> {
  let count = repetitions(usual, real: real, underSanitizer: min(usual, 10))
  return part * count..<(part + 1) * count
}
