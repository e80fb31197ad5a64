import Glibc
import HeadwayFiles
import HeadwayRun
import HeadwaySystem
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// Which state of a task's files counts as that after its success.
struct ContentsCheckerTests {
  @Test func `An input that changes while the task runs makes it run again`() throws {
    let folder = Folder(["in", "out"])
    let subject = ContentsRecord.Subject(
      command: ["cp", "in", "out"], inputs: ["\(folder.path)/in"],
      outputs: ["\(folder.path)/out"], folder: try folder.opened(), name: "record")
    #expect(runs(subject, whileRunning: {}) == [true, false])
    folder.write("in", "another")
    #expect(runs(subject, whileRunning: { folder.write("in", "meanwhile") }) == [true, true])
  }

  /// Checks a task, runs it, and checks it again; whether it has to run each time.
  private func runs(_ subject: ContentsRecord.Subject, whileRunning body: () -> Void) -> [Bool] {
    guard
      case .checked(_, let isUpToDate, let state) = ContentsChecker.answer(
        .check(TaskID(0), subject))
    else { return [] }
    body()
    _ = ContentsChecker.answer(.keep(TaskID(0), subject, checked: state))
    guard
      case .checked(_, let isUpToDateNow, _) = ContentsChecker.answer(.check(TaskID(0), subject))
    else { return [] }
    return [!isUpToDate, !isUpToDateNow]
  }

  @Test func `The answers wake the loop, in the order of the questions`() throws {
    let folder = Folder(["in"])
    let checker = try ContentsChecker()
    let poller = try Poller.opened()
    #expect(poller.add(checker.wake.descriptor, token: 7))
    for index in 0..<3 {
      checker.ask(
        .check(
          TaskID(index),
          ContentsRecord.Subject(
            command: [], inputs: ["\(folder.path)/in"], outputs: [],
            folder: try folder.opened(), name: "record")))
    }
    var tasks: [Int] = []
    while tasks.count < 3 {
      try #require(poller.wait(for: .seconds(60)).map(\.token) == [7])
      checker.wake.clear()
      for case .checked(let task, _, _) in checker.answers() { tasks.append(task.index) }
    }
    #expect(tasks == [0, 1, 2])
  }

  @Test func `A question is answered however long ago the one before it was`() throws {
    let folder = Folder(["in"])
    let checker = try ContentsChecker()
    let poller = try Poller.opened()
    #expect(poller.add(checker.wake.descriptor, token: 7))
    // The thread ends when it has nothing to do, and sometimes does so before the next question.
    for index in 0..<200 {
      let subject = ContentsRecord.Subject(
        command: [], inputs: ["\(folder.path)/in"], outputs: [], folder: try folder.opened(),
        name: "record")
      checker.ask(.check(TaskID(index), subject))
      try #require(poller.wait(for: .seconds(60)).map(\.token) == [7])
      checker.wake.clear()
      #expect(checker.answers().count == 1)
    }
  }

  /// Waits until this process has a file open.
  ///
  /// - Returns: Whether it has within two minutes.
  private func isReading(_ path: String) -> Bool {
    var wanted = stat()
    guard unsafe stat(path, &wanted) == 0 else { return false }
    return eventually {
      (0..<1024 as Range<Int32>).contains { descriptor in
        var found = stat()
        return unsafe fstat(descriptor, &found) == 0 && found.st_ino == wanted.st_ino
          && found.st_dev == wanted.st_dev
      }
    }
  }

  @Test func `Withdrawing a question ends the reading of a huge file`() throws {
    let folder = Folder(["small"])
    // Reading all of it would take longer than any test may.
    let file = unsafe open("\(folder.path)/huge", O_WRONLY | O_CREAT, 0o600)
    try #require(ftruncate(file, 1 << 42) == 0)
    close(file)
    let checker = try ContentsChecker()
    let poller = try Poller.opened()
    #expect(poller.add(checker.wake.descriptor, token: 7))
    func subject(_ name: String) throws -> ContentsRecord.Subject {
      ContentsRecord.Subject(
        command: [], inputs: ["\(folder.path)/\(name)"], outputs: [], folder: try folder.opened(),
        name: "record")
    }
    checker.ask(.check(TaskID(0), try subject("huge")))
    checker.ask(.check(TaskID(1), try subject("huge")))
    checker.ask(.check(TaskID(2), try subject("small")))
    try #require(isReading("\(folder.path)/huge"))
    checker.cancel(TaskID(1))
    checker.cancel(TaskID(0))
    try #require(poller.wait(for: .seconds(60)).map(\.token) == [7])
    guard case .checked(let task, _, _) = try #require(checker.answers().first) else {
      Issue.record("another answer")
      return
    }
    #expect(task == TaskID(2))
  }

  /// A checker, what waits for its answers, and a folder with a small file and one that takes longer to read than any test.
  private struct Looking {
    let folder = Folder(["small"])
    let checker: ContentsChecker
    private let poller: Poller

    init() throws {
      let file = unsafe open("\(folder.path)/huge", O_WRONLY | O_CREAT, 0o600)
      try #require(ftruncate(file, 1 << 42) == 0)
      close(file)
      checker = try ContentsChecker()
      poller = try Poller.opened()
      #expect(poller.add(checker.wake.descriptor, token: 7))
    }

    func subject(_ names: String..., record: String = "record") throws -> ContentsRecord.Subject {
      ContentsRecord.Subject(
        command: [], inputs: names.map { "\(folder.path)/\($0)" }, outputs: [],
        folder: try folder.opened(), name: record)
    }

    func nextAnswers() throws -> [ContentsChecker.Answer] {
      try #require(poller.wait(for: .seconds(60)).map(\.token) == [7])
      checker.wake.clear()
      return checker.answers()
    }

    /// Records that a task with the small file has succeeded.
    func keep(_ subject: ContentsRecord.Subject) throws {
      let state = try #require(ContentsRecord.state(of: subject))
      ContentsRecord.keep(state, subject)
    }
  }

  @Test func `A question is answered in the middle of a look at a huge file`() throws {
    let looking = try Looking()
    let huge = try looking.subject("huge")
    // Without a record, no file would be read.
    let command = try #require(ContentsRecord.state(of: huge) { _ in true })
    ContentsRecord.keep(command, huge)
    looking.checker.look(.init(task: TaskID(0), subject: huge, number: 1))
    try #require(isReading("\(looking.folder.path)/huge"))
    looking.checker.ask(.check(TaskID(1), try looking.subject("small", record: "other")))
    guard case .checked(TaskID(1), false, _) = try #require(try looking.nextAnswers().first) else {
      Issue.record("another answer")
      return
    }
    #expect(isReading("\(looking.folder.path)/huge"))
    looking.checker.cancel(TaskID(0))
    looking.checker.look(.init(task: TaskID(2), subject: try looking.subject("small"), number: 5))
    guard case .looked(TaskID(2), 5, true) = try #require(try looking.nextAnswers().first) else {
      Issue.record("another answer")
      return
    }
  }

  @Test func `A look without a change is one, and a change is found without reading the rest`()
    throws
  {
    let looking = try Looking()
    let subject = try looking.subject("small")
    try looking.keep(subject)
    var changed = try looking.subject("huge")
    changed.command = ["another"]
    looking.checker.look(.init(task: TaskID(0), subject: subject, number: 1))
    looking.checker.look(.init(task: TaskID(1), subject: changed, number: 1))
    looking.checker.look(
      .init(task: TaskID(2), subject: try looking.subject("huge", record: "none"), number: 1))
    var found: [Int: Bool] = [:]
    while found.count < 3 {
      for case .looked(let task, _, let isChanged) in try looking.nextAnswers() {
        found[task.index] = isChanged
      }
    }
    #expect(found == [0: false, 1: true, 2: true])
  }

  @Test func `A look at a task that gets a worker becomes the check, with the state of all files`()
    throws
  {
    let looking = try Looking()
    let subject = try looking.subject("small")
    try looking.keep(subject)
    looking.folder.write("small", "another")
    for _ in 0..<200 {
      // Whenever the check comes, there is one answer to it.
      looking.checker.look(.init(task: TaskID(0), subject: subject, number: 1))
      looking.checker.ask(.check(TaskID(0), subject))
      var isChecked = false
      while !isChecked {
        for case .checked(_, let isUpToDate, let state) in try looking.nextAnswers() {
          #expect(!isUpToDate && !state.isPartial && state.reason == "inputs changed")
          isChecked = true
        }
      }
      #expect(looking.checker.answers().isEmpty)
    }
  }
}
