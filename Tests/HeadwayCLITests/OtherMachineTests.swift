import Glibc
import HeadwayTerminal
import ProcessFixtures
import Testing

/// `headway run --on`, with a script in place of `ssh` that runs the command for the other machine on this one.
struct OtherMachineTests {
  /// A sandbox with a plan and the other `ssh`.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - ssh: The end of the script that stands for `ssh`; its arguments are those for the other machine.
  /// - Returns: The sandbox.
  func sandbox(_ plan: String, ssh: String = #"exec sh -c "$*""#) -> Sandbox {
    let sandbox = Sandbox(plan: plan)
    sandbox.makeFolder("bin")
    sandbox.installProgram(
      """
      #!/bin/sh
      while true; do
        case $1 in
          --) shift; break ;;
          -o | -l) shift 2 ;;
          -*) shift ;;
          *) break ;;
        esac
      done
      HOST=$1
      export HOST
      shift
      # rsync wants to hear nothing else.
      case $1 in rsync*) ;; *) echo "Welcome to this machine" ;; esac
      \(ssh)

      """, at: "bin/ssh")
    unsafe symlink(RunningTool.path, "\(sandbox.path)/bin/headway")
    return sandbox
  }

  func start(
    _ sandbox: Sandbox, _ arguments: [String], variables: [String] = [],
    terminal: TerminalSize? = nil
  ) -> RunningTool {
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    return RunningTool(
      ["run", "plan.yaml", "--ui", "plain"] + arguments, in: sandbox, terminal: terminal,
      variables: ["PATH=\(sandbox.path)/bin:\(path)"] + variables)
  }

  @Test func `Tasks run on other machines, with their outputs, failures and time limits`() {
    let sandbox = sandbox(
      """
      env: { COLOR: blue }
      tasks:
        a: { run: 'echo "on $HOST, $COLOR, $PWD"; echo error >&2' }
        b: { run: 'exit 3', after: a }
        c: { run: ['sleep', '1000'], timeout: 100ms, grace: 0s, optional: true }
        d: { run: 'seq 100000', after: a }
      """)
    let tool = start(sandbox, ["--on", "one:2,two:1", "-k"])
    #expect(tool.end() == .code(1))
    #expect(tool.text.contains("b failed with exit 3"))
    #expect(tool.text.contains("c timed out after"))
    let log = sandbox.read(".headway/runs/latest/logs/a.log")
    #expect(
      log == "on one, blue, \(sandbox.path)\nerror\n"
        || log == "on two, blue, \(sandbox.path)\nerror\n")
    let numbers = sandbox.read(".headway/runs/latest/logs/d.log").split(separator: "\n")
    #expect(numbers.count == 100_000 && numbers.last == "100000")
    #expect(sandbox.survivors() == [])
  }

  @Test func `Values reach texts, conditions and lists on other machines by their names`() {
    let sandbox = sandbox(
      """
      vars: { V: x, o-k: x }
      tasks:
        a:
          matrix: { m: ["it's $(x)\\n*"] }
          env: { A: "{o-k}" }
          when: 'test "$V $m $A" = "$(cat values)"'
          run: 'printf "<%s>" "$V" "$m" "$A" "$@"'
        b: { run: [printf, "<%s>", "{V}", "{o-k}", "{args}"] }
      """)
    sandbox.write("it's \"$(y)\" it's $(x)\n* ;z", to: "values")
    let tool = start(
      sandbox, ["--on", "one", "V=it's \"$(y)\"", "o-k=;z", "--", "a b", "`c`"])
    #expect(tool.end() == .code(0), "\(tool.text)")
    let logs = folderEntries("\(sandbox.path)/.headway/runs/latest/logs").sorted()
      .filter { $0.hasSuffix(".log") }.map { sandbox.read(".headway/runs/latest/logs/\($0)") }
    #expect(
      logs == [
        "<it's \"$(y)\"><it's $(x)\n*><;z><a b><`c`>", "<it's \"$(y)\"><;z><a b><`c`>",
      ])
    #expect(sandbox.survivors() == [])
  }

  @Test func `Tasks run where there is what they need`() {
    let sandbox = sandbox(
      """
      hosts:
        - { host: one, places: 2, memory: 1GiB }
        - { host: two, places: 1, memory: 2GiB, gpus: 3, labels: [fast] }
      tasks:
        a: { run: 'echo "$HOST $CUDA_VISIBLE_DEVICES"', cpus: 2 }
        b: { run: 'echo "$HOST"', memory: 2GiB }
        c: { run: 'echo "$HOST $CUDA_VISIBLE_DEVICES"', gpus: 2 }
        d: { run: 'echo "$HOST"', labels: fast, when: 'test "$HOST" = two' }
      """)
    let tool = start(sandbox, [])
    #expect(tool.end() == .code(0), "\(tool.text)")
    let logs = ["a", "b", "c", "d"].map { sandbox.read(".headway/runs/latest/logs/\($0).log") }
    #expect(logs == ["one \n", "two\n", "two 0,1\n", "two\n"])
    // The command line names hosts, and the plan says what they have.
    let less = start(sandbox, ["--on", "one,two:1"])
    #expect(less.end() == .code(0), "\(less.text)")
    let none = start(sandbox, ["--on", "one:4"])
    #expect(none.end() == .code(69))
    #expect(
      none.text.contains(
        "task 'b' fits on no machine of the run: it needs 2.1 GB of memory; the host 'one' has 4 CPUs, 1.1 GB of memory"
      ), "\(none.text)")
    #expect(sandbox.survivors() == [])
  }

  @Test func `On this machine, needs limit how many tasks run at once`() {
    let sandbox = Sandbox(
      plan: """
        tasks:
          a: { run: 'if mkdir busy; then rmdir busy; else exit 1; fi', cpus: 2, labels: fast }
          b: { run: 'if mkdir busy; then rmdir busy; else exit 1; fi', cpus: 2 }
          c: { run: 'echo "$CUDA_VISIBLE_DEVICES"', gpus: 1 }
        """)
    func run(_ workers: String, gpus: String) -> RunningTool {
      RunningTool(
        ["run", "plan.yaml", "--ui", "plain", "-j", workers], in: sandbox,
        variables: ["CUDA_VISIBLE_DEVICES=\(gpus)"])
    }
    #expect(run("2", gpus: "5,7").end() == .code(0))
    #expect(sandbox.read(".headway/runs/latest/logs/c.log") == "5\n")
    let one = run("1", gpus: "5")
    #expect(one.end() == .code(69))
    #expect(
      one.text.contains(
        "task 'a' fits on no machine of the run: it needs 2 CPUs, the label 'fast'; this run has 1 CPU; with -j2 it runs"
      ), "\(one.text)")
    let none = run("2", gpus: "")
    #expect(none.end() == .code(69))
    #expect(none.text.contains("it needs 1 GPU; this run has 2 CPUs, no GPU"), "\(none.text)")
  }

  @Test func `A run says why its jobs wait in the queue of a cluster`() {
    let sandbox = sandbox("hosts: slurm:2\nslurm_options: -c 2\ntasks:\n  a: { run: 'true' }\n")
    let programs = [
      "srun": """
      for word; do case $word in --job-name=*) name=${word#*=} ;; esac; done
      echo "$name" >name
      read gate <gate
      while [ "${1##*/}" != headway ]; do shift; done
      exec "$@"
      """,
      "squeue": """
      if [ -e released ]; then reason=Priority; else reason=JobHeldUser; fi
      echo "17|$reason|N/A|PENDING|N/A|$(cat name)"
      """,
      "scancel": "exit 0",
    ]
    for (name, text) in programs {
      sandbox.installProgram("#!/bin/sh\n\(text)\n", at: "bin/\(name)")
    }
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let tool = start(sandbox, [])
    #expect(
      tool.wait(for: "waiting for 1 Slurm job (JobHeldUser); scontrol release 17 lets it start"))
    sandbox.write("", to: "released")
    #expect(tool.wait(for: "waiting for 1 Slurm job (Priority)"))
    sandbox.write("go\n", to: "gate")
    #expect(tool.end() == .code(0), "\(tool.text)")
    #expect(sandbox.survivors() == [])
  }

  /// Puts scripts in place of the programs of a cluster.
  ///
  /// - Parameters:
  ///   - sandbox: The sandbox.
  ///   - submit: What `sbatch` does first; its arguments are in `$@`.
  private func makeCluster(in sandbox: Sandbox, submit: String = "") {
    let programs = [
      "sbatch": """
      echo "$*" >>submitted
      \(submit)
      last=0
      for word; do
        case $word in
          --array=*) last=${word##*-} ;;
          --output=*) output=${word#*=} ;;
          --wrap=*) command=${word#*=} ;;
        esac
      done
      for element in $(seq 0 "$last"); do
        file=$(echo "$output" | sed "s/%a/$element/")
        SLURM_ARRAY_TASK_ID=$element sh -c "$command" >"$file" 2>&1 </dev/null &
      done
      echo "17;cluster"
      """,
      // At the end, one is there that had ended.
      "squeue": #"""
      case $* in
        *CONFIGURING*) echo "99 $(sed -n 's/.*--job-name=\([^ ]*\).*/\1/p' submitted | head -n 1)" ;;
      esac
      """#,
      "scancel": #"echo "$*" >>cancelled"#,
    ]
    for (name, text) in programs {
      sandbox.installProgram("#!/bin/sh\n\(text)\n", at: "bin/\(name)")
    }
  }

  @Test func `The workers of jobs that were submitted connect over TCP`() {
    let sandbox = sandbox(
      """
      hosts: slurm:4
      slurm_options: -c 2
      tcp: true
      tasks:
        a: { run: 'ls -l .headway/runs/latest/connection.json | cut -c1-10; echo error >&2' }
        b: { run: 'exit 3', after: a }
        c: { run: 'seq 100000', after: a }
        d: { run: 'headway tell --progress 1/2', after: a, optional: true }
        e: { run: ['sleep', '1000'], timeout: 100ms, grace: 0s, optional: true }
      """)
    makeCluster(in: sandbox)
    let tool = start(sandbox, ["-k"])
    #expect(tool.end() == .code(1), "\(tool.text)")
    #expect(sandbox.read(".headway/runs/latest/logs/a.log") == "-rw-------\nerror\n")
    #expect(sandbox.read(".headway/runs/latest/logs/c.log").split(separator: "\n").count == 100_000)
    #expect(tool.text.contains("b failed with exit 3"))
    #expect(tool.text.contains("e timed out after"))
    // Two jobs that are alike are one array, and the key is in no argument.
    let submitted = sandbox.read("submitted").split(separator: "\n")
    #expect(submitted.count == 1)
    #expect(submitted.first?.contains(" -c 2 --job-name=") == true)
    #expect(submitted.first?.contains(" --array=0-1 --wrap=exec ") == true)
    // The second worker may not have connected, and then its job is cancelled, too.
    #expect(sandbox.read("cancelled").split(separator: "\n").contains("99"))
    // Whoever has the key is gone, and so is the key.
    #expect(!sandbox.has(".headway/runs/latest/connection.json"))
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test func `Jobs that are refused, or end before their worker connects, are submitted again`() {
    let sandbox = sandbox(
      "hosts: slurm:1\nslurm_options: -c 1\ntcp: true\ntasks:\n  a: { run: 'echo a' }\n")
    makeCluster(
      in: sandbox,
      submit: """
        case $(wc -l <submitted) in
          1) echo "sbatch: error: the controller does not answer" >&2; exit 1 ;;
          2) echo 18; exit 0 ;;
        esac
        """)
    let tool = start(sandbox, [])
    #expect(tool.end() == .code(0), "\(tool.text)")
    #expect(tool.text.contains("cannot be used: sbatch: error: the controller does not answer"))
    let submitted = sandbox.read("submitted").split(separator: "\n")
    #expect(submitted.count == 3)
    #expect(submitted.allSatisfy { !$0.contains("--array") })
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test func `A machine that cannot be reached ends the run before it begins`() {
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'touch ran' }\n",
      ssh: """
        if [ "$HOST" = good ]; then exec sh -c "$*"; fi
        echo "ssh: connect to host $HOST port 22: Connection refused" >&2
        exit 255
        """)
    let tool = start(sandbox, ["--on", "good,bad"])
    #expect(tool.end() == .code(69))
    #expect(
      tool.text.contains(
        "cannot use the host 'bad': ssh: connect to host bad port 22: Connection refused"))
    #expect(!sandbox.has("ran"))
    // The other worker ends once its connection does.
    #expect(eventually { sandbox.survivors() == [] })
  }

  @Test(arguments: [
    ("echo hello; exec cat", "says something else than a worker"),
    (
      #"echo '{"headway":"worker","version":99,"cores":1}'; exec cat"#, "another version"
    ),
    (
      #"echo '{"headway":"worker","version":2,"cores":1}'; echo nonsense; exec cat"#,
      "not a message"
    ),
    (#"cd /; exec env PATH=/none /bin/sh -c "$*""#, "cannot use the host 'one'"),
  ])
  func `Something else than a worker is refused`(ssh: String, words: String) {
    // More than a login shell may print.
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'touch ran' }\n", ssh: ssh.replacing("echo hello", with: "seq 100000"))
    let tool = start(sandbox, ["--on", "one"])
    #expect(tool.end() == .code(69))
    #expect(tool.text.contains(words), "\(tool.text)")
    #expect(!sandbox.has("ran"))
  }

  @Test func `What ran in a worker that was killed runs again, unless it runs once`() {
    let sandbox = sandbox(
      """
      tasks:
        a: { run: 'if [ -e again ]; then exit 0; fi; touch again; echo $PPID > worker; echo begun; read x < gate' }
        b: { run: 'echo b', after: a }
        c: { run: 'echo $PPID > other; echo also begun; read x < gate', once: true, after: a }
        d: { run: 'echo d', after: c }
      """)
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let tool = start(sandbox, ["--on", "one:1,two:1", "-k", "--output", "stream"])
    func killWorker(_ file: String) {
      let worker = pid_t(
        sandbox.read(file).split(separator: "\n").first.flatMap { Int32($0) } ?? 0)
      #expect(worker > 0)
      kill(worker, SIGKILL)
    }
    #expect(tool.wait(for: "begun"))
    killWorker("worker")
    #expect(tool.wait(for: "a lost, attempt 2 in 1s"))
    #expect(tool.wait(for: "also begun"))
    killWorker("other")
    #expect(tool.end() == .code(75))
    #expect(tool.text.contains("a succeeded") && tool.text.contains("b succeeded"))
    #expect(tool.text.contains("c lost") && tool.text.contains("d skipped"))
    #expect(tool.text.contains("is not connected any more"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Tasks wait while the only machine is connected to again`() {
    let sandbox = sandbox(
      """
      tasks:
        a: { run: 'test -e again || { touch again; kill $PPID; sleep 100; }' }
        b: { run: 'echo b', matrix: { n: [1, 2, 3, 4, 5] } }
        c: { run: 'echo c', gpus: 1, matrix: { n: [1, 2, 3] } }
      """)
    sandbox.write(
      "hosts: { host: one, places: 2, gpus: 2 }\n" + sandbox.read("plan.yaml"), to: "plan.yaml")
    let tool = start(sandbox, ["-k"])
    #expect(tool.end() == .code(0), "\(tool.text)")
    #expect(tool.text.contains("a lost, attempt 2"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A worker that is stopped for longer than its patience is ended by its supervisor`() {
    let sandbox = sandbox(
      """
      tasks:
        a:
          run: |
            exec 9>lock; flock -n 9 || exit 9
            if [ -e again ]; then exit 0; fi
            touch again; echo $PPID > worker; echo begun; read x < gate
      """)
    unsafe mkfifo("\(sandbox.path)/gate", 0o600)
    let tool = start(
      sandbox, ["--on", "one:1,two:1", "--output", "stream", "--patience", "10s"])
    #expect(tool.wait(for: "begun"))
    kill(
      pid_t(sandbox.read("worker").split(separator: "\n").first.flatMap { Int32($0) } ?? 0),
      SIGSTOP)
    #expect(tool.end() == .code(0), "\(tool.text)")
    #expect(tool.text.contains("a lost, attempt 2 in 1s"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `What programs on other machines report is shown with the run, and answered`() {
    let sandbox = sandbox(
      """
      tasks:
        a: { run: 'headway tell 1/4 "a quarter" && echo noted; read x < gate' }
        b: { run: 'read x < gate2' }
      """, ssh: #"XDG_RUNTIME_DIR=$PWD/$HOST exec sh -c "$*""#)
    for gate in ["gate", "gate2"] { unsafe mkfifo("\(sandbox.path)/\(gate)", 0o600) }
    sandbox.makeFolder("one")
    setPermissions(0o700, ofFolder: "\(sandbox.path)/one")
    let tool = start(sandbox, ["--on", "one:2", "--output", "stream"])
    #expect(tool.wait(for: "noted"))
    let run = "\(tool.runner).1"
    #expect(
      eventually {
        let seen = RunningTool(["watch", "--once", "--json", run], in: sandbox)
        return seen.end() == .code(0)
          && seen.text.contains(#""label":"a","detail":"a quarter","completed":1,"total":4"#)
          && seen.text.contains(#""label":"b","detail":"on one""#)
      })
    #expect(
      folderEntries("\(sandbox.path)/one/headway").contains { $0.hasSuffix(".forwarded") })
    for gate in ["gate", "gate2"] { sandbox.write("\n", to: gate) }
    #expect(tool.end() == .code(0), "\(tool.text)")
    // Nothing is left behind.
    #expect(folderEntries("\(sandbox.path)/one/headway") == [])
  }

  @Test func `Declared files are copied to a machine with another file system, and back`() {
    // The copies are in a folder of their own, as they would be on another machine.
    let sandbox = sandbox(
      """
      hosts: { host: one, places: 4, sync: rsync }
      tasks:
        make:
          run: 'find . -type f | sort; cat text.txt src/deep/*.c > out/all; echo x > out/other'
          inputs: [text.txt, "src/**/*.c"]
          outputs: [out/all]
        use: { run: 'cat out/all > final.txt; chmod +x final.txt; echo "$PWD"', inputs: out, outputs: final.txt, after: make }
        dir: { run: 'pwd', dir: sub/folder }
        up: { run: 'true', inputs: ../x, optional: true }
        fails: { run: 'echo bad > final.txt; exit 4', outputs: final.txt, optional: true, after: use }
      """, ssh: #"XDG_CACHE_HOME=$PWD/cache exec sh -c "$*""#)
    setPermissions(0o711, ofFolder: sandbox.path)
    sandbox.write("text\n", to: "text.txt")
    for folder in ["src", "src/deep", "src/.hidden", "cache"] { sandbox.makeFolder(folder) }
    sandbox.write("code\n", to: "src/deep/a.c")
    sandbox.write("secret\n", to: "src/.hidden/b.c")
    sandbox.write("other\n", to: "src/readme")
    let tool = start(sandbox, ["-k"])
    #expect(tool.end() == .code(0), "\(tool.text)")
    func log(_ task: String) -> String { sandbox.read(".headway/runs/latest/logs/\(task).log") }
    #expect(log("make") == "./src/deep/a.c\n./text.txt\n")
    #expect(sandbox.read("out/all") == "text\ncode\n")
    // What is not declared does not come back, nor does what a failed task has made.
    #expect(folderEntries("\(sandbox.path)/out") == ["all"])
    #expect(sandbox.read("final.txt") == "text\ncode\n")
    #expect(mode(of: "\(sandbox.path)/final.txt") & 0o100 != 0)
    #expect(mode(of: sandbox.path) & 0o777 == 0o711)
    #expect(log("use").hasPrefix("\(sandbox.path)/cache/headway/files/"))
    #expect(log("dir").hasSuffix("/sub/folder\n") && log("dir").contains("/cache/headway/files/"))
    #expect(tool.text.contains("'../x' leads out of the folder of the plan"))
    // Nothing is left behind.
    #expect(folderEntries("\(sandbox.path)/cache/headway/files") == [])
  }

  @Test func `A failed copy is the failure of its task`() {
    let sandbox = sandbox(
      """
      hosts: { host: one, places: 1, sync: rsync }
      tasks:
        a: { run: 'echo begun', inputs: plan.yaml }
        b: { run: 'echo begun > out.txt', outputs: out.txt }
      """,
      ssh:
        #"case $1 in rsync*) echo "disk is full" >&2; exit 3 ;; esac; XDG_CACHE_HOME=$PWD/cache exec sh -c "$*""#
    )
    sandbox.makeFolder("cache")
    let tool = start(sandbox, ["-k"])
    #expect(tool.end() == .code(1))
    #expect(tool.text.contains("its inputs could not be copied to one: "))
    #expect(tool.text.contains("its outputs could not be copied from one: "))
    #expect(tool.text.contains("disk is full"))
    #expect(sandbox.read("out.txt").isEmpty)
    #expect(folderEntries("\(sandbox.path)/cache/headway/files") == [])
  }

  /// The kind and permissions of a file.
  private func mode(of path: String) -> mode_t {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode : 0
  }

  /// The number of a file in its file system.
  private func number(of path: String) -> UInt64 {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  @Test func `Machines that share a cache do not write the same copy`() {
    // Another one has a process of the same number, which is about to receive its copy.
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'echo a' }\n",
      ssh: #"""
        XDG_CACHE_HOME=$PWD/cache; PATH=/usr/bin:/bin; export XDG_CACHE_HOME PATH
        for word; do key=$last; last=$word; done
        mkdir -p "cache/headway/$key"; echo other >"cache/headway/$key/headway.$$"; echo "$key/headway.$$" >copy
        exec sh -c "$*"
        """#)
    let tool = start(sandbox, ["--on", "one:1"])
    #expect(tool.end() == .code(0), "\(tool.text)")
    let copy = sandbox.read("copy").split(separator: "\n").first.map(String.init) ?? ""
    #expect(sandbox.read("cache/headway/\(copy)") == "other\n")
    let folder = copy.split(separator: "/").first.map(String.init) ?? ""
    #expect(folderEntries("\(sandbox.path)/cache/headway/\(folder)").count == 2)
  }

  @Test func `A machine without headway gets a copy, once`() {
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'echo a' }\n",
      ssh:
        #"XDG_CACHE_HOME=$PWD/cache; PATH=/usr/bin:/bin; export XDG_CACHE_HOME PATH; exec sh -c "$*""#
    )
    #expect(start(sandbox, ["--on", "one:1"]).end() == .code(0))
    let copies = folderEntries("\(sandbox.path)/cache/headway")
    #expect(copies.count == 1)
    guard let copy = copies.first else { return }
    #expect(folderEntries("\(sandbox.path)/cache/headway/\(copy)") == ["headway"])
    let inode = number(of: "\(sandbox.path)/cache/headway/\(copy)/headway")
    #expect(start(sandbox, ["--on", "one:1"]).end() == .code(0))
    #expect(number(of: "\(sandbox.path)/cache/headway/\(copy)/headway") == inode)
    // A copy that arrives damaged is not run.
    let damaged = self.sandbox(
      "tasks:\n  a: { run: 'echo a' }\n",
      ssh: #"""
        XDG_CACHE_HOME=$PWD/cache; PATH=$PWD/fakes:/usr/bin:/bin; export XDG_CACHE_HOME PATH
        mkdir -p fakes; printf '#!/bin/sh\ncat >/dev/null; echo 123 -\n' >fakes/sha256sum; chmod 755 fakes/sha256sum
        exec sh -c "$*"
        """#)
    let tool = start(damaged, ["--on", "one:1"])
    #expect(tool.end() == .code(69))
    #expect(tool.text.contains("headway cannot be copied: the copy is damaged"), "\(tool.text)")
    #expect(folderEntries("\(damaged.path)/cache/headway/\(copy)") == [])
  }

  @Test func `Ctrl-C ends the tasks on other machines, too`() {
    let sandbox = sandbox("tasks:\n  a: { run: 'echo begun; sleep 1000' }\n")
    let tool = start(sandbox, ["--on", "one:1", "--output", "stream"])
    #expect(tool.wait(for: "begun"))
    kill(tool.pid, SIGINT)
    #expect(tool.end() == .signal(SIGINT))
    #expect(sandbox.survivors() == [])
  }

  @Test func `Services run on this machine, and the tasks that need them elsewhere`() {
    let sandbox = sandbox(
      """
      tasks:
        database:
          run: 'trap "echo closed; exit 0" TERM; echo "on <$HOST>"; echo up; while true; do sleep 0.05; done'
          service: { ready: { output: up } }
        cache:
          run: 'sleep 0.2; touch cache.sock; exec sleep 1000'
          service: { ready: { run: 'test -e cache.sock && echo checked on "<$HOST>"' } }
          after: database
        a: { run: 'echo "on <$HOST>"; test -e cache.sock', after: cache, cpus: 2 }
        b: { run: 'echo "on <$HOST>"', after: database }
      """)
    let tool = start(sandbox, ["--on", "one:2", "--output", "stream"])
    #expect(tool.end() == .code(0), "\(tool.text)")
    for line in ["database │ on <>", "database │ closed", "a │ on <one>", "b │ on <one>"] {
      let words = line.split(separator: " │ ")
      #expect(
        tool.text.split(separator: "\n").contains {
          $0.hasPrefix(words[0]) && $0.hasSuffix(words[1])
        }, "\(line): \(tool.text)")
    }
    #expect(sandbox.survivors() == [])
  }

  @Test func `The job of Slurm around a run is not ended with its services`() {
    let sandbox = sandbox(
      """
      tasks:
        web: { run: 'echo "job $SLURM_JOB_ID"; exec sleep 1000', service: { ready: { output: job } } }
        a: { run: 'sleep 1000', after: web }
      """)
    sandbox.installProgram(
      "#!/bin/sh\necho \"$@\" >>\"\(sandbox.path)/cancelled\"\n", at: "bin/scancel")
    let tool = start(
      sandbox, ["--on", "one:1", "--output", "stream"],
      variables: ["SLURM_JOB_ID=17", "SLURMD_NODENAME=n1"])
    #expect(tool.wait(for: "job 17"))
    // The worker loses its run without a farewell.
    kill(tool.runner, SIGKILL)
    _ = tool.end()
    #expect(eventually { sandbox.survivors() == [] })
    #expect(!sandbox.has("cancelled"))
  }

  @Test func `A service beside tasks on other machines may say by itself that it is ready`() {
    let notify =
      "import os,signal,socket; s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM); "
      + "s.sendto(b'READY=1',os.environ['NOTIFY_SOCKET']); signal.pause()"
    let sandbox = sandbox(
      """
      tasks:
        web: { run: [python3, -c, "\(notify)"], service: { ready: { notify: true } }, cpus: 64 }
        a: { run: 'echo "on <$HOST>"', after: web }
      """)
    let tool = start(sandbox, ["--on", "one:1", "--output", "stream"])
    #expect(tool.end() == .code(0), "\(tool.text)")
    #expect(tool.text.contains("on <one>"))
    #expect(sandbox.survivors() == [])
  }

  @Test func `A task that only this machine can run is refused`() {
    let sandbox = sandbox(
      "tasks:\n  a: { run: 'true', detach: true }\n  b: { run: 'true', after: a }\n")
    let tool = start(sandbox, ["--on", "one"])
    #expect(tool.end() == .code(69), "\(tool.text)")
    #expect(tool.text.contains("it leaves processes behind"), "\(tool.text)")
  }

  @Test func `A wrong list of machines is an error of usage`() {
    let sandbox = sandbox("tasks:\n  a: { run: 'true' }\n")
    for list in ["-oProxyCommand=touch ran", "a,a", "a:0"] {
      let tool = start(sandbox, ["--on", list])
      #expect(tool.end() == .code(2))
      #expect(tool.text.contains("--on: "))
    }
    #expect(!sandbox.has("ran"))
  }
}
