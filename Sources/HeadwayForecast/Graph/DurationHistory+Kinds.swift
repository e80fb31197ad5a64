extension DurationHistory.Kind {
  /// Summarizes the durations of some tasks of a kind; nil if there are none.
  ///
  /// The spread of a single duration is zero.
  ///
  /// - Parameters:
  ///   - name: The name of the kind.
  ///   - durations: A duration of each task; very short ones count as a few milliseconds.
  package init?(name: String, durations: [Duration]) {
    if durations.isEmpty { return nil }
    let least = ForecastParameters().minimumDuration
    let values = durations.map { Logarithms.log(max($0.nonnegativeSeconds, least)) }
    let mean = values.reduce(0, +) / Double(values.count)
    let square = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    self.init(
      name: name, typical: Duration(clamping: Logarithms.exp(mean)),
      spread: (square / Double(max(1, values.count - 1))).root, count: values.count)
  }
}
