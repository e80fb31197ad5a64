import Glibc
import HeadwayTerminal
import ProcessFixtures
import Testing

/// Hosts, and the programs that connect to them, that say what is not so, or nothing.
extension OtherMachineTests {
  /// Stands for `ssh` and for the worker behind it: greets with what is said, and then calls a function with each request.
  private static func worker(greeting: String, handling: String) -> String {
    #"""
    exec python3 -u -c '
    import sys, json, threading, time
    lock = threading.Lock()
    def say(line):
      with lock: print(json.dumps(line, separators=(",", ":")), flush=True)
    print("""\#(greeting)""", flush=True)
    sys.stdin.readline()
    say({"reply": "begun"})
    def live():
      number = 0
      while True:
        number += 1
        say({"reply": "heartbeat", "number": number})
        time.sleep(0.2)
    threading.Thread(target=live, daemon=True).start()
    def handle(request, attempt):
      \#(handling)
    for line in sys.stdin:
      request = json.loads(line)
      handle(request, {"task": request.get("task"), "attempt": request.get("attempt")})
    '
    """#
  }

  private static func greeting(_ number: String) -> String {
    #"{"headway":"worker","version":2,"cores":\#(number),"memory":\#(number),"gpus":\#(number),"host":""}"#
  }

  private static let ends =
    #"say({"reply": "exited", "left": [], **attempt}) if request["request"] == "start" else say({"reply": "ended", "left": []}) if request["request"] == "end" else None"#

  @Test(arguments: ["0", "-1", "9223372036854775807"])
  func `Hosts that claim any number of cores carry out tasks`(number: String) {
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'true' }\n  b: { run: 'true' }\n",
      ssh: Self.worker(greeting: Self.greeting(number), handling: Self.ends))
    let tool = start(sandbox, ["--on", "one,two,three"])
    #expect(tool.end() == .code(0), "\(tool.text)")
  }

  @Test(arguments: ["start", "end"])
  func `A host that lives and answers nothing does not keep a run from being interrupted`(
    request: String
  ) {
    // It carries the task out or does not, and says nothing of the end.
    let handling =
      request == "end"
      ? #"say({"reply": "exited", "left": [], **attempt}) if request["request"] == "start" else None"#
      : "pass"
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'true', grace: 0s }\n",
      ssh: Self.worker(
        greeting: Self.greeting("2"), handling: "open(request[\"request\"], \"w\"); \(handling)"))
    let tool = start(
      sandbox, ["--on", "one"], terminal: TerminalSize(columns: 80, rows: 24))
    #expect(eventually { sandbox.has(request) })
    // Two presses of Ctrl-C may arrive as one. Where the first is answered, the second waits for that; after the end of all
    // tasks nothing is answered, but Ctrl-\ asks for the same with one press.
    if request == "start" {
      tool.type("\u{3}")
      #expect(tool.wait(for: "a second Ctrl-C"))
      tool.type("\u{3}")
      #expect(tool.end() == .signal(SIGINT))
    } else {
      tool.type("\u{1C}")
      #expect(tool.end() == .code(0))
    }
    #expect(
      tool.text.contains("one has not said whether anything of the run is left there"),
      "\(tool.text)")
    #expect(sandbox.survivors() == [])
  }

  @Test func `What ssh has said is told although something that it has left holds its output`() {
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'true' }\n",
      ssh: "(read line <gate) & echo 'Permission denied (publickey).' >&2; exit 255")
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let tool = start(sandbox, ["--on", "one"])
    #expect(tool.end() == .code(69))
    #expect(
      tool.text.contains("cannot use the host 'one': Permission denied (publickey)."),
      "\(tool.text)")
    // It is not the run's, as the master of later connections is not.
    sandbox.write("", to: "gate")
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test func `Files are copied although what ssh has left holds the output of rsync`() {
    let sandbox = sandbox(
      """
      hosts: { host: one, places: 2, sync: rsync }
      tasks:
        a: { run: 'cat in*.txt > "out[1].txt"', inputs: ['in\\[1].txt', 'in\\*.txt'], outputs: 'out\\[1].txt' }
      """,
      ssh: #"(read line <gate) >/dev/null & XDG_CACHE_HOME=$PWD/cache sh -c "$*""#)
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    sandbox.makeFolder("cache")
    sandbox.write("one\n", to: "in[1].txt")
    sandbox.write("two\n", to: "in*.txt")
    sandbox.write("other\n", to: "inA.txt")
    let tool = start(sandbox, [])
    #expect(tool.end() == .code(0), "\(tool.text)")
    // The names mean themselves, for rsync, too.
    #expect(sandbox.read("out[1].txt") == "two\none\n")
    sandbox.write("", to: "gate")
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test func `A number in place of a host is refused before anything connects`() {
    let sandbox = sandbox("tasks:\n  a: { run: 'true' }\n", ssh: "echo connected >>connections")
    let tool = start(sandbox, ["--on", "8"])
    #expect(tool.end() == .code(2))
    #expect(tool.text.contains("for 8 tasks at once, use -j8"), "\(tool.text)")
    sandbox.write("hosts: [one, 0x7f000001]\ntasks:\n  a: { run: 'true' }\n", to: "plan.yaml")
    #expect(start(sandbox, []).end() == .code(2))
    #expect(!sandbox.has("connections"))
  }
}
