public import Foundation
public import HeadwayProgress

/// Puts progress into the words that people read beside a bar, in English or Simplified Chinese.
///
/// ```swift
/// let snapshot = node.snapshot()
/// snapshot.formatted(.progress())             // "40% completed"
/// snapshot.formatted(.progress(.details))     // "1.2 MB of 3.4 MB – 5 seconds remaining"
/// ```
///
/// The forms are those of Foundation's `NSProgress`. A locale of Simplified Chinese gives that, every other
/// one English, those of Traditional Chinese among them; numbers, percentages and sizes are always written as
/// the locale has it. A percentage is rounded down, so that 100 % is read only when the work has finished.
///
/// The percentage is that of the shown fraction, which never goes back; the second line has the counts as
/// they are. The two differ after `takeBack(_:)` and when a total grows: "75% completed" beside "3 of 6"
/// until the counts have caught up.
///
/// The remaining time is what the node itself says, as the work below may know its own part alone. The speed
/// is the sum of that of the node and of all work below.
///
/// A value; safe from any thread.
public struct ProgressFormatStyle: FormatStyle {
  /// Which of the two lines.
  public enum Line: String, Codable, Hashable, Sendable, CaseIterable {
    /// What is done: the label, or else "40% completed", "Downloading 4 files…" and the like.
    case summary
    /// How far it is: the detail, or else "3 of 6", "1.2 MB of 3.4 MB – 5 seconds remaining" and the like.
    ///
    /// "Paused – " stands before it while the work waits; where a label takes the place of "Cancelling…" and
    /// "Cancelled" in the first line, these stand there as well.
    case details
  }

  /// Which line to write.
  public var line: Line
  /// Decides the language and how numbers are written.
  public var locale: Locale

  /// Creates a style.
  ///
  /// - Parameters:
  ///   - line: Which of the two lines to write.
  ///   - locale: Decides the language and how numbers are written.
  public init(_ line: Line = .summary, locale: Locale = .autoupdatingCurrent) {
    self.line = line
    self.locale = locale
  }

  /// Puts a snapshot into words.
  ///
  /// - Parameter snapshot: What to describe.
  /// - Returns: One line without an end; details are empty where there is nothing to say.
  public func format(_ snapshot: ProgressSnapshot) -> String {
    let numbers = ProgressNumbers(locale: locale)
    let speaker = ProgressSpeaker(words: ProgressLanguage(locale).words, numbers: numbers)
    switch line {
    case .summary: return speaker.summary(of: snapshot)
    case .details: return speaker.details(of: snapshot)
    }
  }

  /// The same style in another locale.
  ///
  /// - Parameter locale: Decides the language and how numbers are written.
  /// - Returns: The style.
  public func locale(_ locale: Locale) -> ProgressFormatStyle {
    ProgressFormatStyle(line, locale: locale)
  }
}

extension FormatStyle where Self == ProgressFormatStyle {
  /// The words that people read beside a bar.
  ///
  /// - Parameter line: Which of the two lines to write.
  /// - Returns: A style for the locale of the user.
  public static func progress(_ line: ProgressFormatStyle.Line = .summary) -> ProgressFormatStyle {
    ProgressFormatStyle(line)
  }
}

extension ProgressSnapshot {
  /// Formats the snapshot with a style.
  ///
  /// - Parameter style: How, such as `.progress()`.
  /// - Returns: What the style makes of it.
  public func formatted<Style: FormatStyle>(_ style: Style) -> Style.FormatOutput
  where Style.FormatInput == ProgressSnapshot {
    style.format(self)
  }

  /// What is done in one line: the label, or else "40% completed", "Downloading 4 files…" and the like.
  ///
  /// - Parameter locale: Decides the language and how numbers are written.
  /// - Returns: A line that is not empty.
  public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String {
    ProgressFormatStyle(.summary, locale: locale).format(self)
  }

  /// How far it is in one line: the detail, or else "3 of 6", "1.2 MB of 3.4 MB – 5 seconds remaining" and
  /// the like.
  ///
  /// - Parameter locale: Decides the language and how numbers are written.
  /// - Returns: A line, empty when there is nothing to say.
  public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String {
    ProgressFormatStyle(.details, locale: locale).format(self)
  }
}

extension ProgressNode {
  /// What is done in one line, at this moment; see `ProgressSnapshot.localizedDescription(locale:)`.
  ///
  /// - Parameter locale: Decides the language and how numbers are written.
  /// - Returns: A line that is not empty.
  /// - Complexity: That of a snapshot of one node.
  public func localizedDescription(locale: Locale = .autoupdatingCurrent) -> String {
    snapshot(limit: 1).localizedDescription(locale: locale)
  }

  /// How far it is in one line, at this moment; see ``ProgressFormatStyle/Line/details``.
  ///
  /// - Parameter locale: Decides the language and how numbers are written.
  /// - Returns: A line, empty when there is nothing to say.
  /// - Complexity: That of a snapshot of one node.
  public func localizedAdditionalDescription(locale: Locale = .autoupdatingCurrent) -> String {
    snapshot(limit: 1).localizedAdditionalDescription(locale: locale)
  }
}
