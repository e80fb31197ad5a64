internal import HeadwayFiles
package import HeadwayPlan
internal import HeadwayRelay
internal import HeadwayState

/// The secrets of a run: what hides their values, and what stands for them in records.
///
/// Digests of a plan with secrets are made under a key that nobody else can read. Without it, others could try values until a
/// digest is the same: of a command or a variable, or of a file that has a secret.
struct Secrets: Sendable {
  /// Hides the values.
  let mask: SecretMask
  /// The key of all digests of the plan.
  let key: [UInt8]
  /// The names of the secrets of the plan that are set.
  let names: [String]
  /// The names of the other secrets of the runs around this one, if their variables have reached it.
  let outerNames: [String]
  /// The keyed digest of each value, by name.
  let digests: [String: String]

  /// Hides the values in texts of programs, which may have been cut.
  var maskText: TextMask {
    let mask = mask
    return { text, isCut in mask.masked(text, isCut: isCut) }
  }

  /// Takes the secrets of a plan from the environment.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - environment: The environment of its tasks.
  ///   - state: The state folder, which has the key of the digests.
  ///   - isDry: Whether nothing runs, so that a secret may be missing and no key is made.
  /// - Returns: The secrets, nil if neither the plan nor a run around this one has any.
  /// - Throws: `RunnerError.secrets` with every secret that is missing or too short.
  static func read(
    of plan: Plan, in environment: EnvironmentBlock, _ state: StateFolder, isDry: Bool
  ) throws(RunnerError) -> Secrets? {
    let outer = outerValues(beside: plan.secrets, in: environment)
    guard !plan.secrets.isEmpty || !outer.isEmpty else { return nil }
    let (values, missing, short) = Self.values(of: plan.secrets, in: environment)
    guard isDry || (missing.isEmpty && short.isEmpty) else {
      throw .secrets(missing: missing, short: short)
    }
    var digests: [String: String] = [:]
    let key = state.secretKey(creates: !isDry)
    for (name, value) in values { digests[name] = KeyedDigest.text(of: value, key: key) }
    return Secrets(
      mask: SecretMask((values + outer).map(\.value)), key: key, names: values.map(\.name),
      outerNames: outer.map(\.name), digests: digests)
  }

  /// The secrets of the runs around this one that are not among those of the plan: what the outer run hides, its tasks do
  /// not show either by running another plan.
  fileprivate static func outerValues(
    beside secrets: [String], in environment: EnvironmentBlock
  ) -> [(name: String, value: [UInt8])] {
    let names = environment[RunWork.Variable.secrets] ?? ""
    return names.split(separator: ",").compactMap { name in
      let name = String(name)
      guard !secrets.contains(name), let value = environment.bytes(of: name),
        SecretMask.isLongEnough(value)
      else { return nil }
      return (name, value)
    }
  }

  /// The values of secrets, and the names of those that are missing or too short.
  fileprivate static func values(
    of secrets: [String], in environment: EnvironmentBlock
  ) -> (values: [(name: String, value: [UInt8])], missing: [String], short: [String]) {
    var missing: [String] = []
    var short: [String] = []
    var values: [(name: String, value: [UInt8])] = []
    for name in secrets {
      guard let value = environment.bytes(of: name) else {
        missing.append(name)
        continue
      }
      let isLong = SecretMask.isLongEnough(value)
      if isLong { values.append((name, value)) } else { short.append(name) }
    }
    return (values, missing, short)
  }
}

extension Plan {
  /// The plan without the values that its secrets have for this process, as it may be shown before a run.
  package var withoutSecrets: Plan {
    guard let mask = hiddenValues.mask else { return self }
    return masked(by: mask)
  }

  /// What hides secrets in texts about the plan that come from outside of it, such as words of the command line.
  package var hiding: TextHiding { Self.hiding(hiddenValues) }

  private var hiddenValues: HiddenValues { HiddenValues(secrets: secrets, dotenv: dotenv) }

  /// What hides the values that secrets have for this process.
  ///
  /// - Parameter hidden: The secrets.
  /// - Returns: A function that puts `***` in their places.
  package static func hiding(_ hidden: HiddenValues) -> TextHiding {
    guard let mask = hidden.mask else { return { $0 } }
    return { mask.masked($0) }
  }
}

extension Plan.HiddenValues {
  /// What hides the values, and those of the secrets of the runs around this process; nil if there are none.
  fileprivate var mask: SecretMask? {
    let environment = EnvironmentBlock()
    environment.add(dotenv)
    let own = Secrets.values(of: secrets, in: environment).values
    let outer = Secrets.outerValues(beside: secrets, in: environment)
    let values =
      (own + outer).map(\.value) + others.map { Array($0.utf8) }.filter(SecretMask.isLongEnough)
    return values.isEmpty ? nil : SecretMask(values)
  }
}
