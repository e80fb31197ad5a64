import FuzzSupport
import Glibc
import HeadwayFiles
import HeadwayPlan
import HeadwaySystem

@testable import HeadwayRunner
@testable import HeadwayState

/// Reads commands, patterns of files and other texts that decide what a task runs and reads.
@main
enum CommandFuzzer {
  static func main() {
    makeTree()
    fuzz(check)
  }

  /// Checks one input.
  private static func check(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.number(below: 4) {
    case 0: checkCommand(input.text())
    case 1: checkVariables(input.lastText())
    case 2: checkPattern(input.text())
    default: checkNames(Array(input.rest))
    }
  }

  // MARK: Commands

  /// Checks that a command without a shell has the words that a shell would find.
  private static func checkCommand(_ text: String) {
    let program = PlainCommand.program(of: text)
    expect(!program.isEmpty, "a command without a program")
    expect(text.contains(program) || program == "sh", "another program")
    _ = PlainCommand.lastComponent(text)
    let arguments = PlainCommand.arguments(for: text)
    guard let words = PlainCommand.split(text) else {
      expect(arguments.first == "/bin/sh" && arguments.last == text, "another command")
      return
    }
    expect(arguments == words && program == words[0], "two meanings of a command")
    expect(words == expanded(text), "a shell finds other words in '\(text)'")
  }

  /// The words that the shell of the C library finds, which runs no commands.
  private static func expanded(_ text: String) -> [String]? {
    var result = wordexp_t()
    guard wordexp(text, &result, Int32(WRDE_NOCMD)) == 0 else { return nil }
    defer { wordfree(&result) }
    return (0..<Int(result.we_wordc)).map { index in
      result.we_wordv[index].map { String(cString: $0) } ?? ""
    }
  }

  /// Checks that the variables of a text are names that follow a dollar sign in it.
  private static func checkVariables(_ text: String) {
    for name in ShellVariables.names(in: [text]) {
      let isName = name.unicodeScalars.allSatisfy {
        $0 == "_" || $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
      }
      expect(isName && !name.isEmpty && name.first?.isNumber == false, "'\(name)' is no name")
      let places = ["$\(name)", "${\(name)", "${#\(name)", "${!\(name)"]
      expect(places.contains { contains(text, $0) }, "'\(name)' is not in the text")
    }
    expect(
      ShellVariables.names(in: [text + "\n${NEW:-1}"]).contains("NEW"), "a variable was not found")
  }

  /// Whether a text has these bytes in it, whatever characters they are part of.
  private static func contains(_ text: String, _ part: String) -> Bool {
    let (bytes, wanted) = (Array(text.utf8), Array(part.utf8))
    return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
  }

  // MARK: Patterns

  /// Creates a tree of files, and enters a directory in it with two empty ones above.
  private static func makeTree() {
    let root = makeTemporaryFolder()
    for folder in ["up", "up/here", "src", "src/deep", "src/deep/er", ".hidden", "a[b]", "loop"] {
      mkdir("\(root)/up/here/\(folder)", 0o700)
      mkdir("\(root)/\(folder)", 0o700)
    }
    expect(chdir("\(root)/up/here") == 0, "no directory for files: \(errno)")
    for folder in ["src", "src/deep", "src/deep/er", ".hidden", "a[b]", "loop"] {
      mkdir(folder, 0o700)
    }
    for file in [
      "a.c", "b.h", "README", ".dot", "src/a.c", "src/b.cc", "src/deep/a.c", "src/deep/er/z.c",
      ".hidden/a.c", "a[b]/c", "with space", "back\\slash", "star*", "é", "src/-x",
    ] {
      write([UInt8(ascii: "x")], to: file)
    }
    symlink("..", "loop/parent")
    symlink("../src", "loop/src")
    symlink("missing", "dangling")
    mkfifo("pipe", 0o600)
  }

  /// Checks that the files of a pattern exist, and include those that the C library finds.
  private static func checkPattern(_ text: String) {
    let parts = text.split(separator: "/")
    // Outside of the tree a search may take long.
    let climbs = parts.count { part in String(part).replacing("\\", with: "") == ".." }
    guard !text.hasPrefix("/"), !text.hasPrefix("\\/"), climbs <= 2 else { return }
    let found = FilePattern(text).search()
    expect(found.exceededLimit == nil, "\(found.exceededLimit ?? "") in a small tree")
    expect(
      zip(found.files, found.files.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) },
      "files that are not sorted, or that are there twice")
    for file in found.files {
      expect(FileSystem.kind(of: file, followsLinks: true) == .file, "no regular file")
    }
    // `**` is the part that the C library does not know.
    guard !text.contains("**") else { return }
    let files = Set(found.files.map(identity))
    // A `.*` of the C library matches `..` as well, and leaves the directory.
    let links = dots(Array(text.utf8))
    for path in globbed(text)
    where dots(path) == links && FileSystem.kind(of: path, followsLinks: true) == .file {
      expect(
        files.contains(identity(path)), "\(String(decoding: path, as: UTF8.self)) is not found")
    }
  }

  /// The number of parts of a path that are `.` or `..`.
  private static func dots(_ path: PathBytes) -> Int {
    path.split(separator: UInt8(ascii: "/")).count {
      $0.count <= 2 && $0.allSatisfy { $0 == UInt8(ascii: ".") }
    }
  }

  /// The paths that the C library finds.
  private static func globbed(_ text: String) -> [PathBytes] {
    var result = glob_t()
    defer { globfree(&result) }
    guard glob(text, 0, nil, &result) == 0 else { return [] }
    return (0..<Int(result.gl_pathc)).compactMap { index in
      result.gl_pathv[index].map { path in Array(String(cString: path).utf8) }
    }
  }

  /// The number of a file, by whatever path.
  private static func identity(_ path: PathBytes) -> UInt {
    var status = stat()
    _ = FileSystem.withPath(path) { stat($0, &status) }
    return UInt(status.st_ino)
  }

  // MARK: Names

  /// Checks the names of files and of runs, and the search of an environment for a task.
  private static func checkNames(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let name = StateFolder.fileName(text, index: 7)
    expect(name.utf8.count <= 255 && !name.contains("/"), "'\(name)' is no name of a file")
    expect(name.first != "." && name.isOnlyASCIICommandFree, "an unsafe name of a file")
    if let process = StateFolder.processNumber(of: text) {
      expect(process >= 0, "a process number below 0")
    }
    let orphans = Orphans(identity: "run", taskCount: 100)
    _ = orphans.task(inEnvironment: Array("PATH=/bin\0HEADWAY_TASK_ID=run.".utf8) + bytes)
    _ = orphans.task(inEnvironment: bytes)
  }
}

extension String {
  /// Whether the text has no control character of ASCII.
  fileprivate var isOnlyASCIICommandFree: Bool {
    utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
