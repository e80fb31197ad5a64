public import Foundation
public import HeadwayProgress

/// A format style that describes progress in English or Simplified Chinese, for the text beside a bar.
///
/// ```swift
/// let snapshot = node.snapshot()
/// snapshot.formatted(.progress())             // "40% completed"
/// snapshot.formatted(.progress(.details))     // "1.2 MB of 3.4 MB – 5 seconds remaining"
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
public struct ProgressFormatStyle: FormatStyle {
  /// One of the two lines.
  public enum Line: String, Codable, Hashable, Sendable, CaseIterable {
    /// The label, or a phrase such as "40% completed" or "Downloading 4 files…".
    case summary
    /// The detail, or a phrase such as "3 of 6" or "1.2 MB of 3.4 MB – 5 seconds remaining".
    ///
    /// While the work is paused, it begins with "Paused – ". If the first line is a label, a cancelled node has
    /// "Cancelling… – " or "Cancelled – " here.
    case details
  }

  /// The line to format.
  public var line: Line
  /// The locale that determines the language and the format of numbers.
  public var locale: Locale

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - line: The line to format.
  ///   - locale: The locale that determines the language and the format of numbers.
  public init(_ line: Line = .summary, locale: Locale = .autoupdatingCurrent) {
    self.line = line
    self.locale = locale
  }

  /// Describes a snapshot.
  ///
  /// - Parameter snapshot: The snapshot.
  /// - Returns: One line without a line break; details can be empty.
  public func format(_ snapshot: ProgressSnapshot) -> String {
    let numbers = ProgressNumbers(locale: locale)
    let formatter = ProgressFormatter(words: ProgressLanguage(locale).words, numbers: numbers)
    switch line {
    case .summary: return formatter.summary(of: snapshot)
    case .details: return formatter.details(of: snapshot)
    }
  }

  /// Returns the same style for another locale.
  ///
  /// - Parameter locale: The locale.
  /// - Returns: The new style.
  public func locale(_ locale: Locale) -> ProgressFormatStyle {
    ProgressFormatStyle(line, locale: locale)
  }
}

extension FormatStyle where Self == ProgressFormatStyle {
  /// A style that describes progress in the user's locale.
  ///
  /// - Parameter line: The line to format.
  /// - Returns: The style.
  public static func progress(_ line: ProgressFormatStyle.Line = .summary) -> ProgressFormatStyle {
    ProgressFormatStyle(line)
  }
}

extension ProgressSnapshot {
  /// Formats the snapshot with a style.
  ///
  /// - Parameter style: The style, such as `.progress()`.
  /// - Returns: The formatted snapshot.
  public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput
  where Style.FormatInput == ProgressSnapshot {
    style.format(self)
  }

  /// Describes the work in one line: the label, or a phrase such as "40% completed" or "Downloading 4 files…".
  ///
  /// - Parameter locale: The locale that determines the language and the format of numbers.
  /// - Returns: A line, never empty.
  public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String {
    ProgressFormatStyle(.summary, locale: locale).format(self)
  }

  /// Describes the counts in one line: the detail, or a phrase such as "3 of 6".
  ///
  /// - Parameter locale: The locale that determines the language and the format of numbers.
  /// - Returns: A line, which can be empty.
  public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String {
    ProgressFormatStyle(.details, locale: locale).format(self)
  }
}

extension ProgressNode {
  /// Describes the work in one line; see `ProgressSnapshot.localizedDescription(locale:)`.
  ///
  /// - Parameter locale: The locale that determines the language and the format of numbers.
  /// - Returns: A line, never empty.
  /// - Complexity: That of a snapshot of one node.
  public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String {
    snapshot(limit: 1).localizedDescription(locale: locale)
  }

  /// Describes the counts in one line; see ``ProgressFormatStyle/Line/details``.
  ///
  /// - Parameter locale: The locale that determines the language and the format of numbers.
  /// - Returns: A line, which can be empty.
  /// - Complexity: That of a snapshot of one node.
  public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String {
    snapshot(limit: 1).localizedAdditionalDescription(locale: locale)
  }
}
