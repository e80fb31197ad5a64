/// The keys of the values that HeadwayFoundation can put into words.
///
/// Except under ``FilePath``, the value of a node stands for its whole subtree; without one, the values of its
/// descendants are combined. So a function can set the values of its own part, and its caller those of the whole.
///
/// ```swift
/// let copy = ProgressNode("Photos", total: 100)
/// copy[ProgressKeys.TotalFileCount.self] = 12
/// copy[ProgressKeys.CompletedFileCount.self] = 3
/// copy[ProgressKeys.TotalByteCount.self] = 4_000_000
/// copy[ProgressKeys.CompletedByteCount.self] = 1_000_000
/// copy[ProgressKeys.RemainingTime.self] = .seconds(9)
/// copy[ProgressKeys.FilePath.self] = "photos/3.jpg"
/// let files = copy.sum(of: ProgressKeys.FilePath.self)  // ["photos/3.jpg"]
/// ```
public enum ProgressKeys {
  /// The number of files of the work.
  public enum TotalFileCount: ProgressKey {
    /// The value of a node stands for its subtree.
    public static var coversSubtree: Bool { true }

    /// Adds two numbers, limited to `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }
  }

  /// The number of completed files.
  public enum CompletedFileCount: ProgressKey {
    /// The value of a node stands for its subtree.
    public static var coversSubtree: Bool { true }

    /// Adds two numbers, limited to `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }
  }

  /// The number of bytes of the work; for a node that counts bytes, its total.
  public enum TotalByteCount: ProgressKey {
    /// The value of a node stands for its subtree.
    public static var coversSubtree: Bool { true }

    /// Adds two numbers, limited to `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }
  }

  /// The number of completed bytes; for a node that counts bytes, its count.
  public enum CompletedByteCount: ProgressKey {
    /// The value of a node stands for its subtree.
    public static var coversSubtree: Bool { true }

    /// Adds two numbers, limited to `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }
  }

  /// The units per second that a worker has measured; for several nodes, the total rate.
  public enum Throughput: ProgressKey {
    /// The value of a node stands for its subtree.
    public static var coversSubtree: Bool { true }

    /// Adds two rates.
    public static func combined(_ left: Double, _ right: Double) -> Double { left + right }

    /// Finished work has no rate.
    public static func finalSum(_ sum: Double) -> Double? { nil }
  }

  /// The remaining time that a worker expects; for several nodes, the longest.
  public enum RemainingTime: ProgressKey {
    /// The value of a node stands for its subtree.
    public static var coversSubtree: Bool { true }

    /// Returns the longer of two times.
    public static func combined(_ left: Duration, _ right: Duration) -> Duration {
      max(left, right)
    }

    /// Finished work has no remaining time.
    public static func finalSum(_ sum: Duration) -> Duration? { nil }
  }

  /// The path of the file that is being processed; for several nodes, all of them in any order.
  public enum FilePath: ProgressKey {
    /// Returns a list of one path.
    public static func sum(of value: String) -> [String] { [value] }

    /// Concatenates two lists.
    public static func combined(_ left: consuming [String], _ right: [String]) -> [String] {
      left += right
      return left
    }

    /// Finished work processes no file.
    public static func finalSum(_ sum: [String]) -> [String]? { nil }
  }

  private static func clampedSum(_ left: Int, _ right: Int) -> Int {
    let (sum, overflows) = left.addingReportingOverflow(right)
    return overflows ? (left > 0 ? .max : .min) : sum
  }
}
