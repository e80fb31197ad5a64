import Glibc
import HeadwaySystem
import ProcessFixtures
import Testing

/// A folder for one test, and a mark by which its processes are known.
///
/// Its processes have a runtime directory of their own, so that they do not find the runs of other tests.
final class Sandbox {
  /// Where the processes of the test find each other.
  private enum Runtime {
    /// A folder of this sandbox.
    case own(String)
    /// The folder of another sandbox of the test, which is kept.
    case shared(Sandbox)
    /// That of this process.
    case tests
  }

  /// The path of the folder.
  let path: String
  /// The variable that every process of the test has in its environment.
  let mark: String
  private let runtime: Runtime

  /// Creates a folder with a plan in it.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - name: The name of the plan's file.
  ///   - other: Another sandbox, whose processes those in this one see.
  ///   - seesTests: Whether the processes of the test see what this process publishes, and what all other tests do.
  init(
    plan: String = "", named name: String = "plan.yaml", beside other: Sandbox? = nil,
    seesTests: Bool = false
  ) {
    var template = Array("/tmp/headway-test-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { preconditionFailure("no temporary folder") }
    path = unsafe String(cString: made)
    mark = "HEADWAY_TEST=\(path)"
    if let other {
      runtime = .shared(other)
    } else if seesTests {
      runtime = .tests
    } else {
      runtime = .own("\(path).run")
      unsafe mkdir("\(path).run", 0o700)
    }
    write(plan, to: name)
  }

  deinit {
    FileSystem.removeTree(Array(path.utf8))
    if case .own(let folder) = runtime { FileSystem.removeTree(Array(folder.utf8)) }
  }

  /// What every process of the test has in its environment, as `NAME=value`.
  var variables: [String] { [mark] + runtimeVariables }

  private var runtimeVariables: [String] {
    switch runtime {
    case .own(let folder): ["XDG_RUNTIME_DIR=\(folder)"]
    case .shared(let other): other.runtimeVariables
    case .tests: []
    }
  }

  /// Makes a program in the folder.
  func installProgram(_ text: String, at name: String) {
    ProcessFixtures.installProgram(text, at: "\(path)/\(name)")
  }

  /// Writes a file of the folder; a named pipe once somebody reads it.
  func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }

  /// Writes bytes to a file of the folder; to a named pipe once somebody reads it.
  func write(_ bytes: [UInt8], to name: String) {
    var file: Int32 = -1
    // Opening a pipe that nobody reads would never return.
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK
    let isDone = eventually {
      file = unsafe open("\(path)/\(name)", flags, 0o644)
      return file >= 0 || errno != ENXIO
    }
    guard isDone else {
      Issue.record("nobody reads \(name)")
      return
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      precondition(count > 0, "cannot write \(name)")
      rest = rest.dropFirst(count)
    }
    close(file)
  }

  /// Makes a folder in the folder.
  func makeFolder(_ name: String) { unsafe mkdir("\(path)/\(name)", 0o755) }

  /// Reads a file of the folder; empty when there is none, and when nobody writes to a named pipe.
  func read(_ name: String) -> String {
    // Opening a pipe to which nobody writes would never return.
    let file = unsafe open("\(path)/\(name)", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return "" }
    defer { close(file) }
    var bytes: [UInt8] = []
    while RunningTool.isReadable(file) {
      let more = nextBytes(of: file)
      if more.isEmpty { break }
      bytes += more
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The names of the runs that began in the folder, the oldest first.
  ///
  /// Their names alone do not tell the order: the clock may have been set back.
  var runs: [String] {
    let names = folderEntries("\(path)/.headway/runs").filter { $0.first?.isNumber ?? false }
    return names.map { name -> (order: Int, name: String) in
      let header = read(".headway/runs/\(name)/run.json")
      let order = header.split(separator: "\"order\":").last
      return (Int(order?.prefix { $0.isNumber } ?? "") ?? .max, name)
    }.sorted { $0.order < $1.order }.map(\.name)
  }

  /// The paths of the regular files in the folder and below it, relative to it.
  var files: [String] { files(in: "") }

  private func files(in folder: String) -> [String] {
    folderEntries("\(path)/\(folder)").flatMap { name -> [String] in
      var status = stat()
      guard unsafe lstat("\(path)/\(folder)\(name)", &status) == 0 else { return [] }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: return files(in: "\(folder)\(name)/")
      case S_IFREG: return ["\(folder)\(name)"]
      default: return []
      }
    }
  }

  /// Whether there is a file.
  func has(_ name: String) -> Bool { unsafe access("\(path)/\(name)", F_OK) == 0 }

  /// The processes of the test that are alive.
  func survivors() -> [String] {
    folderEntries("/proc").compactMap { Int32($0) }.filter { $0 != getpid() }.compactMap { pid in
      let variables = bytes(ofFile: "/proc/\(pid)/environ").split(separator: 0)
      guard variables.contains(where: { $0.elementsEqual(mark.utf8) }) else { return nil }
      let words = bytes(ofFile: "/proc/\(pid)/cmdline").map { $0 == 0 ? UInt8(ascii: " ") : $0 }
      return "\(pid) \(String(decoding: words, as: UTF8.self))"
    }
  }
}

/// The contents of a file; empty when it cannot be read.
func bytes(ofFile path: String) -> [UInt8] {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return [] }
  defer { close(file) }
  var bytes: [UInt8] = []
  while true {
    let more = nextBytes(of: file)
    if more.isEmpty { return bytes }
    bytes += more
  }
}

/// The next bytes of an open file; empty at its end.
private func nextBytes(of file: Int32) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { room, count in
    count = unsafe max(Glibc.read(file, room.baseAddress, 1 << 16), 0)
  }
}
