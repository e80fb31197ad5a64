internal import HeadwayText

extension Plan {
  /// A variable that a plan defines, and that `NAME=VALUE` on the command line sets.
  package struct Definition: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The value as written in the plan, or `nil` if the command line must give one.
    package var standard: String?
    /// The values that it may have, empty for any.
    package var values: [String] = []
    /// What it is for, in words of the plan's author.
    package var description: String?
    /// The value in this run, or `nil` if the one that it needs is not given.
    package var value: String?
    /// The variable that must be given for it to have a value: itself, or one that its default names.
    package var needed: String

    /// Creates a variable without a value.
    init(name: String) { (self.name, needed) = (name, name) }

    /// Whether two definitions of a name are one variable.
    func isSame(as other: Definition) -> Bool {
      guard (standard == nil) == (other.standard == nil) else { return false }
      let texts = values + [standard ?? ""]
      return texts.map { ExactText($0) }
        == (other.values + [other.standard ?? ""]).map { ExactText($0) }
    }

    /// What is wrong with a value, or `nil` if it may have it.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - hide: Hides secrets in a text that comes from outside of the plan.
    /// - Returns: A sentence.
    func problem(with value: String, hiding hide: Plan.TextHiding = { $0 }) -> String? {
      if !values.isEmpty, !values.contains(where: { $0.isExactly(value) }) {
        return
          "\(quoted(name)) cannot be \(quoted(hide(value))); valid values: \(listed(values))"
      }
      if standard == nil, value.isEmpty { return "\(quoted(name)) must not be empty" }
      guard name.utf8.count + value.utf8.count + 2 > PlanLimits.variableBytes else { return nil }
      return
        "the value of \(quoted(name)) has \(grouped(value.utf8.count)) bytes, more than Linux passes to a program "
        + "(\(grouped(PlanLimits.variableBytes)) with its name); put it into a file"
    }
  }

  /// `NAME=VALUE` on a command line.
  package struct Setting: Hashable, Sendable {
    /// The name.
    package var name: String
    /// The value, which may be empty.
    package var value: String
    /// The word on the command line.
    package var word: String { "\(name)=\(value)" }

    /// Reads a word, which is a setting if it begins with a name and an equals sign.
    package init?(_ word: String) {
      guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")), sign != word.startIndex,
        !word.hasPrefix("-"), PlanReader.isKey(word[..<sign])
      else { return nil }
      name = String(word[..<sign])
      value = String(word[word.index(after: sign)...])
    }
  }

  /// Returns a text without the values of secrets in it.
  package typealias TextHiding = @Sendable (_ text: String) -> String

  /// What a plan has that says which texts must not be shown.
  package struct HiddenValues: Hashable, Sendable {
    /// The names of the secrets, in all files that could be read.
    package var secrets: [String] = []
    /// The variables of dotenv files.
    package var dotenv: [Variable] = []
    /// Values that are hidden whatever they are, because the names of the secrets may be in a part of the plan that could not be read.
    package var others: [String] = []

    /// Creates what a plan says of its secrets.
    package init(secrets: [String] = [], dotenv: [Variable] = []) {
      (self.secrets, self.dotenv) = (secrets, dotenv)
    }
  }

  /// What a command line gives a plan.
  package struct Given: Sendable {
    /// The values of variables; of two for one name the last one counts.
    package var settings: [Setting]
    /// The arguments for `{args}` and `"$@"`.
    package var arguments: [String]
    /// Makes what hides secrets in messages about the plan, which show values before anybody knows which of them are secret.
    package var makeHiding: @Sendable (HiddenValues) -> TextHiding

    /// Creates the values and arguments.
    package init(
      settings: [Setting] = [], arguments: [String] = [],
      makeHiding: @escaping @Sendable (HiddenValues) -> TextHiding = { _ in { $0 } }
    ) {
      (self.settings, self.arguments, self.makeHiding) = (settings, arguments, makeHiding)
    }
  }

  /// The error for a value on the command line that the plan cannot use.
  package struct GivenError: Error, CustomStringConvertible {
    /// What is wrong and how to fix it, in one sentence.
    package var description: String
  }

  /// The variables that tasks find in their environment.
  package var exportedVariables: [Variable] {
    definitions.compactMap { definition in
      guard let value = definition.value, Self.isExported(definition.name) else { return nil }
      return Variable(name: definition.name, value: value)
    }
  }

  /// Whether a variable or matrix key is an environment variable, too.
  ///
  /// It is not if it is no name for a shell, or one that changes what shells and programs do before they run anything.
  static func isExported(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(48...57).contains(first),
      !name.utf8.contains(UInt8(ascii: "-"))
    else { return false }
    return !kept.contains(name) && !["LD_", "DYLD_", "HEADWAY_"].contains(where: name.hasPrefix)
  }

  private static let kept: Set = [
    "PATH", "IFS", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PWD", "ZIG_PROGRESS",
  ]

  /// Returns the settings that are names of tasks, because a task of that name wins.
  package func names(among settings: [Setting]) -> [String] {
    guard !settings.isEmpty else { return [] }
    let names = Set(tasks.lazy.map(\.base))
    return settings.map(\.word).filter(names.contains)
  }

  /// Checks the values that the command line gives.
  ///
  /// - Parameters:
  ///   - settings: The values.
  ///   - hide: Hides secrets in a value.
  /// - Throws: `GivenError` for the first one that names no variable, or that its variable cannot have.
  package func check(
    _ settings: [Setting], hiding hide: TextHiding = { $0 }
  ) throws(GivenError) {
    guard !settings.isEmpty else { return }
    let tasks = Set(names(among: settings))
    for setting in settings where !tasks.contains(setting.word) {
      guard let definition = definitions.first(where: { $0.name == setting.name }) else {
        throw unknown(setting)
      }
      if let problem = definition.problem(with: setting.value, hiding: hide) {
        throw GivenError(description: problem)
      }
    }
  }

  private func unknown(_ setting: Setting) -> GivenError {
    let message = "the plan has no variable \(quoted(setting.name))"
    guard !definitions.isEmpty else {
      return GivenError(
        description:
          "\(message); define it in the plan, as in vars: { \(setting.name.prefix(40)): value }")
    }
    var spelling = SpellingSuggestion(budget: PlanLimits.comparisons)
    let names = definitions.map(\.name)
    let hint = spelling.name(for: setting.name, in: names).map { "; did you mean \(quoted($0))?" }
    let list = "valid variables: \(listed(names))"
    return GivenError(description: "\(message)\(hint.map { "\($0) (\(list))" } ?? "; \(list)")")
  }

  /// Checks that the tasks have all that they name, and use what is given.
  ///
  /// - Throws: `GivenError` if a task names a variable that has no value, or if no task uses the arguments.
  package func checkNeeds() throws(GivenError) {
    if let task = tasks.first(where: { $0.needed != nil }), let name = task.needed {
      let about = definitions.first { $0.name == name }?.description
        .flatMap { $0.split(separator: "\n").first }.map { " (\($0))" }
      throw GivenError(
        description:
          "the task \(quoted(task.name)) needs the variable \(quoted(name))\(about ?? ""); "
          + "give it on the command line: \(name)=VALUE")
    }
    guard !arguments.isEmpty, !tasks.contains(where: { $0.usesArguments && $0.hook == nil }) else {
      return
    }
    throw GivenError(
      description:
        "no task of this run uses the arguments after \"--\"; write \"$@\" in a command, or {args} in a list"
    )
  }
}
