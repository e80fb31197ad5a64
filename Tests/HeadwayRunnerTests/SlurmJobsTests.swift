import HeadwayPlan
import HeadwayRun
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
      folder.installProgram("bin/\(name)", "#!/bin/sh\ncd \(folder.path)\n\(text)\n")
    }
    let environment = EnvironmentBlock()
    environment.set("PATH", "\(folder.path)/bin:/usr/bin:/bin")
    _ = try CommandOutput.text(
      of: ["/bin/sh", "-c", SlurmJobs.script, "headway"] + names, environment)
    return try CommandOutput.text(of: ["cat", "\(folder.path)/cancelled"], environment)
      .split(separator: "\n").map { String($0) }
  }

  /// The jobs of a run on a cluster whose nodes have 8 and 64 cores.
  private func jobs(
    _ mode: String, options: [String] = [], largest: Resources = Resources()
  ) throws -> SlurmJobs {
    folder.installProgram("bin/sinfo", "#!/bin/sh\nprintf '8\\n64\\n'\n")
    let environment = EnvironmentBlock()
    environment.set("PATH", "\(folder.path)/bin:/usr/bin:/bin")
    var offer = try WorkerHost("slurm:20")
    offer.hasJobPerTask = mode == "job"
    offer.labels = ["batch"]
    return try SlurmJobs(
      offer, largest: largest, options: options, run: "r", identity: "i", environment: environment)
  }

  /// The options of a place that say how large its job is.
  private func size(_ place: WorkerPlace) -> [String] {
    place.arguments.filter {
      $0.hasPrefix("--cpus") || $0.hasPrefix("--mem") || $0.hasPrefix("--gpu")
    }
  }

  @Test func `Jobs that carry out one task after the other are as large as nodes and tasks allow`()
    throws
  {
    let workers = try jobs("worker", largest: Resources(memory: 1 << 30)).workers
    #expect(workers.map(\.places) == [8, 8, 4])
    #expect(workers.map(\.host) == ["headway-r-1", "headway-r-2", "headway-r-3"])
    #expect(size(workers[2]) == ["--cpus-per-task=4", "--mem=4096M"])
    #expect(try jobs("worker").dedicatedMachines == nil)
    #expect(try jobs("worker", options: ["-c5"]).workers.map(\.places) == [5, 5, 5, 5])
  }

  @Test func `A job for a task is as large as the task needs`() throws {
    let jobs = try jobs("job", largest: Resources(cpus: 32))
    let own = try #require(jobs.dedicatedMachines)
    #expect(jobs.workers.isEmpty && own.most == 20)
    #expect(own.largest.cpus == 64 && own.largest.labels == ["batch"])
    let needs = Resources(cpus: 32, memory: (2 << 30) - 1_000, gpus: 1, labels: ["batch"])
    let place = jobs.place(7, forTaskThatNeeds: needs)
    #expect(place.host == "headway-r-7" && place.places == 32)
    #expect(size(place) == ["--cpus-per-task=32", "--mem=2048M", "--gpus-per-node=1"])
    #expect(place.arguments.contains("--comment=headway/r/7"))
    #expect(jobs.has(forTaskThatNeeds: Resources()) == Resources(labels: ["batch"]))
  }

  @Test func `Only the job with a name is ended before it is submitted again`() throws {
    let jobs = ["headway-r-1", "headway-r-10", "headway-r-11", "headway-r-1-1", "other"]
    #expect(try cancelled(["headway-r-1", "--", "true"], of: jobs) == ["0"])
  }

  @Test func `All jobs of a run are ended, and no others`() throws {
    let jobs = ["headway-r-1", "headway-r-10", "headway-r2-1", "headway-q-1", "other"]
    #expect(try cancelled(["headway-r-", "headway-q-"], of: jobs) == ["0", "1", "3"])
  }

  @Test(arguments: [
    ("17\n", "17"), ("17;cluster\n", "17"), ("Welcome\n17;cluster\n", "17"), ("17\nbye\n", "17"),
    ("", nil), ("sbatch: queued\n", nil), (";cluster\n", nil), ("17 jobs\n", nil),
  ])
  func `The number of a submission is found among what others print`(answer: String, id: String?) {
    #expect(SubmittedJobs.id(in: Array(answer.utf8)) == id)
  }

  @Test func `A worker says which job it is in`() throws {
    let element = try #require(SubmittedJobs.Element("12.3"))
    #expect(element == SubmittedJobs.Element(submission: 12, place: 3))
    #expect(SubmittedJobs.Element(element.description) == element)
    for text in ["", "12", "12.", ".3", "12.3.4", "a.b"] {
      #expect(SubmittedJobs.Element(text) == nil)
    }
    #expect(
      SubmittedJobs.Element(name: "headway-r-12", place: "N/A", prefix: "headway-r-")
        == SubmittedJobs.Element(submission: 12, place: 0))
    #expect(SubmittedJobs.Element(name: "headway-r-x", place: "1", prefix: "headway-r-") == nil)
  }
}
