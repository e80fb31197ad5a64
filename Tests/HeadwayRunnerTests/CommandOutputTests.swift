import Testing

@testable import HeadwayRunner

/// What short commands print.
struct CommandOutputTests {
  @Test func `All that a command prints is read, also more than a pipe holds`() throws {
    let script = "printf 'one '; head -c 200000 /dev/zero | tr '\\0' x; printf ' two'"
    let text = try CommandOutput.text(of: ["/bin/sh", "-c", script], EnvironmentBlock())
    #expect(text.utf8.count == 200_008)
    #expect(text.hasPrefix("one x") && text.hasSuffix("x two"))
  }

  @Test func `The last line of a command that fails is the reason`() {
    do throws(StartError) {
      let script = "echo one; echo two; exit 3"
      _ = try CommandOutput.text(of: ["/bin/sh", "-c", script], EnvironmentBlock())
      Issue.record("it has not failed")
    } catch {
      #expect(error.reason == "two")
    }
  }
}
