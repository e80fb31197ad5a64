extension Plan {
  /// Reads a plan file.
  ///
  /// The function is pure: it reads no file and no environment. A mistake does not end the reading, so all
  /// mistakes of a file are told at once; only text that is not YAML ends it, after what was found before.
  ///
  /// - Parameters:
  ///   - bytes: The file, as UTF-8.
  ///   - file: The name of the file, for the name of the plan and for messages.
  /// - Returns: The plan, with every name resolved.
  /// - Throws: `PlanMistakes` with every mistake of the file.
  /// - Complexity: O(*n*) for *n* bytes, except that wrong names cost a search of the right ones.
  package static func read(
    _ bytes: [UInt8], file: String
  ) throws(PlanMistakes) -> Plan {
    guard bytes.count <= PlanLimits.fileBytes else {
      let size = "\(PlanLimits.fileBytes >> 20) MiB"
      let message = "the file is larger than \(size); split the plan, or move data out of it"
      throw PlanMistakes(
        file: file, [MistakeList.Finding(line: 0, column: 0, message: message)], of: 1, in: [])
    }
    // A byte order mark is no part of the text.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    let reading = YAMLReading(text)
    var reader = PlanReader(tree: reading.tree, bytes: text, mistakes: reading.mistakes)
    if let problem = reading.problem {
      let advice = problem.advice(in: reader.source)
      reader.mistakes.add(line: advice.line, column: advice.column, advice.message)
      // The last value may be part of what went wrong.
      let last = Int(reading.tree.nodes.last?.line ?? 1)
      reader.mistakes.silence(from: min(last, advice.line))
    }
    if !reading.isOver { reader.read() }
    guard reader.mistakes.count == 0 else {
      throw PlanMistakes(file: file, reader.mistakes.first(), of: reader.mistakes.count, in: text)
    }
    return Plan(
      name: reader.name ?? baseName(of: file), workers: reader.workers,
      pools: reader.pools,
      tasks: reader.tasks)
  }

  /// Gives the name of a file without its folder and its ending.
  private static func baseName(of file: String) -> String {
    let name = file.split(separator: "/").last ?? "plan"
    guard let point = name.lastIndex(of: "."), point > name.startIndex else { return String(name) }
    return String(name[..<point])
  }
}

extension PlanMistakes {
  /// Adds the source lines to what a reading found.
  fileprivate init(
    file: String, _ findings: [MistakeList.Finding], of count: Int, in bytes: [UInt8]
  ) {
    let source = SourceText(bytes)
    var mistakes: [PlanMistake] = []
    for finding in findings {
      // Mistakes of one line share one copy of it, however long it is.
      let isSameLine = mistakes.last?.line == finding.line
      let line = isSameLine ? mistakes[mistakes.count - 1].source : source.line(finding.line)
      mistakes.append(
        PlanMistake(
          line: finding.line, column: finding.column, message: finding.message, source: line))
    }
    self.init(file: file, mistakes: mistakes, omitted: count - findings.count)
  }
}
