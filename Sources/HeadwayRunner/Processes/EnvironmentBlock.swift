internal import CSpawn
internal import Glibc

/// The environment of the program, arranged so that each task's own is made by changing a few entries.
struct EnvironmentBlock {
  /// The entries as `NAME=value`.
  private var entries: [String] = []
  /// Where each name stands in `entries`.
  private var places: [String: Int] = [:]

  /// Copies the environment of this process.
  init() {
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
      let line = unsafe String(cString: text)
      if let end = line.firstIndex(of: "=") {
        set(String(line[..<end]), String(line[line.index(after: end)...]))
      }
      unsafe entry += 1
    }
  }

  /// The value of a variable, nil when there is none.
  subscript(name: String) -> String? {
    places[name].map { String(entries[$0].utf8.dropFirst(name.utf8.count + 1)) ?? "" }
  }

  /// Sets a variable.
  mutating func set(_ name: String, _ value: String) {
    let entry = "\(name)=\(value)"
    if let place = places[name] {
      entries[place] = entry
    } else {
      places[name] = entries.count
      entries.append(entry)
    }
  }

  /// Runs a body with the environment as C has it, ended by a null pointer.
  func withPointers<Result>(
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    unsafe withCStrings(entries, body)
  }
}

/// Runs a body with strings as C has them, ended by a null pointer; they live until the body returns.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  // One block for all: the pointers first, then the texts, each ended by NUL.
  let size = strings.reduce(0) { $0 + $1.utf8.count + 1 }
  return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { texts in
    unsafe withUnsafeTemporaryAllocation(
      of: UnsafeMutablePointer<CChar>?.self, capacity: strings.count + 1
    ) { pointers in
      var next = 0
      for (place, string) in strings.enumerated() {
        unsafe pointers.initializeElement(at: place, to: texts.baseAddress.map { unsafe $0 + next })
        for byte in string.utf8 {
          unsafe texts.initializeElement(at: next, to: CChar(bitPattern: byte))
          next += 1
        }
        unsafe texts.initializeElement(at: next, to: 0)
        next += 1
      }
      unsafe pointers.initializeElement(at: strings.count, to: nil)
      // There is always the null pointer, so there is always an address.
      guard let start = pointers.baseAddress else { preconditionFailure("no room") }
      return unsafe body(UnsafePointer(start))
    }
  }
}
