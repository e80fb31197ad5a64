import Glibc
import Testing

@testable import HeadwayRunner

/// Patterns of files.
struct FilePatternTests {
  /// A tree with hidden parts.
  private let folder = Folder([
    "a.c", "b.h", ".hidden.c", "src/a.c", "src/b.c", "src/deep/c.c", "src/deep/d.txt",
    "src/.git/e.c", "odd/[x].c", "odd/x.c",
  ])

  /// The matches of a pattern, without the folder's own path.
  private func matches(_ pattern: String) -> [String] {
    FilePattern("\(folder.path)/\(pattern)").files().map {
      String($0.dropFirst(folder.path.count + 1))
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
  ])
  func `A pattern matches as a shell with globstar would`(pattern: String, files: [String]) {
    #expect(matches(pattern) == files)
  }

  @Test func `A circle of links ends`() {
    unsafe symlink(".", "\(folder.path)/src/loop")
    #expect(matches("src/**/c.c").contains("src/deep/c.c"))
  }
}
