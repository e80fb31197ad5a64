import Glibc
import HeadwayStore
import Testing

/// `headway report`.
struct ReportTests {
  /// A sandbox in which a plan has run twice, the second time with a failure.
  private func sandbox() -> Sandbox {
    let sandbox = Sandbox(
      plan: """
        name: release
        tasks:
          fetch: { run: "true" }
          build: { run: test -e good, after: fetch }
          pack: { run: "true", after: build }
        """)
    sandbox.write("", to: "good")
    #expect(RunningTool.run(["run", "plan.yaml", "--ui", "quiet"], in: sandbox).end == .code(0))
    #expect(RunningTool.run(["run", "plan.yaml", "--ui", "quiet"], in: sandbox).end == .code(0))
    return sandbox
  }

  /// The names of the runs, the newest first.
  private func runs(in sandbox: Sandbox) -> [String] {
    let store = HistoryStore(
      path: "\(sandbox.path)/.headway/\(HistoryStore.fileName)", creates: false)
    return store.runs(limit: 10).map(\.name)
  }

  @Test func `The newest run is reported beside the history`() {
    let sandbox = sandbox()
    let result = RunningTool.run(["report"], in: sandbox)
    #expect(result.end == .code(0))
    let name = runs(in: sandbox)[0]
    #expect(result.text == ".headway/reports/\(name).html\n")
    let page = sandbox.read(".headway/reports/\(name).html")
    for part in ["<!DOCTYPE html>", "release", "fetch", "build", "pack", name, "</html>"] {
      #expect(page.contains(part), "\(part)")
    }
    // A page that loads nothing has no addresses.
    #expect(!page.contains("http://") && !page.contains("https://"))
  }

  @Test func `A run is named by itself or by its plan`() {
    let sandbox = sandbox()
    let names = runs(in: sandbox)
    for (word, name) in [(names[1], names[1]), ("plan.yaml", names[0]), ("release", names[0])] {
      let result = RunningTool.run(["report", word, "--output", "-"], in: sandbox)
      #expect(result.end == .code(0))
      #expect(result.text.contains(name), "\(word)")
    }
    let file = RunningTool.run(["report", "latest", "-o", "page.html"], in: sandbox)
    #expect(file.text == "page.html\n" && sandbox.read("page.html").contains(names[0]))
  }

  @Test func `A pipe, a device and a link are written into, not replaced`() {
    let sandbox = sandbox()
    unsafe mkfifo("\(sandbox.path)/pipe", 0o600)
    sandbox.write("old", to: "page.html")
    unsafe symlink("page.html", "\(sandbox.path)/link.html")
    unsafe symlink("new.html", "\(sandbox.path)/dangling.html")
    let script = """
      cat pipe > copy & '\(RunningTool.path)' report -o pipe && wait && test -p pipe || exit 1
      '\(RunningTool.path)' report -o link.html && test -L link.html || exit 2
      '\(RunningTool.path)' report -o dangling.html && test -L dangling.html || exit 3
      '\(RunningTool.path)' report -o >(cat > other) && wait $! || exit 4
      """
    let tool = RunningTool(["-c", script], in: sandbox, program: "/bin/bash")
    #expect(tool.end() == .code(0))
    for name in ["copy", "page.html", "new.html", "other"] {
      #expect(sandbox.read(name).hasSuffix("</html>\n"), "\(name)")
    }
  }

  @Test func `A report that cannot be written is an error`() {
    let sandbox = sandbox()
    let result = RunningTool.run(["report", "-o", "/dev/full"], in: sandbox)
    #expect(result.end == .code(69))
    #expect(result.text == "headway: cannot write '/dev/full': No space left on device\n")
  }

  @Test func `An unknown run is reported with the known ones`() {
    let sandbox = sandbox()
    let missing = RunningTool.run(["report", "nightly"], in: sandbox)
    #expect(missing.end == .code(69))
    #expect(missing.text.contains("no run or plan 'nightly' in .headway/history.sqlite"))
    for name in runs(in: sandbox) { #expect(missing.text.contains("  \(name)  release\n")) }
    let nowhere = RunningTool.run(["report", "-o", "no/such/folder/page.html"], in: sandbox)
    #expect(nowhere.end == .code(69) && nowhere.text.contains("no/such/folder/page.html"))
    let empty = RunningTool.run(["report", "--state", "elsewhere"], in: sandbox)
    #expect(empty.end == .code(69) && empty.text.contains("no runs in"))
    #expect(!sandbox.has("elsewhere"))
    #expect(RunningTool.run(["report", "a", "b"], in: sandbox).end == .code(2))
  }
}
