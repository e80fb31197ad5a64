import HeadwayPlan
import Testing

/// Plans in JSON, as programs write them.
struct JSONPlanTests {
  /// The first task of a plan.
  private func task(_ text: String) throws(PlanDiagnostics) -> Plan.Task {
    try Plan.read(Array(text.utf8), file: "plan.json").tasks[0]
  }

  /// The first message about a plan, with its place.
  private func message(_ text: String) throws -> String {
    let error = try #require(throws: PlanDiagnostics.self) { try task(text) }
    let diagnostic = try #require(error.diagnostics.first)
    return "\(diagnostic.line):\(diagnostic.column): \(diagnostic.message)"
  }

  @Test func `Two escapes of halves are one character`() throws {
    let task = try task(
      #"{"tasks": {"\ud83d\ude00 a": {"run": ["echo", "<\uD834\uDD1E\/\u00e9>", "\\ud83d\\ude00"]}}}"#
    )
    #expect(task.name == "\u{1F600} a")
    #expect(task.command == .program(["echo", "<\u{1D11E}/\u{E9}>", #"\ud83d\ude00"#]))
  }

  @Test func `Errors after such a character are where they are in the file`() throws {
    let before = #"{"tasks": {"a": {"run": ["\ud83d\ude00", "\ud83d\ude00"], "after": "#
    #expect(try message(before + #""b"}}}"#).hasPrefix("1:\(before.count + 1): "))
  }

  @Test(arguments: [
    // In YAML, which has single quotes and texts without quotes, the same bytes are twelve characters.
    (#"{"tasks": {"a": {"run": [echo, '\ud83d\ude00']}}}"#, #"\ud83d\ude00"#),
    (#"{"tasks": {"a": {"run": [echo, \ud83d\ude00]}}}"#, #"\ud83d\ude00"#),
    (#"{"tasks": {"a": {"run": [echo, x "\ud83d\ude00"]}}}"#, #"x "\ud83d\ude00""#),
  ])
  func `What is not JSON stays as it is`(text: String, word: String) throws {
    #expect(try task(text).command == .program(["echo", word]))
  }

  @Test(arguments: [
    #"{"tasks": {"a": {"run": ["\ud83d"]}}}"#, #"{"tasks": {"a": {"run": ["\ude00\ud83d"]}}}"#,
    #"{"tasks": {"a": {"run": ["\ud83d\u0041"]}}}"#, #"tasks: {a: {run: ["\ud83d\ude00"]}}"#,
  ])
  func `Half of a character is an error that says so`(text: String) throws {
    #expect(try message(text).contains("half of one"))
  }

  @Test(arguments: [
    #"{"tasks": {"a": {"run": ["\ud83d\ude00"#, #"{"tasks": {"a": {"run": ["\ud83d\ude00\"#,
  ])
  func `A text that does not end is an error`(text: String) throws {
    #expect(try message(text).hasPrefix("1:"))
  }
}
