import Testing

@testable import HeadwayRunner

/// Which files are copied to another machine.
struct CopyRulesTests {
  @Test(arguments: [
    (
      ["a/b.txt"],
      [
        "--include=/a/", "--include=/a/b.txt", "--exclude=/a/b.txt/.*",
        "--exclude=/a/b.txt/**/.*", "--include=/a/b.txt/***", "--exclude=*",
      ]
    ),
    (
      ["src/**/*.c", "./src/**"],
      [
        "--include=/src/", "--include=/src/*.c", "--include=/src", "--exclude=/src/.*/",
        "--exclude=/src/**/.*/", "--include=/src/**/", "--include=/src/**/*.c",
        "--exclude=/src/*.c/.*", "--exclude=/src/*.c/**/.*",
        "--exclude=/src/**/*.c/.*", "--exclude=/src/**/*.c/**/.*", "--exclude=/src/.*",
        "--exclude=/src/**/.*", "--include=/src/*.c/***", "--include=/src/**/*.c/***",
        "--include=/src/***", "--exclude=*",
      ]
    ),
    ([".", "/etc/hosts"], ["--exclude=/.*", "--exclude=/**/.*", "--include=/**", "--exclude=*"]),
  ])
  func `Patterns become rules, each once`(patterns: [String], rules: [String]) throws {
    #expect(try CopyRules(patterns).options == rules)
  }

  @Test func `A backslash is kept only where rsync takes it away`() throws {
    // Without a special character, rsync takes a backslash for itself.
    let plain = try CopyRules([#"a\\b.txt"#]).options
    #expect(plain.first == #"--include=/a\b.txt"#)
    #expect(plain.contains(#"--include=/a\\b.txt/***"#))
    let special = try CopyRules([#"what\?/[a-c]*"#]).options
    #expect(special.prefix(2) == [#"--include=/what\?/"#, #"--include=/what\?/[a-c]*"#])
  }

  @Test(arguments: [
    (#"photo\[1].txt"#, #"/photo\[1].txt"#), (#"x\*y"#, #"/x\*y"#), (#"a\?"#, #"/a\?"#),
    (#"a\\\[b"#, #"/a\\\[b"#), ("a[b", #"/a\[b"#), ("n\u{301}\\[\u{301}", "/n\u{301}\\[\u{301}"),
  ])
  func `A character that is special for rsync means itself if it does in the pattern`(
    pattern: String, rule: String
  ) throws {
    #expect(try CopyRules([pattern]).options.first == "--include=\(rule)")
  }

  @Test func `A pattern that leads out of the folder is refused`() {
    #expect(throws: CopyRulesError(pattern: "a/../../b")) { try CopyRules(["x", "a/../../b"]) }
  }

  @Test func `Many parts of any depth do not make endless rules`() throws {
    let pattern = Array(repeating: "**/x", count: 30).joined(separator: "/")
    #expect(try CopyRules([pattern]).options.count < 2_000)
  }

  @Test func `Folders of outputs are known as far as their names are`() {
    let files = TaskFiles(
      inputs: [], outputs: ["out.txt", "build/x/*.o", "lib-*/a", "../up/b", "/tmp/c/d", "e/f"])
    #expect(files.outputFolders == ["build/x", "e"])
  }

  @Test func `The command names the folder of the host`() throws {
    let there = try FileCopies.command("me@h", "/c/run", false, ["a"], timeout: 110)
    #expect(there.suffix(3) == ["--", "./", "me@h:/c/run/"])
    let back = try FileCopies.command("::1", "/c/run", true, ["a"], timeout: 110)
    #expect(back.suffix(3) == ["--", "[::1]:/c/run/", "./"])
  }
}
