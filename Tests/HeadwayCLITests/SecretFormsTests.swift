import Glibc
import HeadwayCollections
import ProcessFixtures
import Repetitions
import Testing

@testable import HeadwayCLI

/// Random secrets on every way out of the tool: no command prints one, and no file that a run leaves holds one, in any
/// of the forms into which the tool brings a text.
struct SecretFormsTests {
  /// The fewest bytes of a part of a secret that must not be found either: fewer are there by chance.
  private static let partBytes = 8

  /// The tasks: each brings the secrets to another place.
  ///
  /// `V` is a variable with the first secret, which is also an argument.
  private static let plan = """
    name: secrets
    secrets: [A, B, C, D]
    vars: { V: { default: x } }
    tasks:
      pieces: { run: 'printf %s "$A" | dd bs=1 status=none; echo; printf "%s-" "$B" "$C"; exit 3' }
      limited: { run: 'printf %0990d 0; printf %s "$A"; exit 3', log_limit: 1kB }
      arguments: { run: [sh, -c, "exit 4", x, "{args}"] }
      program: { run: ["./none/{V}"] }
      condition: { run: "true", when: ["./none/{V}"] }
      compared: { run: "true", when: { equal: ["{V}", other] } }
      folder: { run: [ls], dir: "none/{V}" }
      files: { run: [sh, -c, "exit 0", "{V}"], inputs: [plan.yaml], outputs: ["none-{V}"] }
      values: { run: 'exit 5', env: { X: "<{V}>" } }
      service: { run: 'exit 6', service: { ready: { output: "%@{V}" } } }
      checked: { run: 'exit 6', service: { ready: { file: "none/%@{V}" } } }
      label: { run: '"$HEADWAY_TOOL" tell --label "label-$(printf %0%#d 0)$A"; read -r go < go.label' }
      detail: { run: '"$HEADWAY_TOOL" tell --message "detail-$(printf %0%!d 0)$A"; read -r go < go.detail' }
      tree: { run: '{ echo child "tree-$D"; echo child "tree-$(printf %0%#d 0)$D"; read -r go < go.tree; } | "$HEADWAY_PEER" publish "$D"' }
    """

  /// Sets the secrets from files, whose bytes need not be text, and starts the tool with its arguments; `@` stands for the first secret.
  private static let start = """
    #!/bin/sh
    for name in A B C D; do
      value=$(cat "secret.$name"; echo x)
      export "$name=${value%x}"
    done
    for word; do
      shift
      case $word in *@) word=${word%@}$A ;; esac
      set -- "$@" "$word"
    done
    exec "$HEADWAY_TOOL" "$@"
    """

  /// A secret of letters and of what some form writes differently.
  private static func secret(_ random: inout SplitMix64, _ special: [[UInt8]]) -> [UInt8] {
    func letters(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: UInt8(ascii: "a")...UInt8(ascii: "z"), using: &random)
      }
    }
    var bytes = letters(4)
    for _ in 0..<6 {
      bytes += special.randomElement(using: &random) ?? []
      bytes += letters(Int.random(in: 1...3, using: &random))
    }
    return bytes + letters(4)
  }

  private static let special =
    #"'"\%&<>*?[]{}$`|#;~ "#.utf8.map { [$0] }
    + ["\t", "\u{1b}", "\u{e9}", "\u{202e}"].map { Array($0.utf8) }
  /// Bytes that are no text, which an argument cannot have.
  private static let invalid: [[UInt8]] = [[0xFF], [0xC3]]

  /// The parts of a secret in every form that the tool, or what it writes, knows.
  private static func forms(of secret: [UInt8]) -> Set<[UInt8]> {
    var forms: Set<[UInt8]> = []
    for start in 0...secret.count - partBytes {
      let part = Array(secret[start..<start + partBytes])
      let text = String(decoding: part, as: UTF8.self)
      forms.insert(part)
      forms.insert(Array(text.utf8))
      for form in [shell, json, html, percent, backslashes, { $0.isUnsafe ? "\u{FFFD}" : "\($0)" }]
      {
        forms.insert(Array(text.unicodeScalars.map(form).joined().utf8))
      }
    }
    return forms
  }

  private static func shell(_ scalar: Unicode.Scalar) -> String {
    scalar == "'" ? #"'\''"# : "\(scalar)"
  }

  private static func json(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"", "\\": "\\\(scalar)"
    case "\n": "\\n"
    case "\t": "\\t"
    case _ where scalar.value < 0x20:
      "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: "\(scalar)"
    }
  }

  private static func html(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "'": "&#39;"
    default: "\(scalar)"
    }
  }

  private static func percent(_ scalar: Unicode.Scalar) -> String {
    scalar.properties.isAlphabetic && scalar.isASCII
      ? "\(scalar)"
      : "\(scalar)".utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }
        .joined()
  }

  private static func backslashes(_ scalar: Unicode.Scalar) -> String {
    scalar.isASCII && scalar.value > 0x20 && !scalar.properties.isAlphabetic
      ? "\\\(scalar)" : "\(scalar)"
  }

  /// The parts of secrets in some bytes, as text.
  private static func found(_ forms: [UInt32: [[UInt8]]], in bytes: [UInt8]) -> [String] {
    var found: Set<String> = []
    var word: UInt32 = 0
    for (index, byte) in bytes.enumerated() {
      word = word << 8 | UInt32(byte)
      guard index >= 3, let candidates = forms[word] else { continue }
      for form in candidates where bytes[(index - 3)...].starts(with: form) {
        found.insert(String(decoding: form, as: UTF8.self).debugDescription)
      }
    }
    return found.sorted()
  }

  /// The first four bytes as a number.
  private static func beginning(_ bytes: [UInt8]) -> UInt32 {
    bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  @Test(arguments: 0..<UInt64(repetitions(2, real: 20, underSanitizer: 1)))
  func `No command prints a secret, and no file of a run holds one`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let first = Self.secret(&random, Self.special)
    var secrets = [
      "A": first, "B": Array(first[3..<12]),
      "C": Self.secret(&random, [[0x0A]] + Self.invalid + Self.special),
    ]
    // What is published has no blanks.
    secrets["D"] = Self.secret(&random, [Array("+".utf8)])
    let plan = Self.plan
      .replacing("%#", with: "\(Int.random(in: 226...248, using: &random))")
      .replacing("%!", with: "\(Int.random(in: 990...1015, using: &random))")
      .replacing("%@", with: String(repeating: "-", count: Int.random(in: 30...55, using: &random)))
    let sandbox = Sandbox(plan: plan)
    for (name, bytes) in secrets { sandbox.write(bytes, to: "secret.\(name)") }
    sandbox.installProgram(Self.start, at: "start")
    let ways = ["label", "detail", "tree"]
    for name in ways { unsafe mkfifo("\(sandbox.path)/go.\(name)", 0o600) }
    let folder = RunningTool.path.dropLast("headway".count)
    let variables = ["HEADWAY_TOOL=\(RunningTool.path)", "HEADWAY_PEER=\(folder)RelayPeer"]
    func start(_ arguments: [String]) -> RunningTool {
      RunningTool(
        arguments, in: sandbox, program: "\(sandbox.path)/start", variables: variables)
    }
    var printed: [String: [UInt8]] = [:]
    func run(_ arguments: [String]) {
      let tool = start(arguments)
      _ = tool.end()
      printed[arguments.joined(separator: " ")] = tool.output
    }
    let request = ["plan.yaml", "V=@"]
    let watch = RunningTool(["watch", "--json"], in: sandbox)
    let going = start(
      [
        "run", "-k", "-j20", "--ui", "json", "--events", "e.jsonl", "--events-output", "--junit",
        "j.xml",
        "--summary", "s.md", "--explain",
      ] + request + ["--", "@"])
    for name in ways { try #require(watch.wait(for: "\(name)-")) }
    for name in ways { sandbox.write("\n", to: "go.\(name)") }
    #expect(going.end() == .code(1))
    kill(watch.pid, SIGTERM)
    _ = watch.end()
    (printed["run"], printed["watch"]) = (going.output, watch.output)
    #expect(going.text.contains("***"))
    run(["run", "-n", "--explain"] + request + ["--", "@"])
    for command in ["list", "check", "graph"] { run([command] + request) }
    run(["resume", "-k"])
    for command in ["status", "logs", "runs"] {
      run([command])
      run([command, "--json"])
    }
    run(["history"])
    run(["history", "secrets"])
    run(["report", "-o", "r.html"])
    run(["report", "-o", "-"])
    let forms = Dictionary(grouping: Set(secrets.values.flatMap(Self.forms)), by: Self.beginning)
    for (command, bytes) in printed {
      #expect(Self.found(forms, in: bytes) == [], "printed by \(command), seed \(seed)")
    }
    let files = sandbox.files.filter { !$0.hasPrefix("secret.") }
    #expect(files.count > 15)
    for file in files {
      let bytes = bytes(ofFile: "\(sandbox.path)/\(file)")
      #expect(Self.found(forms, in: bytes) == [], "in \(file), seed \(seed)")
    }
  }
}

extension SecretFormsTests {
  /// Plans whose errors show values of the command line, in the ways in which a message comes about.
  private static let wrongPlans = [
    "vars: { V: { default: x, values: [x] } }\ntasks: { a: { run: [echo] } }\n",
    """
    vars: { V: { default: x }, W: { default: "%!{V}", values: [x] } }
    tasks:
      found: { run: [echo, "{f}"], matrix: { f: { glob: "none/%!{V}" } } }
      all: { run: [echo, "{f}"], matrix: { f: { glob: "//**/%!{V}" } } }
      port: { run: x, service: { ready: { port: "%!{V}" } } }
      after: { run: x, after: "none-%!{V}" }
      variant: { run: x, after: "found[%!{V}]" }

    """,
    "include: { part: part.yaml }\ntasks: { a: { run: [echo] } }\n",
    "vars: { V: { default: x } }\ntasks:\n  a: { run: x, matrix: { f: { glob: 'none/%!{V}' } } }\n  b: { run: x, }}\n",
  ]

  @Test(arguments: 0..<UInt64(repetitions(2, real: 20, underSanitizer: 1)), wrongPlans.indices)
  func `No message about a plan shows a secret that was given on the command line`(
    seed: UInt64, plan: Int
  ) throws {
    var random = SplitMix64(seed: seed)
    let secret = Self.secret(&random, Self.special)
    func wrong(_ text: String) -> String {
      text.replacing(
        "%!", with: String(repeating: "-", count: Int.random(in: 30...55, using: &random)))
    }
    // Those that cannot be read may have their secrets at the end.
    let secrets = "secrets: [A]\n"
    let text = wrong(Self.wrongPlans[plan])
    let sandbox = Sandbox(plan: plan == 3 ? text + secrets : secrets + text)
    sandbox.write(
      "secrets: [A]\nvars: { V: { default: x } }\ntasks: { a: { run: x, after: '\(wrong("%!"))-{V}' } }\n",
      to: "part.yaml")
    sandbox.write(secret, to: "secret.A")
    for name in ["B", "C", "D"] { sandbox.write(Array("unused".utf8), to: "secret.\(name)") }
    sandbox.installProgram(Self.start, at: "start")
    let forms = Dictionary(grouping: Self.forms(of: secret), by: Self.beginning)
    for command in ["check", "run", "list"] {
      for words in [["V=@"], ["V=x", "@"]] where words.count == 1 || plan == 0 {
        let tool = RunningTool(
          [command, "plan.yaml"] + words, in: sandbox, program: "\(sandbox.path)/start",
          variables: ["HEADWAY_TOOL=\(RunningTool.path)"])
        #expect(tool.end() == .code(2), "\(tool.text)")
        #expect(tool.text.contains("***"), "\(command) \(words): \(tool.text)")
        #expect(Self.found(forms, in: tool.output) == [], "\(command) \(words), seed \(seed)")
      }
    }
  }
}

extension Unicode.Scalar {
  /// Whether a scalar is not shown as it is.
  fileprivate var isUnsafe: Bool {
    value < 0x20 || (0x7F..<0xA0).contains(value) || (0x202A...0x202E).contains(value)
  }
}
