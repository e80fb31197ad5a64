internal import HeadwayFiles
internal import HeadwayLibc
internal import HeadwayPlan
internal import HeadwaySystem

/// The environment of all tasks as C strings, so that starting a task copies pointers instead of texts.
///
/// A variable is searched among all entries, which takes fewer instructions than hashing its name. The block is changed
/// while the run is prepared, and then only read by the run loop. Not thread safe.
@safe
final class EnvironmentBlock {
  /// The entries, each `NAME=value` with a NUL, owned by this block.
  private var entries: [UnsafeMutablePointer<CChar>?] = unsafe []

  /// Copies the environment of this process.
  ///
  /// - Parameter omitted: A variable that is left out, nil for none.
  init(without omitted: String? = nil) {
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      // Copied as bytes, because a value need not be valid UTF-8.
      unsafe put(strdup(text))
      unsafe entry += 1
    }
    if let omitted, let index = index(of: omitted) {
      unsafe free(entries.remove(at: index))
    }
  }

  deinit {
    for index in unsafe entries.indices { unsafe free(entries[index]) }
  }

  /// The value of a variable, nil if it is not set or not UTF-8.
  subscript(name: String) -> String? {
    unsafe value(of: name).flatMap { unsafe String(validatingCString: $0) }
  }

  /// The bytes of a variable's value, which need not be valid UTF-8; nil if it is not set.
  func bytes(of name: String) -> [UInt8]? {
    unsafe value(of: name).map { value in
      unsafe UnsafeBufferPointer(start: value, count: strlen(value)).map { UInt8(bitPattern: $0) }
    }
  }

  /// Adds what a plan sets for all tasks: its variables, and those of dotenv files that are not set yet.
  func add(_ plan: Plan) {
    for variable in plan.exportedVariables { set(variable.name, variable.value) }
    add(plan.dotenv)
  }

  /// Adds the variables of dotenv files that are not set yet.
  func add(_ variables: [Plan.Variable]) {
    for variable in variables where index(of: variable.name) == nil {
      set(variable.name, variable.value)
    }
  }

  /// The variables that some patterns of a shell match, and the names among them that are not set.
  ///
  /// - Complexity: O(variables) for each pattern, O(1) for a name.
  func names(matching patterns: [String]) -> Set<String> {
    patterns.reduce(into: []) { names, pattern in
      guard pattern.utf8.contains(where: \.isPatternCharacter) else {
        names.insert(pattern)
        return
      }
      for index in unsafe entries.indices {
        guard let entry = unsafe entries[index] else { continue }
        let name = unsafe UnsafeBufferPointer(start: entry, count: Self.nameLength(entry))
          .map { UInt8(bitPattern: $0) }
        if FileSystem.matches(name, pattern: Array(pattern.utf8)) {
          names.insert(String(decoding: name, as: UTF8.self))
        }
      }
    }
  }

  /// Sets a variable.
  func set(_ name: String, _ value: String) { unsafe put(strdup("\(name)=\(value)")) }

  /// Calls a function with the environment and further variables, terminated by a null pointer.
  ///
  /// - Parameters:
  ///   - variables: The further variables; of two values of a name the last one counts.
  ///   - body: The function; the pointers are valid until it returns.
  /// - Returns: The result of the function.
  /// - Complexity: O(variables of this block · `variables`).
  func with<Result>(
    _ variables: [(name: String, value: String)],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    let size = variables.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 2 }
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { texts in
      unsafe withUnsafeTemporaryAllocation(
        of: UnsafeMutablePointer<CChar>?.self, capacity: entries.count + variables.count + 1
      ) { block in
        var (count, end) = unsafe (block.initialize(fromContentsOf: entries), texts.startIndex)
        for variable in variables {
          guard let entry = unsafe texts.baseAddress.map({ unsafe $0 + end }) else { continue }
          let length = variable.name.utf8.count
          unsafe texts.append(variable.name, at: &end, terminator: Self.equals)
          unsafe texts.append(variable.value, at: &end, terminator: 0)
          let others = unsafe UnsafeBufferPointer(rebasing: block[..<count])
          if let index = unsafe Self.index(of: entry, length, in: others) {
            unsafe block[index] = entry
          } else {
            unsafe block.initializeElement(at: count, to: entry)
            count += 1
          }
        }
        unsafe block.initializeElement(at: count, to: nil)
        // The block is not empty, because it has the null pointer.
        guard let start = block.baseAddress else { preconditionFailure("no address") }
        return unsafe body(start)
      }
    }
  }

  /// What separates a name from its value.
  private static let equals = CChar(bitPattern: UInt8(ascii: "="))

  /// The number of bytes of the name in an entry; of all its bytes if it has no value.
  private static func nameLength(_ entry: UnsafePointer<CChar>) -> Int {
    unsafe strcspn(entry, "=")
  }

  /// The index of a variable's entry.
  ///
  /// - Parameters:
  ///   - name: The name, by bytes, because equal strings may differ in bytes; anything may follow it.
  ///   - length: The number of bytes of the name.
  ///   - entries: The entries to search.
  /// - Returns: The index, nil if there is none.
  private static func index(
    of name: UnsafePointer<CChar>, _ length: Int,
    in entries: UnsafeBufferPointer<UnsafeMutablePointer<CChar>?>
  ) -> Int? {
    for index in entries.indices {
      // Few names have the same first byte, so few calls compare the rest.
      guard let entry = unsafe entries[index], unsafe entry[0] == name[0],
        unsafe strncmp(entry, name, length) == 0, unsafe entry[length] == equals
      else { continue }
      return index
    }
    return nil
  }

  /// The index of a variable's entry, nil if it is not set.
  private func index(of name: String) -> Int? {
    unsafe entries.withUnsafeBufferPointer { entries in
      unsafe name.withCString { unsafe Self.index(of: $0, name.utf8.count, in: entries) }
    }
  }

  /// The value in a variable's entry, nil if it is not set.
  private func value(of name: String) -> UnsafePointer<CChar>? {
    guard let index = index(of: name), let entry = unsafe entries[index] else { return nil }
    return unsafe UnsafePointer(entry + name.utf8.count + 1)
  }

  /// Replaces the entry with the same name, or appends one.
  private func put(_ entry: UnsafeMutablePointer<CChar>?) {
    guard let entry = unsafe entry else { return }
    let same = unsafe entries.withUnsafeBufferPointer { entries in
      unsafe Self.index(of: entry, Self.nameLength(entry), in: entries)
    }
    if let index = same {
      unsafe free(entries[index])
      unsafe entries[index] = unsafe entry
    } else {
      unsafe entries.append(entry)
    }
  }
}

extension UnsafeMutableBufferPointer<CChar> {
  /// Writes the bytes of a string and one more, and moves the index behind them.
  fileprivate func append(_ text: String, at index: inout Int, terminator: CChar) {
    var text = text
    text.withUTF8 { bytes in
      for offset in bytes.indices {
        unsafe initializeElement(at: index + offset, to: CChar(bitPattern: bytes[offset]))
      }
      index += bytes.count
    }
    unsafe initializeElement(at: index, to: terminator)
    index += 1
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
