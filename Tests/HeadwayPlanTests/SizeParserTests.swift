import Testing

@testable import HeadwayPlan

/// Parsing of sizes, and the limit of logs that uses them.
struct SizeParserTests {
  @Test(arguments: [
    ("1kB", 1000), ("1KiB", 1024), ("10MB", 10_000_000), ("64MiB", 64 << 20),
    ("2 GB", 2_000_000_000), ("1GiB", 1 << 30), ("1TB", 1_000_000_000_000), ("1024TiB", 1 << 50),
    ("0MB", 0),
  ])
  func `A number with a unit is a size`(text: String, bytes: Int) throws {
    #expect(try SizeParser.parse(text) == bytes)
  }

  @Test(arguments: [
    ("30", #"size "30" has no unit; write it like 500kB, 10MB or 2GiB"#),
    ("30K", #"invalid size "30K"; write "30kB""#),
    ("5 mib", #"invalid size "5 mib"; write "5MiB""#),
    ("5G", #"invalid size "5G"; write "5GB""#),
    ("5 apples", #"invalid size "5 apples"; write it like 500kB, 10MB or 2GiB"#),
    ("", #"invalid size ""; write it like 500kB, 10MB or 2GiB"#),
    ("1.5MB", #"invalid size "1.5MB"; write it like 500kB, 10MB or 2GiB"#),
    ("-1MB", #"invalid size "-1MB"; write it like 500kB, 10MB or 2GiB"#),
    ("1025TiB", #"size "1025TiB" is too large; the maximum is 1024TiB"#),
    (
      "99999999999999999999kB",
      #"size "99999999999999999999kB" is too large; the maximum is 1024TiB"#
    ),
  ])
  func `The message for another text suggests a correction`(text: String, message: String) {
    #expect(throws: SizeParser.ParseError(message: message)) { try SizeParser.parse(text) }
  }

  @Test func `A task has the limit of the defaults, its own, or none`() throws {
    let plan = try plan(
      """
      defaults: { log_limit: 10MB }
      tasks:
        a: { run: x }
        b: { run: x, log_limit: 1GiB }
        c: { run: x, log_limit: none }

      """)
    #expect(plan.tasks.map(\.logLimit) == [10_000_000, 1 << 30, nil])
    #expect(try HeadwayPlanTests.plan("tasks: { a: { run: x } }\n").tasks[0].logLimit == nil)
  }

  @Test(arguments: [
    ("[1]", "\"log_limit\" must be a size, such as 500kB, 10MB or 2GiB, or none"),
    ("~", "\"log_limit\" must be a size, such as 500kB, 10MB or 2GiB, or none"),
    ("10", "size \"10\" has no unit; write it like 500kB, 10MB or 2GiB"),
    ("0kB", "\"log_limit\" must be greater than 0; write \"none\" for no limit"),
  ])
  func `Mistakes in a limit are reported`(value: String, message: String) {
    #expect(
      diagnostics(in: "tasks: { a: { run: x, log_limit: \(value) } }\n")
        .hasPrefix("plan.yaml:1:34: \(message)\n"))
  }

  @Test func `A plan says how many runs are kept, and how large all of them may be`() throws {
    let tasks = "tasks: { a: { run: x } }\n"
    #expect(try plan(tasks).keep == Plan.Keep())
    let both = try plan("keep: { runs: 50, size: 2GB }\n\(tasks)").keep
    #expect(both.runs == 50 && both.bytes == 2_000_000_000)
    let all = try plan("keep: { size: none }\n\(tasks)").keep
    #expect(all.runs == nil && all.bytes == .max)
  }

  @Test(arguments: [
    (
      "keep: 3", 7,
      "\"keep\" must be a map of keys and values, such as keep: { runs: 50, size: 2GB }"
    ),
    ("keep: { runs: 0 }", 15, "\"runs\" must be an integer from 1 to 100,000, not \"0\""),
    ("keep: { size: 10 }", 15, "size \"10\" has no unit; write it like 500kB, 10MB or 2GiB"),
    ("keep: { size: 0MB }", 15, "\"size\" must be greater than 0; write \"none\" for no limit"),
    ("keep: { sizes: 1MB }", 9, "unknown key \"sizes\" in \"keep\"; did you mean \"size\"?"),
  ])
  func `Mistakes in what is kept are reported`(line: String, column: Int, message: String) {
    #expect(
      diagnostics(in: "\(line)\ntasks: { a: { run: x } }\n")
        .hasPrefix("plan.yaml:1:\(column): \(message)\n"))
  }
}
