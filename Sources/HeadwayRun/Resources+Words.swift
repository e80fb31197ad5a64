internal import HeadwayText

extension Resources {
  /// What a task needs beyond a CPU, in words.
  package var needWords: String {
    var words: [String] = []
    if cpus > 1 { words.append("\(cpus) CPUs") }
    if memory > 0 { words.append("\(byteCount(memory)) of memory") }
    if gpus > 0 { words.append(counted(gpus, "GPU")) }
    if let first = labels.first {
      words.append(
        labels.count == 1
          ? "the label '\(first)'"
          : "the labels \(labels.map { "'\($0)'" }.joined(separator: ", "))")
    }
    return words.isEmpty ? "1 CPU" : words.joined(separator: ", ")
  }
}
