extension Plan {
  /// Reads a plan file.
  ///
  /// The function reads no environment variables, and no files but those of `sources`. It continues after an error, so all
  /// errors in a file are reported together. Only invalid YAML ends it early, with the errors found before.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file, as UTF-8.
  ///   - file: The name of the file, for messages.
  ///   - defaultName: The name of a plan that does not set one, nil for the file's name without `.yaml` or `.yml`.
  ///   - sources: The files that the plan refers to.
  ///   - given: What the command line gives; check it with ``check(_:)``, because here a bad value only does not count.
  /// - Returns: The plan, with every name resolved.
  /// - Throws: `PlanDiagnostics` with every error in the file.
  /// - Complexity: O(*n*) for *n* bytes, plus a bounded search for suggestions for unknown names.
  package static func read(
    _ bytes: [UInt8], file: String, defaultName: String? = nil,
    sources: any PlanSources = NoPlanSources(), given: Given = Given()
  ) throws(PlanDiagnostics) -> Plan {
    guard bytes.count <= PlanLimits.fileBytes else {
      let size = "\(PlanLimits.fileBytes >> 20) MiB"
      let message = "the file is larger than \(size); split the plan, or move data out of it"
      throw PlanDiagnostics(
        file: file, diagnostics: [PlanDiagnostic(line: 0, column: 0, message: message)])
    }
    func attempt(hiding hide: TextHiding?) -> (reader: PlanReader, errors: PlanDiagnostics?) {
      var (reader, text) = PlanReader.parsed(bytes)
      reader.sources = sources
      reader.planSources = sources
      reader.given = given
      if let hide { reader.hide = hide }
      reader.inclusion = Inclusion(plan: file)
      reader.readUnlessTruncated()
      reader.noteCut()
      if reader.diagnostics.count == 0, reader.inclusion.errorCount == 0 { return (reader, nil) }
      return (
        reader, PlanDiagnostics(file: file, reader.diagnostics, in: text, reader.inclusion)
      )
    }
    let (reader, errors) = attempt(hiding: nil)
    if let errors {
      // Values of the command line may be secret, which is known only now.
      guard !given.settings.isEmpty else { throw errors }
      throw attempt(hiding: given.makeHiding(reader.inclusion.hidden)).errors ?? errors
    }
    var plan = Plan(
      name: reader.name ?? defaultName ?? baseName(of: file), workers: reader.workers,
      pools: reader.pools,
      tasks: reader.tasks)
    plan.description = reader.description
    plan.output = reader.output
    plan.isExclusive = reader.isExclusive
    plan.machines = reader.machines
    plan.keep = reader.keep
    plan.dotenv = reader.dotenv
    plan.secrets = reader.secrets
    plan.definitions = reader.allDefinitions.all
    plan.arguments = given.arguments
    return plan
  }

  /// Returns the name of a file without its folder, and without the usual extension of plans.
  ///
  /// Other extensions stay, so that `release.json` and `release.yaml` are two plans with a history each.
  private static func baseName(of file: String) -> String {
    let name = file.split(separator: "/").last ?? "plan"
    for ending in [".yaml", ".yml"] where name.hasSuffix(ending) && name != ending {
      return String(name.dropLast(ending.count))
    }
    return String(name)
  }
}

extension PlanReader {
  /// Parses the YAML of a file.
  ///
  /// - Returns: A reader that has read nothing yet, and the text to which its diagnostics belong.
  static func parsed(_ bytes: [UInt8]) -> (reader: PlanReader, text: [UInt8]) {
    // A byte order mark is not part of the text.
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    let reading = YAMLReading(JSONText.asYAML(text))
    var reader = PlanReader(tree: reading.tree, bytes: text, diagnostics: reading.diagnostics)
    reader.isLimitExceeded = reading.isLimitExceeded
    if let error = reading.error {
      let diagnostic = error.diagnostic(in: reader.source)
      reader.diagnostics.add(
        line: diagnostic.line, column: diagnostic.column, diagnostic.message)
      reader.isInvalid = true
      // The last value may be part of the invalid text.
      let last = Int(reading.tree.nodes.last?.line ?? 1)
      reader.diagnostics.ignore(from: min(last, diagnostic.line))
    }
    return (reader, text)
  }

  /// Notes that the names of secrets may be in a part of the file that could not be read.
  mutating func noteCut() {
    if isLimitExceeded || isInvalid { inclusion.hidden.others = given.settings.map(\.value) }
  }

  /// Reads the plan, unless the YAML exceeds a limit.
  mutating func readUnlessTruncated() { if !isLimitExceeded { read() } }
}

extension DiagnosticList {
  /// Returns the diagnostics to report, with their source lines.
  func first(in bytes: [UInt8]) -> [PlanDiagnostic] {
    let source = SourceText(bytes)
    var diagnostics = first()
    for index in diagnostics.indices {
      // Diagnostics in one line share one copy of it, however long it is.
      let isSameLine = index > 0 && diagnostics[index - 1].line == diagnostics[index].line
      diagnostics[index].source =
        isSameLine ? diagnostics[index - 1].source : source.line(diagnostics[index].line)
    }
    return diagnostics
  }
}

extension PlanDiagnostics {
  /// Collects the diagnostics of a plan and of the files that it includes.
  fileprivate init(
    file: String, _ list: DiagnosticList, in bytes: [UInt8], _ inclusion: Inclusion
  ) {
    let all = list.first(in: bytes) + inclusion.diagnostics
    let shown = Array(all.prefix(PlanLimits.diagnostics))
    self.init(
      file: file, diagnostics: shown, omitted: list.count + inclusion.errorCount - shown.count)
  }
}
