import Glibc
import HeadwayPlan
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// The files whose changes make a run worth repeating.
struct WatchedFilesTests {
  private let folder = Folder(["plan.yaml", "src/a.c", "src/deep/b.c", "out.o", "other"])

  /// The plan of a compiler and a linker.
  private static func plan() throws -> Plan {
    try Plan.read(
      Array(
        """
        tasks:
          compile: { run: cc, inputs: ["src/**/*.c", "missing/x.c"], outputs: "*.o" }
          link: { run: ld, inputs: "*.o", after: compile }
        """.utf8), file: "plan.yaml")
  }

  private func look() throws -> WatchedFiles {
    WatchedFiles(
      of: try Self.plan(), files: ["\(folder.path)/plan.yaml"], in: folder.path)
  }

  @Test func `Inputs that no task writes count, and the plan`() throws {
    let files = try look()
    #expect(files.hasInputs)
    #expect(files.count == 3)
    #expect(files == (try look()))
  }

  @Test(arguments: [
    ("src/a.c", true), ("src/deep/b.c", true), ("src/new.c", true), ("plan.yaml", true),
    ("out.o", false), ("other", false), ("src/a.txt", false),
  ])
  func `A change of such a file is a difference, and no other is`(
    _ name: String, _ isDifferent: Bool
  ) throws {
    let before = try look()
    folder.write(name, "changed")
    #expect((before != (try look())) == isDifferent)
  }

  @Test func `A removed file is a difference`() throws {
    let before = try look()
    unsafe unlink("\(folder.path)/src/a.c")
    #expect(before != (try look()))
  }

  @Test func `All folders that patterns lead through are watched, as far as they exist`() throws {
    let folders = try look().folders.map {
      String(decoding: $0, as: UTF8.self).replacing(folder.path, with: "")
    }
    #expect(Set(folders) == ["/", "/src/", "/src/deep/"])
  }

  @Test func `Files whose names are equal for Unicode only are two`() throws {
    let folder = Folder()
    let names = ["\u{E9}.c", "e\u{301}.c"]
    for name in names { folder.write(name, "1") }
    var plan = Plan(name: "plan", workers: nil, pools: [], tasks: [])
    var task = Plan.Task(name: "t", base: "t")
    task.inputs = names
    plan.tasks.append(task)
    func look() -> WatchedFiles { WatchedFiles(of: plan, files: [], in: folder.path) }
    #expect(look().count == 2)
    for name in names {
      let before = look()
      folder.write(name, "changed")
      #expect(before != look())
    }
  }
}
