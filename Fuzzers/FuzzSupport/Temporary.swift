internal import Glibc

/// Creates an empty directory for files of a fuzzer, in `TMPDIR`; `Scripts/fuzz` removes it.
package func makeTemporaryFolder() -> String {
  let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var path = Array("\(parent)/fuzz-XXXXXX".utf8CString)
  precondition(mkdtemp(&path) != nil, "no temporary folder: \(errno)")
  return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Replaces the contents of a file.
package func write(_ bytes: some Collection<UInt8>, to path: String) {
  guard let file = fopen(path, "w") else { preconditionFailure("cannot write \(path): \(errno)") }
  let bytes = Array(bytes)
  precondition(fwrite(bytes, 1, bytes.count, file) == bytes.count, "cannot write \(path)")
  fclose(file)
}

/// Reads a whole file.
package func read(_ path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { preconditionFailure("cannot read \(path): \(errno)") }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = fread(&part, 1, part.count, file)
    if count == 0 { return bytes }
    bytes += part[..<count]
  }
}
