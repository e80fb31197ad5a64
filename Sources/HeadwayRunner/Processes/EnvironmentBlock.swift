internal import CSpawn
internal import Glibc
internal import HeadwayPlan
internal import HeadwaySystem

/// The environment of all tasks as C strings, so that starting a task copies pointers instead of texts.
///
/// It is changed while the run is prepared, and then only read by the run loop. Not thread safe.
@safe
final class EnvironmentBlock {
  /// The entries, each `NAME=value` with a NUL, owned by this block.
  private var entries: [UnsafeMutablePointer<CChar>?] = unsafe []
  /// The index of each name in `entries`; by bytes, because equal strings may differ in bytes.
  private var indices: [[UInt8]: Int] = [:]

  /// Copies the environment of this process.
  ///
  /// - Parameter omitted: A variable that is left out, nil for none.
  init(without omitted: String? = nil) {
    let omitted = omitted.map { Array($0.utf8) }
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      // Copied as bytes, because a value need not be valid UTF-8.
      let name = unsafe UnsafeBufferPointer(start: text, count: strlen(text))
        .prefix { $0 != CChar(bitPattern: UInt8(ascii: "=")) }.map { UInt8(bitPattern: $0) }
      if name != omitted { unsafe put(strdup(text), under: name) }
      unsafe entry += 1
    }
  }

  deinit {
    for index in unsafe entries.indices { unsafe free(entries[index]) }
  }

  /// The value of a variable, nil if it is not set.
  subscript(name: String) -> String? {
    guard let index = indices[Array(name.utf8)], let entry = unsafe entries[index] else {
      return nil
    }
    return unsafe String(cString: entry + name.utf8.count + 1)
  }

  /// The bytes of a variable's value, which need not be valid UTF-8; nil if it is not set.
  func bytes(of name: String) -> [UInt8]? {
    guard let index = indices[Array(name.utf8)], let entry = unsafe entries[index] else {
      return nil
    }
    let start = unsafe entry + name.utf8.count + 1
    return unsafe UnsafeBufferPointer(start: start, count: strlen(start))
      .map { UInt8(bitPattern: $0) }
  }

  /// Adds what a plan sets for all tasks: its variables, and those of dotenv files that are not set yet.
  func add(_ plan: Plan) {
    for variable in plan.exportedVariables { set(variable.name, variable.value) }
    add(plan.dotenv)
  }

  /// Adds the variables of dotenv files that are not set yet.
  func add(_ variables: [Plan.Variable]) {
    for variable in variables where indices[Array(variable.name.utf8)] == nil {
      set(variable.name, variable.value)
    }
  }

  /// The variables that some patterns of a shell match, and the names among them that are not set.
  ///
  /// - Complexity: O(variables) for each pattern with `*`, `?` or `[`, O(1) for a name.
  func names(matching patterns: [String]) -> Set<String> {
    patterns.reduce(into: []) { names, pattern in
      guard pattern.contains(where: { "*?[\\".contains($0) }) else {
        names.insert(pattern)
        return
      }
      for name in indices.keys where FileSystem.matches(name, pattern: Array(pattern.utf8)) {
        names.insert(String(decoding: name, as: UTF8.self))
      }
    }
  }

  /// Sets a variable.
  func set(_ name: String, _ value: String) {
    unsafe put(strdup("\(name)=\(value)"), under: Array(name.utf8))
  }

  /// Replaces the entry with the same name, or appends one.
  private func put(_ entry: UnsafeMutablePointer<CChar>?, under name: [UInt8]) {
    if let index = indices[name] {
      unsafe free(entries[index])
      unsafe entries[index] = entry
    } else {
      indices[name] = unsafe entries.count
      unsafe entries.append(entry)
    }
  }

  /// The text of a variable, made in one piece because each task has several.
  private static func assignment(_ name: String, _ value: String) -> String {
    var text = ""
    text.reserveCapacity(name.utf8.count + value.utf8.count + 1)
    text += name
    text += "="
    text += value
    return text
  }

  /// Calls a function with the environment and further variables, terminated by a null pointer.
  ///
  /// - Parameters:
  ///   - variables: The further variables; of two values of a name the last one counts.
  ///   - body: The function; the pointers are valid until it returns.
  /// - Returns: The result of the function.
  func with<Result>(
    _ variables: [(name: String, value: String)],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    unsafe withCStrings(variables.map { Self.assignment($0.name, $0.value) }) { texts in
      var block = unsafe entries
      var added: [[UInt8]: Int] = [:]
      for (offset, variable) in variables.enumerated() {
        let name = Array(variable.name.utf8)
        if let index = indices[name] ?? added[name] {
          unsafe block[index] = texts[offset]
        } else {
          added[name] = unsafe block.count
          unsafe block.append(texts[offset])
        }
      }
      unsafe block.append(nil)
      return unsafe block.withUnsafeBufferPointer { pointers in
        // The array is not empty, because it has the null pointer.
        guard let start = pointers.baseAddress else { preconditionFailure("no address") }
        return unsafe body(start)
      }
    }
  }
}

/// Calls a function with C strings, terminated by a null pointer.
///
/// - Parameters:
///   - strings: The strings.
///   - body: The function; the pointers are valid until it returns.
/// - Returns: The result of the function.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe strings.map { unsafe strdup($0) }
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  unsafe pointers.append(nil)
  return unsafe pointers.withUnsafeBufferPointer { pointers in
    guard let start = pointers.baseAddress else { preconditionFailure("no address") }
    return unsafe body(start)
  }
}
