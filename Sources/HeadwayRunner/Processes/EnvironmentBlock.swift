internal import CSpawn
internal import Glibc

/// The environment that every task gets, as C has it, so that starting a task copies pointers and no texts.
///
/// It is changed while the run is made ready and read by the run loop afterwards. Not thread safe.
@safe
final class EnvironmentBlock {
  /// The entries, each `NAME=value` ended by NUL, owned by this block.
  private var entries: [UnsafeMutablePointer<CChar>?] = unsafe []
  /// Where each name stands in `entries`; by bytes, because texts that look alike are equal to Swift.
  private var places: [[UInt8]: Int] = [:]

  /// Copies the environment of this process.
  init() {
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      // As it is: a value need not be right UTF-8.
      let name = unsafe UnsafeBufferPointer(start: text, count: strlen(text))
        .prefix { $0 != CChar(bitPattern: UInt8(ascii: "=")) }.map { UInt8(bitPattern: $0) }
      unsafe put(strdup(text), under: name)
      unsafe entry += 1
    }
  }

  deinit {
    for place in unsafe entries.indices { unsafe free(entries[place]) }
  }

  /// The value of a variable, nil when there is none.
  subscript(name: String) -> String? {
    guard let place = places[Array(name.utf8)], let entry = unsafe entries[place] else {
      return nil
    }
    return unsafe String(cString: entry + name.utf8.count + 1)
  }

  /// Sets a variable.
  func set(_ name: String, _ value: String) {
    unsafe put(strdup("\(name)=\(value)"), under: Array(name.utf8))
  }

  /// Puts an entry in the place of the one with the same name, or at the end.
  private func put(_ entry: UnsafeMutablePointer<CChar>?, under name: [UInt8]) {
    if let place = places[name] {
      unsafe free(entries[place])
      unsafe entries[place] = entry
    } else {
      places[name] = unsafe entries.count
      unsafe entries.append(entry)
    }
  }

  /// Runs a body with the environment and some more variables, as C has it, ended by a null pointer.
  ///
  /// - Parameters:
  ///   - variables: What differs from the environment; of two values of a name the last one counts.
  ///   - body: What to do with it; the pointers are good until it returns.
  /// - Returns: What the body returns.
  func with<Result>(
    _ variables: [(name: String, value: String)],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    unsafe withCStrings(variables.map { "\($0.name)=\($0.value)" }) { texts in
      var block = unsafe entries
      var added: [[UInt8]: Int] = [:]
      for (index, variable) in variables.enumerated() {
        let name = Array(variable.name.utf8)
        if let place = places[name] ?? added[name] {
          unsafe block[place] = texts[index]
        } else {
          added[name] = unsafe block.count
          unsafe block.append(texts[index])
        }
      }
      unsafe block.append(nil)
      return unsafe block.withUnsafeBufferPointer { pointers in
        // There is always the null pointer, so there is always an address.
        guard let start = pointers.baseAddress else { preconditionFailure("no room") }
        return unsafe body(start)
      }
    }
  }
}

/// Runs a body with strings as C has them, ended by a null pointer.
///
/// - Parameters:
///   - strings: The texts.
///   - body: What to do with them; they live until it returns.
/// - Returns: What the body returns.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  // A native string is handed to C as it lies in memory, so one copy is all that this costs.
  var pointers = unsafe strings.map { unsafe strdup($0) }
  defer { for place in strings.indices { unsafe free(pointers[place]) } }
  unsafe pointers.append(nil)
  return unsafe pointers.withUnsafeBufferPointer { pointers in
    guard let start = pointers.baseAddress else { preconditionFailure("no room") }
    return unsafe body(start)
  }
}
