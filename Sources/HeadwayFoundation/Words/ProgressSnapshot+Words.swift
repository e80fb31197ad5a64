public import Foundation
public import HeadwayProgress

/// Two lines of text beside a bar, in English or Simplified Chinese.
///
/// ```swift
/// let snapshot = node.snapshot()
/// snapshot.localizedDescription()             // "40% completed"
/// snapshot.localizedAdditionalDescription()   // "1.2 MB of 3.4 MB – 5 seconds remaining"
/// ```
///
/// The phrases are those of Foundation's `NSProgress`. The language is Simplified Chinese for its locales and English
/// for all others, including Traditional Chinese; numbers, percentages and sizes follow the locale. Percentages are
/// rounded down, so that 100% means that the work has finished.
///
/// The percentage is that of the shown fraction, which never goes back, while the second line has the current counts.
/// The two differ after `takeBack(_:)` and when a total grows: "75% completed" beside "3 of 6".
///
/// The remaining time is the one that was set on the node itself, as descendants only know their own parts. The speed
/// is the sum over the node and its descendants.
extension ProgressSnapshot {
  /// Describes the work in one line: the label, or a phrase such as "40% completed" or "Downloading 4 files…".
  ///
  /// - Parameter locale: The locale that determines the language and the format of numbers.
  /// - Returns: A line, never empty.
  public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String {
    ProgressFormatter(locale).summary(of: self)
  }

  /// Describes the counts in one line: the detail, or a phrase such as "3 of 6".
  ///
  /// While the work is paused, it begins with "Paused – ". If the first line is a label, a cancelled node has
  /// "Cancelling… – " or "Cancelled – " here.
  ///
  /// - Parameter locale: The locale that determines the language and the format of numbers.
  /// - Returns: A line, which can be empty.
  public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String {
    ProgressFormatter(locale).details(of: self)
  }
}
