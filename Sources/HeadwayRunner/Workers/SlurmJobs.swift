internal import HeadwayLibc
internal import HeadwayRun

/// Workers in jobs of a Slurm cluster.
///
/// Each job is one `srun` with one worker, whose standard streams are the connection, or one of an `sbatch`, whose worker connects
/// over TCP; see ``SubmittedJobs``. So a job lives no longer than it is of
/// use, is never requeued, and the graph, retries and time limits stay with the run; see decision 40. Its worker carries out
/// one task after the other, or a single one for which the job was submitted; see decision 43.
struct SlurmJobs {
  /// The most places of a job, unless the options say otherwise: smaller jobs start sooner.
  private static let mostPlacesPerJob = 16

  /// Cancels the jobs named by its arguments, waits until they are gone, and then runs the command after `--`, if there is one.
  ///
  /// An argument that ends with a dash stands for all names that begin with it. As long as `squeue` fails, the script asks
  /// again, because it does not know whether the jobs are gone.
  ///
  /// It runs before an `srun` or `sbatch` that is repeated, so that no job exists twice. At the end of a run and in
  /// `headway resume` it runs without a command, so that no job is left behind.
  static let script = """
    unset SLURM_JOB_ID SLURM_JOBID SLURM_NTASKS SLURM_NNODES SLURM_CPUS_PER_TASK SLURM_ARRAY_TASK_ID SLURM_ARRAY_JOB_ID
    own=
    while [ "${1:---}" != -- ]; do own="$own $1"; shift; done
    [ $# -gt 0 ] && shift
    while [ -n "$own" ]; do
      if list=$(squeue -h --me -o '%i %j'); then
        jobs=$(for own in $own; do
          case $own in *-) own="$own*" ;; esac
          printf '%s\\n' "$list" | while read -r job name; do
            case "$name" in $own) echo "$job" ;; esac
          done
        done)
        [ -n "$jobs" ] || break
        scancel $jobs
      fi
      sleep 1
    done
    [ $# -gt 0 ] || exit 0
    exec "$@"
    """

  /// Ends the jobs that wait or run and whose names begin with the first argument.
  ///
  /// At the end of a run there should be none. But a controller that was killed goes on from what it had stored, and may have jobs
  /// again that had ended.
  private static let lastLookScript = """
    list=$(squeue -h --me -t PENDING,CONFIGURING,RUNNING,SUSPENDED -o '%i %j') || exit 1
    jobs=$(printf '%s\\n' "$list" | while read -r job name; do
      case $name in $1*) echo "$job" ;; esac
    done)
    [ -z "$jobs" ] || scancel $jobs
    """

  /// The number of attempts that may run at once.
  private let places: Int
  /// How many of them each job has, if it is not for a single task.
  private let placesPerJob: Int
  /// The CPUs of the largest node.
  private let mostCores: Int
  /// The options of the jobs, as `sbatch` and `srun` take them.
  private let options: [String]
  /// The name of the run.
  private let run: String
  /// The beginning of `HEADWAY_TASK_ID` in the run.
  private let identity: String
  /// Whether the workers connect over TCP.
  private let usesTCP: Bool
  /// What the user says of the jobs.
  private let offer: WorkerHost
  /// The most that a task needs.
  private let largest: Resources

  /// Plans jobs.
  ///
  /// - Parameters:
  ///   - offer: The number of attempts that may run at once, and what the user says of the jobs.
  ///   - largest: The most that a task needs, for which each job is large enough.
  ///   - options: The options of the jobs.
  ///   - run: The name of the run.
  ///   - identity: The beginning of `HEADWAY_TASK_ID` in the run.
  ///   - usesTCP: Whether the workers connect over TCP.
  ///   - environment: The environment of this program.
  /// - Throws: `RunnerError.worker` if there is no cluster.
  init(
    _ offer: WorkerHost, largest: Resources, options: [String], run: String, identity: String,
    usesTCP: Bool = false, environment: EnvironmentBlock
  ) throws(RunnerError) {
    self.offer = offer
    self.largest = largest
    places = offer.places ?? 1
    self.run = run
    self.identity = identity
    self.usesTCP = usesTCP
    self.options = options
    if let cores = Self.cores(in: options) {
      (placesPerJob, mostCores) = (min(cores, places), cores)
      return
    }
    let answer = try Self.ask(
      ["sinfo", "-h", "-e", "-o", "%c"] + Self.partition(in: options), environment)
    let cores = answer.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard let fewest = cores.min(), let most = cores.max() else {
      throw .worker(WorkerHost.slurm, "sinfo names no nodes of that partition")
    }
    mostCores = most
    placesPerJob = max(min(fewest, places, max(Self.mostPlacesPerJob, largest.cpus)), 1)
  }

  /// The value of `--cpus-per-task` or `-c`, nil if there is none.
  static func cores(in options: [String]) -> Int? {
    value(of: "--cpus-per-task", "-c", in: options).flatMap { Int($0) }.flatMap {
      $0 > 0 ? $0 : nil
    }
  }

  private static func partition(in options: [String]) -> [String] {
    value(of: "--partition", "-p", in: options).map { ["-p", $0] } ?? []
  }

  /// The value of an option that is written as `--long=value`, `--long value`, `-l value` or `-lvalue`.
  private static func value(of long: String, _ short: String, in options: [String]) -> String? {
    for (index, option) in options.enumerated() {
      if option == long || option == short {
        return options.indices.contains(index + 1) ? options[index + 1] : nil
      }
      if option.hasPrefix("\(long)=") { return String(option.dropFirst(long.count + 1)) }
      if option.hasPrefix(short), !option.hasPrefix("--") {
        return String(option.dropFirst(short.count))
      }
    }
    return nil
  }

  /// The beginning of the names of all jobs of a run.
  static func prefix(_ run: String) -> String { "headway-\(run)-" }

  /// The command that ends the jobs which the cluster has at the end of the run; it fails if nobody answers.
  var lastLook: [String] {
    ["/bin/sh", "-c", Self.lastLookScript, "headway", Self.prefix(run)]
  }

  /// The places of the jobs that carry out one task after the other.
  var workers: [WorkerPlace] {
    if offer.hasJobPerTask { return [] }
    let count = (places + placesPerJob - 1) / placesPerJob
    return (0..<count).map { index in
      let own = min(placesPerJob, places - index * placesPerJob)
      return place(
        index + 1, Resources(cpus: own, memory: memory(of: own), gpus: largest.gpus), places: own)
    }
  }

  /// The jobs for single tasks, nil if jobs carry out one task after the other.
  var dedicatedMachines: DedicatedMachines? {
    guard offer.hasJobPerTask else { return nil }
    let largest = Resources(
      cpus: mostCores, memory: offer.memory ?? .max, gpus: offer.gpus ?? .max, labels: offer.labels)
    return DedicatedMachines(most: places, largest: largest)
  }

  /// What a job for a task has: what the task needs.
  func has(forTaskThatNeeds needs: Resources) -> Resources {
    var has = needs
    has.labels = offer.labels
    return has
  }

  /// The place of a job that carries out a single task.
  ///
  /// - Parameters:
  ///   - number: The number of the job, from 1; each one is used once.
  ///   - needs: What the task needs.
  /// - Returns: The place.
  func place(_ number: Int, forTaskThatNeeds needs: Resources) -> WorkerPlace {
    place(number, has(forTaskThatNeeds: needs), places: needs.cpus)
  }

  private func place(_ number: Int, _ has: Resources, places: Int) -> WorkerPlace {
    let name = Self.prefix(run) + "\(number)"
    var needs = Self.cores(in: options) == nil ? ["--cpus-per-task=\(has.cpus)"] : []
    if has.memory > 0, !options.contains(where: { $0.hasPrefix("--mem") }) {
      needs.append("--mem=\((has.memory + (1 << 20) - 1) >> 20)M")
    }
    if has.gpus > 0,
      !options.contains(where: { $0.hasPrefix("--gpus") || $0.hasPrefix("--gres") })
    {
      needs.append("--gpus-per-node=\(has.gpus)")
    }
    if usesTCP {
      return WorkerPlace(
        name: "the Slurm job '\(name)'", host: name, arguments: [], places: places, timeout: nil,
        offer: offer,
        submission: ["--comment=headway/\(run)", "--nodes=1", "--ntasks=1"] + needs + options)
    }
    let srun =
      ["srun", "--job-name=\(name)", "--comment=headway/\(run)/\(number)"]
      + ["--nodes=1", "--ntasks=1", "--mpi=none", "--kill-on-bad-exit=0"] + needs + options
      + [WorkerProgram.own, "worker", identity]
    let script = ["/bin/sh", "-c", Self.script, "headway"]
    return WorkerPlace(
      name: "the Slurm job '\(name)'", host: name, arguments: script + ["--"] + srun,
      // Before a job is submitted again, the one before it must be gone.
      argumentsAgain: script + [name, "--"] + srun, places: places, timeout: nil, offer: offer)
  }

  /// The memory of a job in bytes: as much as the task that needs most for each CPU would need for all of them.
  private func memory(of places: Int) -> Int {
    if largest.memory == 0 { return 0 }
    let all = (largest.memory / max(largest.cpus, 1)).multipliedReportingOverflow(by: places)
    return max(all.overflow ? largest.memory : all.partialValue, largest.memory)
  }

  /// Ends the jobs of earlier runs, and waits until they are gone.
  ///
  /// - Parameters:
  ///   - runs: The names of the runs.
  ///   - environment: The environment of this program.
  /// - Throws: `RunnerError.worker` if that cannot be done.
  static func end(_ runs: [String], _ environment: EnvironmentBlock) throws(RunnerError) {
    _ = try ask(["/bin/sh", "-c", script, "headway"] + runs.map(prefix), environment)
  }

  /// The name of the node on which this process runs, nil outside of a job.
  static var ownNode: String? { EnvironmentBlock()["SLURMD_NODENAME"] }

  /// Ends the job in which this process runs, if it is in one.
  ///
  /// If `srun` was killed, nobody else would before the time limit of the job. As long as nobody answers, it asks again, for
  /// ``endOwnTimeout`` at most.
  static func endOwn() {
    let environment = EnvironmentBlock()
    guard let job = environment["SLURM_JOB_ID"] else { return }
    let script = """
      for second in $(seq \(Int(endOwnTimeout / .seconds(1)))); do
        if scancel "$1"; then exit; fi
        sleep 1
      done
      """
    _ = try? ask(["/bin/sh", "-c", script, "headway", job], environment)
  }

  /// How long the controller of the cluster may be away while a job ends itself.
  static let endOwnTimeout = Duration.seconds(120)

  /// Asks Slurm.
  private static func ask(
    _ arguments: [String], _ environment: EnvironmentBlock
  ) throws(RunnerError) -> String {
    do throws(StartError) {
      return try CommandOutput.text(of: arguments, environment)
    } catch {
      throw .worker(WorkerHost.slurm, error.reason)
    }
  }
}
