import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayFiles

/// Patterns of files.
@Suite(.timeLimit(.minutes(60)))
struct FilePatternTests {
  /// A tree with hidden parts.
  private let folder = Folder([
    "a.c", "b.h", ".hidden.c", "src/a.c", "src/b.c", "src/deep/c.c", "src/deep/d.txt",
    "src/.git/e.c", "odd/[x].c", "odd/x.c", "odd/back\\/x",
  ])

  /// The matches of a pattern, without the folder's own path; nil if the search needs far more steps than these trees have.
  private func matches(_ pattern: String) -> [String]? {
    let search = FilePattern("\(folder.path)/\(pattern)", maxEntries: 5_000).search()
    if search.exceededLimit != nil { return nil }
    return search.files.map {
      String(decoding: $0.dropFirst(folder.path.utf8.count + 1), as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("a.c", ["a.c"]),
    ("*.c", ["a.c"]),
    ("?.[ch]", ["a.c", "b.h"]),
    ("**/*.c", ["a.c", "odd/[x].c", "odd/x.c", "src/a.c", "src/b.c", "src/deep/c.c"]),
    ("src/**/*.c", ["src/a.c", "src/b.c", "src/deep/c.c"]),
    ("src/**", ["src/a.c", "src/b.c", "src/deep/c.c", "src/deep/d.txt"]),
    ("src", ["src/a.c", "src/b.c", "src/deep/c.c", "src/deep/d.txt"]),
    ("src/*/*.c", ["src/deep/c.c"]),
    (".hidden.c", [".hidden.c"]),
    (".h*", [".hidden.c"]),
    ("src/.git/*", ["src/.git/e.c"]),
    ("odd/\\[x\\].c", ["odd/[x].c"]),
    ("none", []),
    ("a.c/b", []),
    ("./src/./a.c", ["src/a.c"]),
    ("src\\/a.c", ["src/a.c"]),
    ("s*\\/\\a.c", ["src/a.c"]),
    ("src\\//.\\/a.c", ["src/a.c"]),
    ("src\\/deep\\/", ["src/deep/c.c", "src/deep/d.txt"]),
    ("odd/back\\\\/x", ["odd/back\\/x"]),
    ("odd/back\\\\\\/x", ["odd/back\\/x"]),
    ("odd/back\\/x", []),
    ("src\\\\/a.c", []),
  ])
  func `A pattern matches as a shell with globstar would`(pattern: String, files: [String]) {
    #expect(matches(pattern) == files)
  }

  @Test(arguments: [".", "./", "././", "**", "./**"])
  func `The folder itself stands for all files below it, except hidden ones`(pattern: String) {
    let folder = Folder()
    for name in ["a.c", ".hidden", "src/b.c", "src/.git/c", "src/deep/d"] {
      folder.write(name, "x")
    }
    let expected = ["a.c", "src/b.c", "src/deep/d"].map { Array($0.utf8) }
    #expect(FilePattern(pattern).search(in: folder.path).files == expected)
  }

  @Test func `A pattern that begins with an escaped slash begins at the root`() {
    let pattern = FilePattern("\\\(folder.path)/a.c")
    #expect(pattern.search(in: "/none").files == [Array("\(folder.path)/a.c".utf8)])
  }

  @Test func `Cycles of links end`() {
    unsafe symlink(".", "\(folder.path)/src/loop")
    unsafe symlink(".", "\(folder.path)/src/other")
    #expect(matches("src/**/*.c") == ["src/a.c", "src/b.c", "src/deep/c.c"])
  }

  @Test(arguments: ["links", "links/**", "links/**/*"])
  func `Links of a directory to itself are not followed`(pattern: String) throws {
    folder.write("links/file", "x")
    for number in 0..<30 { unsafe symlink(".", "\(folder.path)/links/link\(number)") }
    unsafe symlink("file", "\(folder.path)/links/same")
    // A link to a file counts as a file.
    let found = try #require(matches(pattern))
    #expect(Set(["links/file", "links/same"]).isSubset(of: Set(found)))
    if pattern == "links" { #expect(found == ["links/file", "links/same"]) }
  }

  @Test func `A pattern with several double stars visits each directory once for each of them`() {
    var path = "deep"
    for _ in 0..<60 { path += "/d" }
    folder.write("\(path)/file.c", "x")
    // Without a memory of what was visited, this would take 60 to the power of 5 steps.
    #expect(matches("deep/**/d/**/d/**/d/**/d/**/*.c") == ["\(path)/file.c"])
  }

  @Test func `A search that exceeds a limit says so`() {
    var path = "deep"
    for _ in 0..<300 { path += "/d" }
    folder.write("\(path)/file", "x")
    let search = FilePattern("\(folder.path)/deep").search()
    #expect(search.exceededLimit == "more than 256 levels of folders")
  }

  @Test func `A search of too many files ends and says so`() {
    #expect(FilePattern("\(folder.path)/?.[ch]", maxEntries: 5).search().exceededLimit == nil)
    let search = FilePattern("\(folder.path)/?.[ch]", maxEntries: 4).search()
    #expect(search.exceededLimit == "more than 4 files and folders")
  }

  @Test func `An interrupted search finds nothing more`() {
    let interruption = Interruption()
    interruption.set()
    #expect(FilePattern("\(folder.path)/src").search(until: interruption).files.isEmpty)
  }

  @Test func `What is no regular file is left out`() {
    unsafe mkfifo("\(folder.path)/src/pipe.c", 0o600)
    #expect(matches("src/*.c") == ["src/a.c", "src/b.c"])
  }

  @Test func `Names that look alike are different files`() {
    folder.write("same/\u{E9}", "composed")
    folder.write("same/e\u{301}", "decomposed")
    #expect(FilePattern("\(folder.path)/same/*").search().files.count == 2)
  }
}
