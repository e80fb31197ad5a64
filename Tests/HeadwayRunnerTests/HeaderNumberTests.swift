import HeadwayRun
import HeadwaySystem
import RunFixtures
import Testing

@testable import HeadwayRunner
@testable import HeadwayState

/// The numbers of a header, which a person or another program may have changed.
struct HeaderNumberTests {
  @Test(arguments: [
    "workers", "cores", "began", "pid", "started", "tcp", "patience_ms", "fingerprint", "timeout",
    "usual", "version", "after", "limit", "pool", "cpus", "memory", "gpus",
  ])
  func `A number of any size in a header is refused or counts as one that a run can have`(
    name: String
  ) throws {
    var header = RunHeader.sample(["a", "b"])
    header.machines.usesTCP = true
    header.machines.patience = .seconds(60)
    (header.tasks[1].timeout, header.tasks[1].usual) = (.seconds(1), .seconds(1))
    header.tasks[1].after = [0]
    header.pools = [TaskPool(name: "disk", limit: 2)]
    header.tasks[1].pool = 0
    header.tasks[1].needs = Resources(cpus: 2, memory: 1 << 30, gpus: 1, labels: ["fast"])
    #expect(try RunHeader(header.bytes(), of: "run") == header)
    let text = String(decoding: header.bytes(), as: UTF8.self)
    for number in ["0", "-1", "9223372036854775807", "-9223372036854775808", "1e300", "1e-300"] {
      let changed = text.replacing(try Regex("\"\(name)\":(\\[?)-?[0-9.]+"), maxReplacements: 1) {
        "\"\(name)\":\($0.output[1].substring ?? "")\(number)"
      }
      guard let read = try? RunHeader(Array(changed.utf8), of: "run") else { continue }
      #expect((1...100_000).contains(read.workers) && (1...100_000).contains(read.machine.cores))
      #expect(read.process.number > 0)
      #expect(read.pools.allSatisfy { $0.limit >= 1 })
      #expect((0...65_535).contains(read.machines.port ?? 0))
      #expect((read.machines.patience ?? .zero) <= .seconds(3650 * 86_400))
      // What resuming computes with them.
      _ = try Machine.allowDescriptors(for: read.workers)
      _ = read.bytes()
      _ = StoredRun(read, JournalReader(read), isRunning: false).state
    }
  }
}
