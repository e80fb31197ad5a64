import HeadwayPlan
import HeadwayRun
import Testing

/// The names of machines, as users write them.
struct WorkerHostTests {
  @Test func `A list of machines`() throws {
    let hosts = try WorkerHost.list("a,user@b:8,[2001:db8::1]:2,::1,c.example.org")
    #expect(hosts.map(\.name) == ["a", "user@b", "2001:db8::1", "::1", "c.example.org"])
    #expect(hosts.map(\.places) == [nil, 8, 2, nil, nil])
  }

  @Test(arguments: [
    "", "a,", "a,,b", "a,a:2", "-oProxyCommand=x", "a:0", "a:-1", "a:many", "a:10001", "a b", "a\n",
    "[]:2", "ssh://a", "[ssh://a]", String(repeating: "a", count: 256),
  ])
  func `What names no machine is refused`(text: String) {
    #expect(throws: WorkerHostError.self) { try WorkerHost.list(text) }
  }

  @Test(arguments: [
    "8", "08", "0", "8:4", "a@8", "0x7f000001", "0X8", "0x", "127.1", "10.0.1", "1.2.3.256",
    "1.2.3.04",
    "1.2.3.4.5", "8.", "999999999999999999999", "[8]:2",
  ])
  func `A number that ssh would take for an address is refused`(text: String) {
    #expect(throws: WorkerHostError.self) { try WorkerHost.list(text) }
  }

  @Test func `Who means a number of tasks is told how to ask for it`() {
    let error = #expect(throws: WorkerHostError.self) { try WorkerHost("8") }
    #expect(error?.reason.hasSuffix("for 8 tasks at once, use -j8") == true)
  }

  @Test(arguments: [
    "127.0.0.1", "user@10.0.0.8:4", "8a", "n8", "0x7g", "8.example.org", "a",
    String(repeating: "a", count: 255),
  ])
  func `A whole address and a name with digits name a machine`(text: String) throws {
    #expect(try WorkerHost(text).text == text)
  }

  @Test func `A cluster needs a number of places`() throws {
    #expect(throws: WorkerHostError.self) { try WorkerHost.list("slurm") }
    #expect(try WorkerHost("slurm:64").places == 64)
  }

  @Test(arguments: ["a", "user@b:8", "[2001:db8::1]:2", "::1", "slurm:64"])
  func `What was read is written the same`(text: String) throws {
    #expect(try WorkerHost(text).text == text)
  }

  @Test func `A plan names its machines`() throws {
    let read = try plan(
      """
      hosts: [build1, "build2:8"]
      slurm_options: --partition=short  --time=2:00:00
      patience: 5m
      tasks: { a: { run: 'true' } }
      """)
    #expect(read.machines.hosts?.map(\.text) == ["build1", "build2:8"])
    #expect(read.machines.slurmOptions == ["--partition=short", "--time=2:00:00"])
    #expect(read.machines.patience == .seconds(300))
    var own = Machines()
    #expect(own.completed(by: read.machines) == read.machines)
    own.hosts = []
    #expect(own.completed(by: read.machines).hosts == [])
  }

  @Test(arguments: [("true", true, nil), ("false", false, nil), ("7000", true, 7_000)])
  func `A plan says whether workers connect over TCP`(
    text: String, usesTCP: Bool, port: Int?
  ) throws {
    let read = try plan("hosts: slurm:2\ntcp: \(text)\ntasks: { a: { run: 'true' } }\n")
    #expect(read.machines.usesTCP == usesTCP)
    #expect(read.machines.port == port)
    var own = Machines()
    #expect(own.completed(by: read.machines) == read.machines)
    // The command line decides, and the plan knows the port.
    own.usesTCP = true
    #expect(own.completed(by: read.machines).usesTCP == true)
    #expect(own.completed(by: read.machines).port == port)
  }

  @Test(arguments: ["0", "70000", "yes", "[1]"])
  func `What is neither true, false nor a port is refused`(text: String) {
    #expect(throws: (any Error).self) {
      try plan("hosts: slurm:2\ntcp: \(text)\ntasks: { a: { run: 'true' } }\n")
    }
  }

  @Test func `A plan says what machines have and tasks need`() throws {
    let read = try plan(
      """
      hosts:
        - build1
        - { host: "build2:8", memory: 64GiB, gpus: 2, labels: [fast, near] }
        - { host: slurm, places: 32, labels: batch, mode: job }
        - { host: build3, sync: rsync, folder: /scratch/me }
      defaults: { memory: 1GiB }
      tasks:
        a: { run: 'true' }
        b: { run: 'true', cpus: 4, gpus: 1, labels: [fast, fast] }
        c: { after: a }
      """)
    let hosts = try #require(read.machines.hosts)
    #expect(hosts.map(\.text) == ["build1", "build2:8", "slurm:32", "build3"])
    #expect(hosts.map(\.memory) == [nil, 64 << 30, nil, nil])
    #expect(hosts.map(\.gpus) == [nil, 2, nil, nil])
    #expect(hosts.map(\.labels) == [[], ["fast", "near"], ["batch"], []])
    #expect(hosts.map(\.hasJobPerTask) == [false, false, true, false])
    #expect(read.machines.choosesForEach)
    #expect(hosts.map(\.copiesFiles) == [false, false, false, true])
    #expect(hosts.map(\.folder) == [nil, nil, nil, "/scratch/me"])
    #expect(read.tasks[0].needs == Resources(memory: 1 << 30))
    #expect(read.tasks[1].needs == Resources(cpus: 4, memory: 1 << 30, gpus: 1, labels: ["fast"]))
    #expect(
      read.largestNeeds == Resources(cpus: 4, memory: 1 << 30, gpus: 1, labels: ["fast"]))
    // The command line names hosts, and the plan knows them.
    var own = Machines()
    own.hosts = try WorkerHost.list("build2,other:2")
    let completed = try #require(own.completed(by: read.machines).hosts)
    #expect(completed == [hosts[1], try WorkerHost("other:2")])
    own.hosts = try WorkerHost.list("build2:3")
    #expect(own.completed(by: read.machines).hosts?.first?.places == 3)
    #expect(!own.completed(by: read.machines).choosesForEach)
    own.hosts = try WorkerHost.list("slurm:4")
    #expect(own.completed(by: read.machines).choosesForEach)
    own.hosts = try WorkerHost.list("build3:2")
    let copied = try #require(own.completed(by: read.machines).hosts?.first)
    #expect(copied.copiesFiles && copied.folder == "/scratch/me" && copied.places == 2)
  }
}
