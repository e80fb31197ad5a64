import Testing

@testable import HeadwayPlan

/// Where a shell reads a value of harmless characters as more than part of a word.
struct ValuePlacesTests {
  /// Returns whether the shell would misread a value that takes the place of `{X}`.
  private func isMisread(_ text: String, _ value: String) -> Bool {
    var ranges: [Range<Int>] = []
    let template = Template(keys: ["X"], values: [value])
    let expanded = template.replaced(text) { key, place in
      ranges.append(place..<place + value.utf8.count)
      return value
    }
    return ValuePlaces.firstMisread(in: expanded, values: ranges) != nil
  }

  @Test(arguments: [
    // A descriptor.
    ("echo {X}>out", "2"), ("echo {X}<in", "2"), ("{X}>out", "2"), ("echo 1{X}>out", "2"),
    ("echo {X}0>out", "1"), ("a;{X}>>out", "2"), ("a {X}{X}>out", "1"), ("cat {X}<<E\nE", "3"),
    ("a >&{X}", "-"), ("a 2>& {X}", "out"),
    // An assignment.
    ("{X} make;", "CC=gcc"), ("{X}=1 make;", "PATH"), ("A{X}=1 make;", "B"), ("A{X}", "=b"),
    ("a && {X} b", "A=1"), ("(cd a; {X} b)", "A=1"), ("A=\"b c\" {X} d;", "E=1"),
    ("if {X} a; then b; fi", "A=1"), ("a | {X} b", "A=+=1"), (">out {X} a", "A=1"),
    ("2>out {X} a", "A=1"), ("echo \"$({X} a)\"", "A=1"), ("echo `{X} a`", "A=1"),
    ("case a in a) {X} b;; esac", "A=1"), ("a\n{X} b", "A=1"), ("a; \\\n{X} b", "A=1"),
    ("A{X}=1;", "+"), ("{ {X} a; }", "A=1"),
    // A word of the grammar.
    ("{X} a; then b; fi", "if"), ("a; {X}", "done"), ("! {X} a", "time"),
    // A home folder.
    ("ls ~{X}/a", "root"), ("A=~{X};", "root"), ("A=b:~{X};", "root"), ("A={X}~/b;", "c:"),
    ("ls ~{X};", "+"), ("ls {X};", "=ls"),
    // A number, and what is evaluated as one.
    ("echo $(({X} * 2))", "a"), ("echo $(((1) + {X}))", "1+1"), ("echo \"$(({X}))\"", "a"),
    ("(({X}))", "a"), ("echo $[{X}]", "a"), ("echo $((2-{X}))", "-1"),
    // The name of a variable, and its operator.
    ("echo $A{X};", "B"), ("echo \"$A{X}\"", "_B"), ("echo \"${A{X}}\"", "%x"),
    ("echo ${A:{X}}", "-x"), ("echo ${A%{X}}", "%x"), ("cat <<E\n$A{X}\nE\n", "B"),
    ("cat <<E\n${A:{X}}\nE\n", "=x"),
    // The end of a here-document.
    ("cat <<EOF\n{X}\nrm a\nEOF\n", "EOF"), ("cat <<-'E'\n\t{X}\na\nE\n", "E"),
    ("cat <<E{X}\na\nE2\n", "2"), ("cat <<{X}\na\n", "-a"), ("cat <<A <<\"B\"\nA\n{X}\nB\n", "B"),
    // An escape.
    ("echo $'\\{X}'", "n"), ("echo $'a\\x4{X}'", "1"), ("echo $'\\u26{X}'", "3A"),
    // A range, or several words.
    ("ls [{X}]*", "a-z"), ("ls a{1,{X}}", "2,3"), ("ls a{1..{X}}", "3..2"),
    // After quotes and comments.
    ("# don't\necho {X}>out", "2"), ("cat <<E\ndon't\nE\n{X} a", "A=1"),
  ])
  func `A value is misread`(text: String, value: String) {
    #expect(isMisread(text, value))
  }

  @Test(arguments: [
    ("echo {X} >out", "2"), ("echo {X}>out", "a2"), ("echo a{X}>out", "2"), ("echo '{X}'>out", "2"),
    ("echo \"{X}\">out", "2"), ("a >{X}", "2"), ("a 2>&{X}", "1"), ("a >{X} b=1", "A=1"),
    ("make {X} && b", "CC=gcc"), ("make a{X}=1;", "B"), ("A={X} make;", "b=c"), ("{X}=1 a;", "a.b"),
    ("make -j$(nproc) {X};", "CC=gcc"), ("env {X} make;", "A=1"), ("\"{X}\" a;", "if"),
    ("echo {X};", "if"), ("a; # {X}", "A=1"), ("{X} a;", "exit"), ("export {X};", "A=1"),
    ("git log HEAD~{X};", "2"), ("ls ~{X};", "/a"), ("echo '~{X}'", "root"), ("ls ~/{X};", "a"),
    ("echo $(({X} * 2))", "21"), ("(cd {X}; (a))", "b"), ("echo $(cat {X})", "a-b"),
    ("echo $A{X};", "/b"), ("echo ${A}{X};", "b"), ("echo \\$A{X};", "B"), ("echo '$A{X}'", "B"),
    ("echo ${A:-{X}}", "-x"), ("echo \"${A+{X}}\"", "%x"), ("cat <<E\na {X}\nE\n", "E"),
    ("cat <<E\n{X}\nE\n", "F"), ("cat <<E\n\t{X}\nE\n", "E"), ("echo $'a{X}'", "n"),
    ("echo '\\{X}'", "n"), ("echo \\{X};", "n"), ("echo $'\\n-{X}'", "1"), ("a <<< {X}", "b"),
    ("echo \"done [{X}]\"", "a-z"), ("[ {X} = a ]", "a-z"), ("{ a {X}; }", "b,c"),
    ("curl -d '{\"level\":{X}}'", "1.5"), ("ls [{X}]*", "ab"), ("echo -{X};", "-x"),
    ("echo \"it's {X}\"", "A=1"), ("cd {X} || exit", "-"), ("awk '{print $1}' {X};", "a=1"),
  ])
  func `A value is part of a word`(text: String, value: String) {
    #expect(!isMisread(text, value))
  }

  @Test func `Any text can be read, and each value of it is looked at`() {
    let pieces = [
      "{X}", "{X}", " ", "\n", "'", "\"", "\\", "$", "(", ")", "{", "}", "[", "]", "`", "<", ">",
      "&", "#",
      "=", "a", "1", "-", "~", ";",
    ]
    var state: UInt64 = 7
    func random(below bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<20_000 {
      let text = (0..<random(below: 16)).map { _ in pieces[random(below: pieces.count)] }.joined()
      _ = isMisread(text, "x")
    }
  }
}
