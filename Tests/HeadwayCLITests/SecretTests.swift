import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// Dotenv files and secrets, through the tool.
struct SecretTests {
  private static let value = "hunter2-is-hidden"

  private func run(_ arguments: [String], _ sandbox: Sandbox, _ variables: [String] = []) -> (
    end: ProcessEnd, text: String
  ) {
    let tool = RunningTool(arguments, in: sandbox, variables: variables)
    let end = tool.end(within: RunningTool.usualLimit)
    return (end, tool.text)
  }

  @Test func `The environment wins over a dotenv file, and env over both`() {
    let sandbox = Sandbox(
      plan: """
        dotenv: .env
        defaults: { env: { D: default } }
        env: { E: plan }
        tasks: { a: { run: 'echo "$A,$B,$C,$D,$E" > out' } }
        """)
    sandbox.write("A=file\nB=file\nexport C=\"a\\nb\"\nD=file\nE=file\n", to: ".env")
    unsafe chmod("\(sandbox.path)/.env", 0o600)
    #expect(run(["run", "plan.yaml"], sandbox, ["B=real", "D=real"]).end == .code(0))
    #expect(sandbox.read("out") == "file,real,a\nb,default,plan\n")
  }

  @Test func `A dotenv file that others can write, or that is no file, is refused`() {
    let sandbox = Sandbox(plan: "dotenv: .env\ntasks: { a: { run: x } }\n")
    sandbox.write("A=1\n", to: ".env")
    unsafe chmod("\(sandbox.path)/.env", 0o666)
    let open = run(["check", "plan.yaml"], sandbox)
    #expect(open.end == .code(2))
    #expect(
      open.text.contains(
        "the dotenv file \".env\" was not used, because it can be written by other users"))
    unsafe unlink("\(sandbox.path)/.env")
    unsafe mkfifo("\(sandbox.path)/.env", 0o600)
    #expect(
      run(["check", "plan.yaml"], sandbox).text
        .contains("the dotenv file \".env\" is not a regular file"))
    unsafe unlink("\(sandbox.path)/.env")
    unsafe symlink("/dev/zero", "\(sandbox.path)/.env")
    #expect(
      run(["check", "plan.yaml"], sandbox).text
        .contains("the dotenv file \".env\" is not a regular file"))
  }

  @Test func `Missing secrets end a run before it begins, but nothing else`() {
    let sandbox = Sandbox(
      plan: "secrets: [HW_ONE, HW_TWO]\ntasks: { a: { run: touch out } }\n")
    let result = run(["run", "plan.yaml"], sandbox, ["HW_ONE=1234"])
    #expect(result.end == .code(69))
    #expect(
      result.text
        == "headway: not set: secret 'HW_TWO'; set each in the environment or in a dotenv file of the plan\n"
    )
    #expect(!sandbox.has("out"))
    for command in ["check", "graph", "list"] {
      #expect(run([command, "plan.yaml"], sandbox).end == .code(0), "\(command)")
    }
    #expect(run(["run", "-n", "plan.yaml"], sandbox).end == .code(0))
  }

  @Test func `No file of a run holds a secret`() {
    let value = Self.value
    let sandbox = Sandbox(
      plan: """
        name: secrets
        secrets: HW_TOKEN
        tasks:
          shown: { run: 'echo "a $HW_TOKEN b"; exit 3' }
          literal: { run: 'echo hunter2-is-hidden; exit 4' }
          program: { run: [./hunter2-is-hidden] }
          told: { run: 'headway tell 1/2 "now $HW_TOKEN"' }
          detached: { run: 'echo "<$HW_TOKEN>"', detach: true }
          kept: { run: 'test -n "$HW_TOKEN"', inputs: plan.yaml }
        """)
    let arguments = [
      "run", "plan.yaml", "--keep-going", "--ui", "json", "--events", "e.jsonl", "--events-output",
      "--junit", "j.xml", "--summary", "s.md",
    ]
    let result = run(arguments, sandbox, ["HW_TOKEN=\(value)"])
    #expect(result.end == .code(1))
    #expect(!result.text.contains(value))
    #expect(sandbox.read(".headway/runs/latest/logs/shown.log") == "a *** b\n")
    #expect(sandbox.read(".headway/runs/latest/logs/literal.log") == "***\n")
    #expect(sandbox.read(".headway/runs/latest/logs/detached.log") == "<>\n")
    #expect(sandbox.read("e.jsonl").contains("a *** b"))
    #expect(sandbox.read("j.xml").contains("a *** b"))
    #expect(run(["report", "plan.yaml"], sandbox).end == .code(0))
    for file in sandbox.files where file != "plan.yaml" {
      let text = String(decoding: bytes(ofFile: "\(sandbox.path)/\(file)"), as: UTF8.self)
      #expect(!text.contains(value), "\(file)")
    }
  }

  @Test func `Nobody finds a secret by trying values until a digest is the same`() {
    let sandboxes = (0..<2).map { _ in
      Sandbox(
        plan: "secrets: PIN\ntasks: { a: { run: ['true', '{args}'], inputs: in, outputs: in } }\n")
    }
    func run(_ value: String, _ sandbox: Sandbox) -> [String] {
      sandbox.write("PIN=7305\n", to: "in")
      let tool = RunningTool(
        ["run", "--force", "plan.yaml", "--", value], in: sandbox, variables: ["PIN=\(value)"])
      #expect(tool.end() == .code(0))
      let header = sandbox.read(".headway/runs/latest/run.json")
      let fields = ["fingerprint", "digest"].map { key in
        let rest = header.split(separator: "\"\(key)\":\"").last ?? ""
        return String(rest.prefix { $0 != "\"" })
      }
      let record = sandbox.read(".headway/contents/plan/a").split(separator: "\n").dropFirst()
      return fields + record.map { String($0) }
    }
    let digests = run("7305", sandboxes[0])
    #expect(digests[0].count == 16 && digests[1].count == 32 && digests.count >= 6)
    // As somebody else does who tries the right value.
    for (digest, other) in zip(digests, run("7305", sandboxes[1])) { #expect(digest != other) }
    // The history knows the task again after a secret has changed, and its files are the same.
    let changed = run("7306", sandboxes[0])
    #expect(changed[0] == digests[0] && changed[1] != digests[1] && changed[2] != digests[2])
    #expect(changed[3...4] == digests[3...4])
  }

  @Test func `A task runs again when a secret changes that its command mentions`() {
    let sandbox = Sandbox(
      plan: "secrets: HW_TOKEN\ntasks: { a: { run: 'test $HW_TOKEN', inputs: plan.yaml } }\n")
    let first = ["HW_TOKEN=\(Self.value)"]
    #expect(run(["run", "plan.yaml"], sandbox, first).end == .code(0))
    #expect(
      run(["run", "-n", "plan.yaml"], sandbox, first).text == "a  (up to date) test $HW_TOKEN\n")
    let other = run(["run", "-n", "--explain", "plan.yaml"], sandbox, ["HW_TOKEN=other"])
    #expect(other.text == "a  (would run: HW_TOKEN changed) test $HW_TOKEN\n")
  }
}
