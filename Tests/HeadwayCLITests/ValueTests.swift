import ProcessFixtures
import Repetitions
import Testing

/// Values of variables, matrix keys and arguments, from the command line to the arguments of a program.
struct ValueTests {
  /// What means something to shells, to YAML or to Headway, and a few harmless texts.
  private static let pieces = [
    "'", "\"", "`touch pwned`", "$(touch pwned)", "a[$(touch pwned)]", "$((1))", "${V}", "$V", "\\",
    "\n", "\r", "\t", " ", "*", "?", "[a]", "~", "~root", "#", "!", "!!", ";", "&&", "|", "(", ")",
    "<", ">", "2", "2>&1", "<<E", "E", "EOF", "A=1", "=", "-", "--", "-e", "if", "done", "%s", "%",
    "{V}", "{{", "{", "}", "{args}", "{a,b}", ": ", ",", "é", "e\u{301}", "\u{1F642}", "\u{1B}[31m",
    "\u{202E}", "x", "word",
  ]

  /// A small generator of numbers that are the same in every run.
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state ^ (state >> 29)) &* 0xBF58_476D_1CE4_E5B9
    }
  }

  /// A text in double quotes of YAML.
  private static func yaml(_ text: String) -> String {
    let characters = text.unicodeScalars.map { scalar -> String in
      if scalar.isASCII, scalar.value >= 32, scalar != "\"", scalar != "\\" { return "\(scalar)" }
      let digits = String(scalar.value, radix: 16)
      return "\\U\(String(repeating: "0", count: 8 - digits.count))\(digits)"
    }
    return "\"\(characters.joined())\""
  }

  /// A plan whose tasks each give the program `show` two values, both in one word, and one within another word.
  private static func plan(_ first: String, _ second: String) -> String {
    let words = #"./show "$V" "$W" "$V$W" "-${V}-""#
    return """
      vars: { V: x, W: y, o-k: "{W}" }
      tasks:
        text: { env: { OUT: text }, run: '\(words)' }
        bash: { env: { OUT: bash }, run: '\(words)', shell: bash }
        script:
          env: { OUT: script }
          run: |
            if true; then
              \(words)
            fi
        other: { env: { OUT: other, o_k: "{o-k}" }, run: './show "$V" "$o_k" "$V$o_k" "-${V}-"' }
        list: { env: { OUT: list }, run: [./show, "{V}", "{W}", "{V}{W}", "-{V}-"] }
        env: { env: { OUT: env, A: "{V}", B: "{W}", C: "{V}{W}", D: "-{V}-" }, run: './show "$A" "$B" "$C" "$D"' }
        when: { env: { OUT: when }, when: '\(words)', run: ./nothing }
        when-list: { env: { OUT: when-list }, when: [./show, "{V}", "{W}", "{V}{W}", "-{V}-"], run: ./nothing }
        ready: { env: { OUT: ready }, run: [sleep, "1000"], service: { ready: { run: '\(words)' } } }
        matrix: { env: { OUT: matrix }, run: './show "$m" "$n" "$m$n" "-${m}-"', matrix: { m: [\(yaml(first))], n: [\(yaml(second))] } }
        matrix-list: { env: { OUT: matrix-list }, run: [./show, "{m}", "{n}", "{m}{n}", "-{m}-"], matrix: { m: [\(yaml(first))], n: [\(yaml(second))] } }
        arguments: { env: { OUT: arguments }, run: './show "$@"; true' }
        argument-list: { env: { OUT: argument-list }, run: [./show, "{args}"] }
        shown: { after: ready, env: { OUT: shown }, run: '\(words)' }
      on_end: { env: { OUT: on_end }, run: '\(words)' }

      """
  }

  private static let outputs = [
    "text", "bash", "script", "other", "list", "env", "when", "when-list", "ready", "matrix",
    "matrix-list", "arguments", "argument-list", "shown", "on_end",
  ]

  @Test(arguments: [
    "./show {V}", "./show x{V}y", "./show \"{V}\"", "./show \"x{V}y\"", "./show \"{V}.c\"{V}/{V}",
    "./show '{V}'", "./show 'it is {V}' {V}", "./show a 'b c' {V} # isn't it",
    "true && ./show \"{V} {o-k}\"",
    "./show {args} \"{args}\"", "./show \"all: {args}\"",
  ])
  func `What the message for a text says to write gives programs what was meant`(text: String) {
    let sandbox = Sandbox(plan: "")
    sandbox.installProgram("#!/bin/sh\nprintf '%s\\0' \"$@\" > out\n", at: "show")
    func run(_ task: String) -> (end: ProcessEnd, text: String) {
      sandbox.write("vars: { V: x, o-k: x }\ntasks: { t: { \(task) } }\n", to: "plan.yaml")
      let uses = text.contains("args") ? ["--", "1 2", "3"] : []
      return RunningTool.run(
        ["run", "plan.yaml", "--ui", "plain", "V=a '\"$(b)\n*", "o-k=;c"] + uses, in: sandbox)
    }
    let result = run("run: '\(text.replacing("'", with: "''"))'")
    #expect(result.end == .code(2))
    guard let match = result.text.firstMatch(of: #/; write (env: .* and )?(run: .*), or {{/#) else {
      Issue.record("\(result.text)")
      return
    }
    let setup = match.1.map { "\($0.dropLast(" and ".count)), " } ?? ""
    let right = run("\(setup)\(match.2)")
    #expect(right.end == .code(0), "\(right.text)")
    let value = "a '\"$(b)\n*"
    let words =
      switch text {
      case "./show {V}", "./show \"{V}\"", "./show '{V}'": [value]
      case "./show x{V}y", "./show \"x{V}y\"": ["x\(value)y"]
      case "./show \"{V}.c\"{V}/{V}": ["\(value).c\(value)/\(value)"]
      case "./show 'it is {V}' {V}": ["it is \(value)", value]
      case "./show a 'b c' {V} # isn't it": ["a", "b c", value]
      case "true && ./show \"{V} {o-k}\"": ["\(value) ;c"]
      case "./show {args} \"{args}\"": ["1 2", "3", "1 2", "3"]
      default: ["all: 1 2 3"]
      }
    #expect(sandbox.read("out") == words.map { "\($0)\0" }.joined())
  }

  @Test(arguments: 0..<repetitions(6, real: 200))
  func `A value is one argument, byte by byte`(seed: Int) throws {
    var numbers = Numbers(state: UInt64(seed) &* 977)
    func value() -> String {
      (0..<Int.random(in: 0...4, using: &numbers)).map { _ in
        Self.pieces.randomElement(using: &numbers) ?? ""
      }.joined()
    }
    let (first, second) = (value(), value())
    let sandbox = Sandbox(plan: Self.plan(first, second))
    sandbox.installProgram("#!/bin/sh\nprintf '%s\\0' \"$@\" > \"$OUT.out\"\n", at: "show")
    sandbox.installProgram("#!/bin/sh\n", at: "nothing")
    let arguments = [first, second, first + second, "-\(first)-"]
    let result = RunningTool.run(
      ["run", "plan.yaml", "--ui", "plain", "V=\(first)", "W=\(second)", "--"] + arguments,
      in: sandbox)
    #expect(result.end == .code(0), "\(result.text)")
    let expected = arguments.map { "\($0)\0" }.joined()
    for name in Self.outputs {
      let shown = sandbox.read("\(name).out")
      #expect(
        shown.utf8.elementsEqual(expected.utf8), "\(name) shows \(shown.debugDescription)")
    }
    #expect(!folderEntries(sandbox.path).contains("pwned"))
  }
}
