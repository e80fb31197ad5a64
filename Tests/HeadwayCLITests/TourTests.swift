import Glibc
import HeadwayTerminal
import HeadwayTestSupport
import ProcessFixtures
import TerminalFixtures
import Testing

/// The tour, as `make demo` runs it, with a thirtieth of its data; `Scripts/check --real` runs it as it is.
struct TourTests {
  /// The sizes in the plan that depend on the amount of data, and those of the tests.
  private static let sizes = [
    ("make-log\" 60", "make-log\" 2"), ("split -b 15000000", "split -b 500000"),
    ("5000000 that", "150000 that"), ("-le 5000000", "-le 150000"),
  ]

  /// Copies the tour, so that a test and a person can run it at once.
  private func sandbox() -> Sandbox {
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    let sandbox = Sandbox()
    unsafe mkdir("\(sandbox.path)/tour", 0o755)
    for name in ["tour.yaml", "tour/make-log.c", "tour/entropy.c"] {
      var text = String(decoding: bytes(ofFile: "\(root)/Plans/\(name)"), as: UTF8.self)
      if name == "tour.yaml" {
        for (size, small) in Self.sizes {
          #expect(text.components(of: size) == 1, "the tour no longer says \(size)")
          text = text.replacing(size, with: small)
        }
      }
      sandbox.write(text, to: name)
    }
    return sandbox
  }

  @Test
  func `The tour runs in a terminal: a time-out, a retry, a failure that is allowed, a clean-up`() {
    let sandbox = sandbox()
    let size = TerminalSize(columns: 100, rows: 60)
    let tool = RunningTool(["run", "tour.yaml"], in: sandbox, terminal: size)
    #expect(tool.end(within: .seconds(600)) == .code(0))
    var screen = TerminalScreen(size: size)
    screen.write(tool.output)
    #expect(
      screen.allText.contains("announce                      timed out after 2s, attempt 2 in 1s"))
    #expect(screen.allText.contains("✓ announce"))
    #expect(screen.allText.contains("✗ budget"))
    #expect(screen.allText.components(of: "tour: 29 succeeded, 1 failed (1 optional) in") == 1)
    #expect(screen.isCursorVisible)
    #expect(!sandbox.has("tour/scratch"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `The tour runs in a pipe as plain lines`() {
    let sandbox = sandbox()
    let result = RunningTool.run(["run", "tour.yaml"], in: sandbox, within: .seconds(600))
    #expect(result.end == .code(0))
    #expect(!result.text.contains("\u{1B}"))
    #expect(result.text.contains("announce timed out after 2s, attempt 2 in 1s\n"))
    #expect(result.text.contains("tour: 29 succeeded, 1 failed (1 optional) in"))
    #expect(sandbox.survivors() == [])
  }
}
