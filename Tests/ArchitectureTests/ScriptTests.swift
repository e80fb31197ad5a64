import Foundation
import Testing

/// What the scripts of the repository print.
struct `The scripts` {
  @Test func `The table of the gate has its steps and tasks, their budgets, and what is wrong`()
    throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let steps = folder.appending(path: "steps")
    try Data("packages 90 2 0\ntests 540 8 1\n".utf8).write(to: steps)
    // As `headway status --json` prints it: the run, and then its tasks.
    let run = folder.appending(path: "run")
    try Data(
      """
      {"run":"20261129T120000Z","plan":"headway"}
      {"task":"races","phase":"ended","outcome":"succeeded","ran":810}
      {"task":"format","phase":"ended","outcome":"failed","ran":30}
      {"task":"ship","phase":"running"}

      """.utf8
    ).write(to: run)
    var environment = ProcessInfo.processInfo.environment
    environment["HEADWAY_STEPS"] = steps.path
    let table = try Repository.output(
      of: "Scripts/step-table", "1530", run.path, environment: environment)
    #expect(
      table == """
        step                  minutes   budget
        packages                  1.5        2
        tests                     9.0        8  exit code 1
        races                    13.5       13  over
        format                    0.5        1  failed
        ship                      0.0        5  running
        all                      25.5       25  over

        """)
  }
}
