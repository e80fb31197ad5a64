extension PlanReader {
  static let dotenvKeys = ["file", "optional"]

  /// Reads the dotenv files that a plan names, each over the ones before it.
  mutating func readDotenv(_ entry: Entry) {
    let nodes =
      tree.nodes[entry.value].kind == .list
      ? Array(tree.children(of: entry.value)) : [entry.value]
    for node in nodes {
      guard let (path, isOptional) = dotenvFile(node) else { continue }
      readDotenv(path, node, isOptional: isOptional)
    }
  }

  /// Returns the path of a dotenv file, and whether it may be missing.
  private mutating func dotenvFile(_ node: Int) -> (path: String, isOptional: Bool)? {
    guard tree.nodes[node].kind == .map else {
      return fullText(node, "\"dotenv\"").map { ($0, false) }
    }
    var path: String?
    var isOptional = false
    let before = diagnostics.count
    for field in entries(of: node, "\"dotenv\"", example: "dotenv: .env") ?? [] {
      switch field.name {
      case "file": path = fullText(field.value, "\"file\"")
      case "optional": isOptional = boolean(field)
      default: diagnoseUnknownKey(field, of: "\"dotenv\"", known: Self.dotenvKeys)
      }
    }
    if path == nil, diagnostics.count == before, !tree.isTruncated {
      diagnose(node, "an entry of \"dotenv\" needs a \"file\"")
    }
    return path.map { ($0, isOptional) }
  }

  private mutating func readDotenv(_ path: String, _ node: Int, isOptional: Bool) {
    let bytes: [UInt8]
    do {
      bytes = try sources.contents(of: path)
    } catch {
      if error.isMissing, isOptional { return }
      let advice =
        error.isMissing
        ? "; create it, or write { file: \(path.prefix(40)), optional: true }" : ""
      return diagnose(node, "the dotenv file \(quoted(path)) \(error.reason)\(advice)")
    }
    guard bytes.count <= PlanLimits.dotenvBytes else {
      let most = PlanLimits.dotenvBytes >> 20
      return diagnose(
        node, "the dotenv file \(quoted(path)) is larger than \(most) MiB; is it the right file?")
    }
    let parser = DotenvParser(bytes)
    if parser.errors.count > 0 {
      let folder = path.hasPrefix("/") || inclusion.folder.isEmpty ? "" : inclusion.folder + "/"
      inclusion.report(parser.errors, in: bytes, of: folder + path, showsLines: false)
    }
    mergeVariables(parser.variables, into: &dotenv)
    inclusion.hidden.dotenv += parser.variables
  }

  /// Reads the names of secrets.
  mutating func readSecrets(_ entry: Entry) {
    for (name, node) in texts(entry) {
      let isName =
        !name.utf8.allSatisfy { (48...57).contains($0) }
        && name.utf8.allSatisfy {
          $0 == UInt8(ascii: "_") || (48...57).contains($0) || (65...90).contains($0 & 0xDF)
        }
      guard isName, !name.hasPrefix("HEADWAY_") else {
        // It may be the value itself, which must not be shown.
        diagnose(
          node,
          "an entry of \"secrets\" is not the name of a variable; list names, such as [API_TOKEN], and set their values in the environment or in a dotenv file"
        )
        continue
      }
      if !secrets.contains(name) {
        secrets.append(name)
        inclusion.hidden.secrets.append(name)
        secretNodes[name] = node
      }
    }
  }

  /// Reports secrets whose values are in the plan itself.
  mutating func checkSecrets() {
    guard !secrets.isEmpty else { return }
    for task in tasks.prefix(ownTaskCount) {
      for variable in task.environment where !variable.value.isEmpty {
        guard let node = secretNodes[variable.name] else { continue }
        diagnose(
          node,
          "the secret \(quoted(variable.name)) is also set by \"env\"; remove it there, because a value in a plan is no secret"
        )
      }
    }
  }
}
