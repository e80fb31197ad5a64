internal import HeadwayLibc
internal import HeadwaySystem
internal import HeadwayText

/// Why the system says of a program that is there that it does not exist: what carries it out is missing.
struct MissingInterpreter {
  /// The reason in words, after the name of the program.
  let reason: String

  /// The longest first line that the system reads, with some room to see how it ends.
  private static let lineBytes = 512
  /// The beginning of a program of Linux.
  private static let elf: [UInt8] = [0x7F] + Array("ELF".utf8)

  /// Looks for the reason; nil if there is no such file, or no reason is found in it.
  ///
  /// - Parameters:
  ///   - program: The program as it was named.
  ///   - directory: The directory in which it was to run, nil for the current one.
  ///   - searchPath: The directories in which a name without a slash was looked up, as in `PATH`.
  init?(of program: String, in directory: String?, searchPath: String) {
    let folders =
      program.contains("/")
      ? [program.hasPrefix("/") ? "/" : "."]
      : searchPath.split(separator: ":", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "." : String($0) }
    for folder in folders {
      let base = folder.hasPrefix("/") ? folder : "\(directory ?? ".")/\(folder)"
      guard let start = Self.start(of: "\(base)/\(program)") else { continue }
      guard let reason = Self.reason(start) else { return nil }
      self.reason = reason
      return
    }
    return nil
  }

  /// The first bytes of a file that may be executed, nil if there is none.
  private static func start(of path: String) -> [UInt8]? {
    guard FileStatus(path)?.kind == .file,
      unsafe access(path, X_OK) == 0
    else { return nil }
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return readAll(file, limit: lineBytes).bytes
  }

  /// What is missing according to the beginning of a file.
  private static func reason(_ start: [UInt8]) -> String? {
    if start.starts(with: elf) { return "the program that loads it does not exist" }
    guard start.starts(with: "#!".utf8) else { return nil }
    let line = start.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    let interpreter = line.drop(while: isBlank).prefix { !isBlank($0) && $0 != 0 }
    guard !interpreter.isEmpty,
      FileStatus(Array(interpreter)) == nil
    else { return nil }
    let name = String(decoding: interpreter, as: UTF8.self).replacing("\r", with: "\\r").sanitized
    let advice =
      interpreter.last == UInt8(ascii: "\r") ? "; the file has Windows line endings" : ""
    return "its first line names '\(name)', which does not exist\(advice)"
  }
}
