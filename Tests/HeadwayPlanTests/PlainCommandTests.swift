import Testing

@testable import HeadwayPlan

/// Which command lines need no shell.
struct PlainCommandTests {
  @Test(arguments: [
    ("make -j8 all", ["make", "-j8", "all"]),
    ("  tar\txf src.tar ", ["tar", "xf", "src.tar"]),
    ("curl -fsS http://127.0.0.1:8000/a%20b@c", ["curl", "-fsS", "http://127.0.0.1:8000/a%20b@c"]),
    ("dd if=a of=b", ["dd", "if=a", "of=b"]),
  ])
  func `A line of plain words is split`(line: String, words: [String]) {
    #expect(PlainCommand.split(line) == words)
    #expect(PlainCommand.arguments(for: line) == words)
  }

  @Test(arguments: [
    "echo $HOME", "a | b", "a && b", "a; b", "a > b", "ls *.c", "ls a?", "ls [ab]", "echo 'a b'",
    "echo \"a\"", "a `b`", "a\\ b", "~/bin/x", "a # b", "{ a; }", "! a", "X=1 make", "cd src",
    "exit 3", "test -f a", "a\nb", "échо", "", "  ", "a &", "a^b", "time make",
  ])
  func `A line with anything that a shell would treat is left to the shell`(line: String) {
    #expect(PlainCommand.split(line) == nil)
    #expect(PlainCommand.arguments(for: line).first == "/bin/sh")
    #expect(PlainCommand.arguments(for: line).last == line)
  }

  @Test func `A text of several lines stops at the first failure, one line does not`() {
    #expect(PlainCommand.arguments(for: "a\nb\n")[1] == "-ec")
    #expect(PlainCommand.arguments(for: "a; b")[1] == "-c")
    #expect(PlainCommand.arguments(for: "a; b\n")[1] == "-c")
  }

  @Test(
    arguments: [
      ("make -j4 all", "make"), ("  /usr/bin/cc -c a.c", "/usr/bin/cc"),
      ("CC=gcc V=1 make", "make"), ("# first\n\n  cargo build\n", "cargo"),
      ("cd build && make", "sh"), ("for x in a b; do echo $x; done", "sh"),
      ("\"my tool\" --all", "sh"), ("TOKEN=$(cat secret) run", "sh"), ("", "sh"),
      ("/bin/echo x", "/bin/echo"), ("echo x", "sh"), ("A=1", "sh"), ("A=1\nmake", "sh"),
      ("A=1 # c", "sh"), ("# only a comment", "sh"), ("#!/bin/sh\n\tls -l", "ls"), ("échо", "sh"),
    ])
  func `The program of a line is its first word that is no assignment`(
    line: String, program: String
  ) {
    #expect(PlainCommand.program(of: line) == program)
  }

  @Test(arguments: [
    ("make -j4 all", "make"), ("CC=gcc /usr/bin/make && x", "make"), ("./srv.sh api", "srv.sh"),
    ("sh tools/build.sh x", "build.sh"), ("bash tools/build", "build"),
    ("python3.12 train.py --fold 2", "train.py"), ("node --test", ""), ("python3 -m pytest", ""),
    ("sleep 1; x", "sleep"), ("for x in a b; do echo $x; done", ""), ("cd a && make", ""),
    ("echo x", ""), ("bash -c 'make'", ""), ("sudo apt.sh", ""), ("env A=1.2 make", ""), ("", ""),
    ("sh build", ""), ("shellcheck a.sh", "shellcheck"),
  ])
  func `Commands that a shell or an interpreter carries out are alike only if the script is`(
    line: String, kind: String
  ) {
    #expect(Plan.Command.shell(line).kind == kind)
  }

  @Test func `A program and its arguments are of the same kind as the line`() {
    #expect(Plan.Command.program(["/usr/bin/python3", "a/b.py"]).kind == "b.py")
    #expect(Plan.Command.program(["/bin/sh", "-c", "make"]).kind == "")
    #expect(Plan.Command.program(["/usr/bin/cc", "a.c"]).kind == "cc")
  }

  @Test(arguments: [
    ("/usr/bin/cc", "cc"), ("cc", "cc"), ("./a", "a"), ("a/b//", "b"), ("///", ""), ("", ""),
    ("dir/schön", "schön"), ("a/\u{301}b", "\u{301}b"),
  ])
  func `The last component of a path is its name`(path: String, name: String) {
    #expect(PlainCommand.lastComponent(path) == name)
  }
}
