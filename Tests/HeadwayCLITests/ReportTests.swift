import Glibc
import HeadwayForecast
import HeadwayRun
import HeadwayState
import ProcessFixtures
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

  @Test func `A failure has its exit code, its command and the end of its output`() {
    let sandbox = Sandbox(
      plan: """
        name: release
        tasks:
          build: { run: "printf '\\\\033[31merror\\\\033[0m: <no> & header\\\\n'; exit 7" }
          slow: { run: sleep 300, timeout: 10ms }
        """)
    let run = RunningTool.run(["run", "plan.yaml", "-k", "--ui", "quiet"], in: sandbox)
    #expect(run.end == .code(1))
    #expect(RunningTool.run(["report", "-o", "page.html"], in: sandbox).end == .code(0))
    let page = sandbox.read("page.html")
    #expect(page.contains("failed with exit 7 at "))
    #expect(page.contains("timed out after 10ms at "))
    #expect(page.contains("<pre class=\"command\">sleep 300</pre>"))
    #expect(page.contains("<pre class=\"output\">error: &lt;no&gt; &amp; header</pre>"))
    #expect(!page.contains("\u{1B}"))
    // Without its logs, the history alone says that it failed.
    let tool = RunningTool(["-c", "rm -rf .headway/runs"], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0))
    #expect(RunningTool.run(["report", "-o", "page.html"], in: sandbox).end == .code(0))
    #expect(sandbox.read("page.html").contains("</bdi></a> failed at "))
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

  /// A sandbox with a history of a single run.
  private func sandbox(run name: String, began: Int64) -> Sandbox {
    let sandbox = Sandbox()
    sandbox.makeFolder(".headway")
    let store = HistoryStore(path: "\(sandbox.path)/.headway/\(HistoryStore.fileName)")
    store.store(
      RunRecord(
        plan: "release", name: name, began: began, workers: 4,
        machine: MachineIdentity(cores: 8, host: 1),
        tasks: [TaskIdentity(name: "a", kind: "", fingerprint: 1)], total: .seconds(1),
        outcome: .succeeded))
    return sandbox
  }

  @Test(arguments: [
    (1_800_000_000_000, "2027-01-15 09:00:00 UTC+01:00"),
    (1_782_892_800_000, "2026-07-01 10:00:00 UTC+02:00"),
  ])
  func `A run has the local time of its season`(began: Int64, text: String) {
    let sandbox = sandbox(run: "1", began: began)
    let tool = RunningTool(
      ["report", "-o", "-"], in: sandbox,
      variables: ["TZ=CET-1CEST,M3.5.0,M10.5.0/3"])
    #expect(tool.end() == .code(0))
    #expect(tool.text.contains(text))
  }

  @Test func `The name of a run does not lead out of the folder of reports`() {
    let sandbox = sandbox(run: "../escaped", began: 1_800_000_000_000)
    let result = RunningTool.run(["report"], in: sandbox)
    #expect(result.end == .code(0))
    #expect(result.text == ".headway/reports/..-escaped.html\n")
    #expect(sandbox.has(".headway/reports/..-escaped.html"))
    #expect(!sandbox.has(".headway/escaped.html"))
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

  @Test func `The history is never overwritten by a page`() {
    let sandbox = sandbox()
    let history = ".headway/history.sqlite"
    unsafe symlink(history, "\(sandbox.path)/link.html")
    // The descriptors are those that the program opens itself; the caller has opened none of them.
    let script = """
      exec 3>&- 4>&- 5>&- 6>&-
      for file in /dev/fd/3 /dev/fd/4 /proc/self/fd/5 /dev/fd/6; do
        '\(RunningTool.path)' report -o $file 2>&1 >/dev/null; test $? = 69 || exit 1
      done
      for file in \(history) link.html; do
        '\(RunningTool.path)' report -o $file 2>&1; test $? = 2 || exit 2
      done
      """
    let tool = RunningTool(["-c", script], in: sandbox, program: "/bin/bash")
    #expect(tool.end() == .code(0))
    #expect(tool.text.contains("cannot write '/dev/fd/3': No such file or directory"))
    #expect(tool.text.contains("--output names the history; choose another file"))
    #expect(runs(in: sandbox).count == 2)
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
