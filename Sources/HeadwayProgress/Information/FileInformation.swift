/// The keys of the values that surfaces know.
///
/// What a node sets stands for all that is below it, but for ``FilePath``; where a node sets nothing, what those below
/// have becomes one. So a function may say what it knows of its own part, and its caller what it knows of the whole.
public enum ProgressKeys {
  /// The number of files of the work.
  public enum TotalFileCount: ProgressKey {
    /// A node that knows it knows it of all that is below.
    public static var coversSubtree: Bool { true }

    /// Adds numbers of files, at most `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }
  }

  /// The number of files that are done.
  public enum CompletedFileCount: ProgressKey {
    /// A node that knows it knows it of all that is below.
    public static var coversSubtree: Bool { true }

    /// Adds numbers of files, at most `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }
  }

  /// The number of bytes of the work; that of a node which counts bytes is its total.
  public enum TotalByteCount: ProgressKey {
    /// A node that knows it knows it of all that is below.
    public static var coversSubtree: Bool { true }

    /// Adds numbers of bytes, at most `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }

    /// The total of a node that counts bytes.
    public static func value(ofBytes completed: Int, total: Int?) -> Int? { total }
  }

  /// The number of bytes that are done; that of a node which counts bytes is its count.
  public enum CompletedByteCount: ProgressKey {
    /// A node that knows it knows it of all that is below.
    public static var coversSubtree: Bool { true }

    /// Adds numbers of bytes, at most `Int.max`.
    public static func combined(_ left: Int, _ right: Int) -> Int { clampedSum(left, right) }

    /// The count of a node that counts bytes.
    public static func value(ofBytes completed: Int, total: Int?) -> Int? { completed }
  }

  /// Units a second, as the worker has measured it; of several nodes at work, together.
  public enum Throughput: ProgressKey {
    /// A node that knows it knows it of all that is below.
    public static var coversSubtree: Bool { true }

    /// Adds rates.
    public static func combined(_ left: Double, _ right: Double) -> Double { left + right }

    /// What has finished is no longer at work.
    public static func kept(_ sum: Double) -> Double? { nil }
  }

  /// The time that the work still takes, as the worker sees it; of several nodes the longest.
  public enum RemainingTime: ProgressKey {
    /// A node that knows it knows it of all that is below.
    public static var coversSubtree: Bool { true }

    /// The longer of two times.
    public static func combined(_ left: Duration, _ right: Duration) -> Duration {
      max(left, right)
    }

    /// What has finished takes no more time.
    public static func kept(_ sum: Duration) -> Duration? { nil }
  }

  /// The path of the file that the work is about; of several nodes all that are at work, in any order.
  public enum FilePath: ProgressKey {
    /// A list of one path.
    public static func sum(of value: String) -> [String] { [value] }

    /// One list after the other.
    public static func combined(_ left: consuming [String], _ right: [String]) -> [String] {
      left += right
      return left
    }

    /// What has finished is no longer at work.
    public static func kept(_ sum: [String]) -> [String]? { nil }
  }

  /// Adds two numbers, at most `Int.max`.
  private static func clampedSum(_ left: Int, _ right: Int) -> Int {
    let (sum, isTooMany) = left.addingReportingOverflow(right)
    return isTooMany ? (left > 0 ? .max : .min) : sum
  }
}
