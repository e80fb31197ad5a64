/// The variables of a plan by their names.
struct VariableTable {
  /// The variables, in the order of the file.
  private(set) var all: [Plan.Definition] = []
  private var indices: [String: Int] = [:]
  /// Whether some have no value.
  private(set) var hasMissing = false

  /// The variable with a name, nil if there is none.
  subscript(name: String) -> Plan.Definition? { indices[name].map { all[$0] } }

  /// Adds a variable.
  ///
  /// - Returns: Whether it is new, or the same as the one that is there.
  mutating func add(_ definition: Plan.Definition) -> Bool {
    if let known = self[definition.name] { return known.isSame(as: definition) }
    indices[definition.name] = all.count
    all.append(definition)
    hasMissing = hasMissing || definition.value == nil
    return true
  }
}
