import HeadwayPlan
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
    "[]:2",
  ])
  func `What names no machine is refused`(text: String) {
    #expect(throws: WorkerHostError.self) { try WorkerHost.list(text) }
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
}
