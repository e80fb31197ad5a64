import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// The jobs of a run in a cluster, with scripts in place of its programs.
struct SlurmJobsTests {
  private let folder = Folder()

  /// Runs the script that ends jobs before others are submitted.
  ///
  /// - Returns: The numbers of the jobs that it has cancelled, in order.
  private func cancelled(_ names: [String], of jobs: [String]) throws -> [String] {
    let list = jobs.enumerated().map { "\($0.offset) \($0.element)" }.joined(separator: "\n")
    folder.write("jobs", list + "\n")
    folder.write("cancelled", "")
    let programs = [
      "squeue": """
      while read -r id name; do grep -qx "$id" cancelled || echo "$id $name"; done <jobs
      """,
      "scancel": "printf '%s\\n' \"$@\" >>cancelled",
    ]
    for (name, text) in programs {
      folder.write("bin/\(name)", "#!/bin/sh\ncd \(folder.path)\n\(text)\n")
      unsafe chmod("\(folder.path)/bin/\(name)", 0o755)
    }
    let environment = EnvironmentBlock()
    environment.set("PATH", "\(folder.path)/bin:/usr/bin:/bin")
    _ = try CommandOutput.text(
      of: ["/bin/sh", "-c", SlurmJobs.script, "headway"] + names, environment)
    return try CommandOutput.text(of: ["cat", "\(folder.path)/cancelled"], environment)
      .split(separator: "\n").map { String($0) }
  }

  @Test func `Only the job with a name is ended before it is submitted again`() throws {
    let jobs = ["headway-r-1", "headway-r-10", "headway-r-11", "headway-r-1-1", "other"]
    #expect(try cancelled(["headway-r-1", "--", "true"], of: jobs) == ["0"])
  }

  @Test func `All jobs of a run are ended, and no others`() throws {
    let jobs = ["headway-r-1", "headway-r-10", "headway-r2-1", "headway-q-1", "other"]
    #expect(try cancelled(["headway-r-", "headway-q-"], of: jobs) == ["0", "1", "3"])
  }
}
