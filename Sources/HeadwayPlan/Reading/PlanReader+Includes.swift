internal import HeadwayRun
internal import HeadwayText

extension PlanReader {
  static let includeKeys = ["file", "dir"]

  /// What an entry of `include` names.
  private struct Place {
    /// The file, relative to the folder of the plan.
    var file: String
    /// The node that names it.
    var node: Int
    /// The folder to which its tasks belong.
    var base: String
  }

  /// Reads the files that this one includes, and adds their tasks with a prefix.
  mutating func readIncludes(_ entry: Entry) {
    var names = Set(tasks.lazy.map(\.base))
    let example = "include: { web: web/headway.yaml }"
    for part in entries(of: entry.value, "\"include\"", example: example) ?? [] {
      checkName(part.key, part.name, of: "include")
      guard let place = place(of: part), let plan = readFile(place) else {
        // The tasks of the file are unknown.
        knowsTasks = false
        continue
      }
      add(plan, as: part, from: place, names: &names)
      guard tasks.count <= PlanLimits.tasks else {
        diagnose(
          part.key, "the plan has more than \(grouped(PlanLimits.tasks)) tasks; make it smaller")
        knowsTasks = false
        return
      }
    }
  }

  /// Finds what an entry names: a file, or a map of a file and the folder of its tasks.
  private mutating func place(of part: Entry) -> Place? {
    var file: (text: String, node: Int)?
    var base: (text: String, node: Int)?
    if tree.nodes[part.value].kind == .map {
      let example = "\(part.name.prefix(40)): { file: tasks.yaml, dir: . }"
      for field in entries(of: part.value, "an include", example: example) ?? [] {
        switch field.name {
        case "file": file = fullText(field.value, "\"file\"").map { ($0, field.value) }
        case "dir": base = fullText(field.value, "\"dir\"").map { ($0, field.value) }
        default: diagnoseUnknownKey(field, of: "an include", known: Self.includeKeys)
        }
      }
      if file == nil, !tree.isTruncated { diagnose(part.value, "an include needs a \"file\"") }
    } else {
      file = fullText(part.value, "include \(quoted(part.name))").map { ($0, part.value) }
    }
    guard let file, let path = inside(file.text, file.node) else { return nil }
    guard let base else {
      return Place(file: path, node: file.node, base: Inclusion.parent(of: path))
    }
    return inside(base.text, base.node).map { Place(file: path, node: file.node, base: $0) }
  }

  /// Returns a path relative to the folder of the plan, or `nil` and a diagnostic if it leads out of it.
  private mutating func inside(_ path: String, _ node: Int) -> String? {
    if let resolved = Inclusion.resolved(path, in: inclusion.folder) { return resolved }
    diagnose(
      node,
      "\(quoted(path)) is outside the folder of the plan; use a relative path inside it, or put the plan into a folder above both"
    )
    return nil
  }

  /// Reads an included file.
  ///
  /// - Returns: Its reader, or `nil` if it has errors, which are reported then.
  private mutating func readFile(_ place: Place) -> PlanReader? {
    guard !inclusion.broken.contains(ExactText(place.file)) else { return nil }
    if let first = inclusion.chain.firstIndex(where: { $0.isExactly(place.file) }) {
      let circle = (inclusion.chain[first...] + [place.file]).joined(separator: " -> ")
      diagnose(place.node, "files include each other: \(circle); remove one of these includes")
      return nil
    }
    guard inclusion.chain.count <= PlanLimits.includeDepth,
      inclusion.files < PlanLimits.includedFiles
    else {
      diagnose(
        place.node,
        "too many included files; the maximum is \(PlanLimits.includedFiles) in all and \(PlanLimits.includeDepth) in a row"
      )
      return nil
    }
    let bytes: [UInt8]
    do {
      bytes = try planSources.contents(of: place.file)
    } catch {
      diagnose(place.node, "the included file \(quoted(place.file)) \(error.reason)")
      return nil
    }
    inclusion.files += 1
    inclusion.bytes += bytes.count
    guard inclusion.bytes <= PlanLimits.fileBytes else {
      diagnose(
        place.node,
        "the included files are larger than \(PlanLimits.fileBytes >> 20) MiB in all; move data out of them"
      )
      return nil
    }
    return read(bytes, at: place)
  }

  /// Reads the text of an included file.
  private mutating func read(_ bytes: [UInt8], at place: Place) -> PlanReader? {
    var (reader, text) = Self.parsed(bytes)
    let own = inclusion
    inclusion.chain.append(place.file)
    inclusion.base = place.base
    reader.inclusion = inclusion
    reader.planSources = planSources
    reader.given = given
    if hidesSecrets { reader.hide = hide }
    let folder = inclusion.folder
    reader.sources =
      folder.isEmpty ? planSources : IncludedSources(plan: planSources, folder: folder)
    // What all files may cost together.
    reader.spelling = spelling
    reader.expandedBytes = expandedBytes
    reader.readUnlessTruncated()
    reader.noteCut()
    spelling = reader.spelling
    expandedBytes = reader.expandedBytes
    inclusion = reader.inclusion
    (inclusion.chain, inclusion.base) = (own.chain, own.base)
    guard reader.diagnostics.count == 0 else {
      inclusion.report(reader.diagnostics, in: text, of: place.file)
      return nil
    }
    if inclusion.errorCount == own.errorCount { return reader }
    inclusion.broken.insert(ExactText(place.file))
    return nil
  }

  /// Adds the tasks and pools of an included file.
  private mutating func add(
    _ plan: PlanReader, as part: Entry, from place: Place, names: inout Set<String>
  ) {
    let firstTask = tasks.count
    let firstPool = pools.count
    for var pool in plan.pools {
      pool.name = "\(part.name):\(pool.name)"
      checkIncluded(pool.name, "pool", isNew: poolIndices[pool.name] == nil, part, place)
      poolIndices[pool.name] = pools.count
      pools.append(pool)
    }
    // The environment is that of the whole run, in which the file that includes another has the last word.
    let own = dotenv
    dotenv = plan.dotenv
    mergeVariables(own, into: &dotenv)
    for name in plan.secrets where !secrets.contains(name) { secrets.append(name) }
    for definition in plan.allDefinitions.all where !allDefinitions.add(definition) {
      diagnose(
        part.key,
        "the variable \(quoted(definition.name)) is defined differently in \(quoted(place.file)); make the definitions equal, or rename one"
      )
    }
    var last: String?
    for var task in plan.tasks {
      if task.base != last {
        last = task.base
        let name = "\(part.name):\(task.base)"
        checkIncluded(name, "task", isNew: names.insert(name).inserted, part, place)
      }
      task.name = "\(part.name):\(task.name)"
      task.base = "\(part.name):\(task.base)"
      task.file = task.file ?? place.file
      task.after = task.after.map { $0 + firstTask }
      task.pool = task.pool.map { $0 + firstPool }
      tasks.append(task)
      origins.append(Origin(node: Int32(part.key), dependencies: nil))
    }
  }

  /// Reports an included name that is taken or too long.
  private mutating func checkIncluded(
    _ name: String, _ what: String, isNew: Bool, _ part: Entry, _ place: Place
  ) {
    if !isNew {
      diagnose(
        part.key,
        "duplicate \(what) \(quoted(name)), also defined by \(quoted(place.file)); use another name for the include"
      )
    } else if name.utf8.count > PlanLimits.nameBytes {
      diagnose(
        part.key,
        "the name of \(what) \(quoted(name)) has more than \(PlanLimits.nameBytes) bytes with its prefix; use a shorter name for the include"
      )
    }
  }
}
