internal import HeadwayText

/// The words that a board adds to the texts of its bars, in the language of the user.
package struct BoardWords: Sendable {
  let language: TerminalLanguage

  /// Creates the words of a language.
  package init(language: TerminalLanguage) { self.language = language }

  // MARK: Beside a bar

  /// The speed of work: `1.2 MB/s`, `12/min`.
  ///
  /// - Parameters:
  ///   - rate: The units in a second, above 0.
  ///   - isBytes: Whether the units are bytes.
  /// - Returns: The text.
  func speed(_ rate: Double, isBytes: Bool) -> String {
    if isBytes { return "\(byteCount(Int(min(max(rate, 1), 1e18))))/\(name(of: .second))" }
    let (number, time) = rateNumber(rate)
    return "\(number)/\(name(of: time))"
  }

  /// The remaining time: `4 s left`, `1 h 5 min left`.
  func left(_ amount: TimeAmount) -> String {
    language == .chinese ? "剩余 \(text(of: amount))" : "\(text(of: amount)) left"
  }

  /// The time since the last progress, if it is long: `no progress for 12 s`.
  func noProgress(for amount: TimeAmount) -> String {
    language == .chinese ? "已 \(text(of: amount))无进展" : "no progress for \(text(of: amount))"
  }

  private func text(of amount: TimeAmount) -> String {
    guard language == .chinese else { return amount.text(isShort: false) }
    let parts =
      [(amount.first, amount.unit)] + (amount.unit.below.map { [(amount.second, $0)] } ?? [])
    let texts = parts.enumerated().filter { $0.offset == 0 || $0.element.0 > 0 }
      .map { "\($0.element.0) \(chineseName(of: $0.element.1))" }
    return texts.joined(separator: " ")
  }

  /// A pause.
  var paused: String { language == .chinese ? "已暂停" : "paused" }

  /// Work that was cancelled.
  var cancelled: String { language == .chinese ? "已取消" : "cancelled" }

  /// The bars for which there is no room.
  func more(_ count: Int) -> String {
    language == .chinese ? "还有 \(count) 项" : "and \(count) more"
  }

  /// The unit of time after a slash.
  private func name(of unit: TimeAmount.Unit) -> String {
    language == .chinese ? chineseName(of: unit) : unit.name(isShort: false)
  }

  private func chineseName(of unit: TimeAmount.Unit) -> String {
    switch unit {
    case .second: "秒"
    case .minute: "分钟"
    case .hour: "小时"
    case .day: "天"
    }
  }

  // MARK: Lines

  /// A line about a bar.
  func line(_ label: String, _ text: String) -> String {
    language == .chinese ? "\(label)：\(text)" : "\(label): \(text)"
  }

  /// The label of a bar in a line, after those of the bars around it: `albums > first`.
  func path(_ labels: [String]) -> String { labels.joined(separator: " > ") }

  /// The text between two facts of a line.
  var comma: String { language == .chinese ? "，" : ", " }

  /// Work of an unknown length in a line.
  func stillRunning(_ time: String) -> String {
    language == .chinese ? "仍在进行，\(time)" : "still running, \(time)"
  }

  /// The end of a bar in a line, with the time that it took.
  func ended(_ outcome: BarBoard.Outcome, after time: String) -> String {
    switch (outcome, language) {
    case (.failed, .english): "failed after \(time)"
    case (.stopped, .english): "stopped after \(time)"
    case (_, .english): "done in \(time)"
    case (.failed, .chinese): "失败，用时 \(time)"
    case (.stopped, .chinese): "已停止，用时 \(time)"
    case (_, .chinese): "完成，用时 \(time)"
    }
  }

  /// The end of a bar that its mark alone does not tell, nil if it does.
  func ending(_ outcome: BarBoard.Outcome) -> String? {
    guard outcome == .stopped else { return nil }
    return language == .chinese ? "已停止" : "stopped"
  }
}
