import Glibc
import HeadwayPlan
import ProcessFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// The secrets of a plan, as a run takes them from the environment.
struct SecretsTests {
  /// The secrets of a plan in an environment.
  private func secrets(
    _ names: String, _ values: [String: String], _ state: StateFolder, isDry: Bool = false
  ) throws -> Secrets? {
    let text = "secrets: [\(names)]\ntasks: { a: { run: 'echo $T', inputs: in } }"
    let plan = try Plan.read(Array(text.utf8), file: "p.yaml")
    let environment = EnvironmentBlock()
    for (name, value) in values { environment.set(name, value) }
    return try Secrets.read(of: plan, in: environment, state, isDry: isDry)
  }

  @Test func `Secrets that are missing or too short are named in one error`() throws {
    let state = try StateFolder(path: Folder().path, plan: "p")
    let error = #expect(throws: RunnerError.self) {
      try secrets("HW_A, HW_B, HW_C, HW_D", ["HW_C": "", "HW_D": "abc\n"], state)
    }
    #expect(
      error?.message
        == "not set: secrets 'HW_A', 'HW_B'; set each in the environment or in a dotenv file of the plan; too short to be hidden in output: secrets 'HW_C', 'HW_D'; a secret has at least 4 bytes"
    )
    #expect(try secrets("HW_A, HW_C", ["HW_C": ""], state, isDry: true)?.names == [])
    #expect(try secrets("", [:], state) == nil)
  }

  @Test func `A task depends on the keyed digest of a secret, whose key stays`() throws {
    let folder = Folder()
    let state = try StateFolder(path: folder.path, plan: "p")
    let digest = try secrets("T", ["T": "hunter2"], state)?.digests["T"]
    #expect(try secrets("T", ["T": "hunter2"], state, isDry: true)?.digests["T"] == digest)
    #expect(try secrets("T", ["T": "hunter3"], state)?.digests["T"] != digest)
    let other = try StateFolder(path: Folder().path, plan: "p")
    #expect(try secrets("T", ["T": "hunter2"], other)?.digests["T"] != digest)
    var status = stat()
    #expect(unsafe stat("\(folder.path)/secrets.key", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }
}
