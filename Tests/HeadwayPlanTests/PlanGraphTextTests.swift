import HeadwayPlan
import Testing

/// Rendering of dependency graphs.
struct PlanGraphTextTests {
  private static let text = """
    pools: { disk: 1 }
    tasks:
      fetch: { run: x }
      unpack: { run: x, after: fetch }
      test: { run: x, matrix: { v: [debug, release] }, after: unpack, pool: disk }
      lint: { run: x, after: unpack, optional: true }
      sweep: { run: x, always: true, after: [test, lint] }
      notes: { run: x, detach: true }
    """

  @Test func `The tree shows each task under one of its dependencies`() throws {
    let tree = """
      fetch
      └─ unpack
         ├─ test[debug] (pool disk)
         │  └─ sweep (always)
         ├─ test[release] (pool disk)
         │  └─ → sweep
         └─ lint (optional)
            └─ → sweep
      notes (detached)
      """
    #expect(PlanGraphText(try plan(Self.text)).tree() == tree)
  }

  @Test func `Tasks that are drawn elsewhere share one arrow`() throws {
    let text = """
      tasks:
        a: { run: x }
        b: { run: x, after: a }
        c: { run: x, after: [a, b] }
        d: { run: x, after: [a, b] }
        e: { run: x, after: a }
      """
    let tree = """
      a
      ├─ b
      │  ├─ c
      │  └─ d
      ├─ e
      └─ → c, d
      """
    #expect(PlanGraphText(try plan(text)).tree() == tree)
  }

  @Test func `A long branch continues at the left`() throws {
    var text = "tasks:\n  t0: { run: x }\n"
    for task in 1..<30 { text += "  t\(task): { run: x, after: t\(task - 1) }\n" }
    let lines = PlanGraphText(try plan(text)).tree().split(separator: "\n")
    #expect(lines[24].hasSuffix("└─ t24 …"))
    #expect(lines[25...27] == ["… t24", "└─ t25", "   └─ t26"])
  }

  @Test func `The tree stays linear with many dependencies`() throws {
    let values = (0..<1000).map(String.init).joined(separator: ",")
    let plan = try plan(
      "tasks:\n  a: { run: x, matrix: { v: [\(values)] } }\n  b: { run: x, after: a, matrix: { v: [\(values)] } }\n"
    )
    #expect(PlanGraphText(plan).tree().utf8.count < 200_000)
  }

  @Test func `Dot has labeled nodes and arrows from dependency to dependent`() throws {
    let dot = #"""
      digraph "plan" {
        rankdir=LR;
        node [shape=box];
        t0 [label="say \"hi\""];
        t1 [label="b\\n\noptional", style=dashed];
        t2 [label="c\nalways", peripheries=2];
        t0 -> t1;
        t0 -> t2;
        t1 -> t2;
      }
      """#
    #expect(PlanGraphText(try plan(Self.odd)).dot() == dot)
  }

  @Test func `Mermaid has labeled nodes and arrows from dependency to dependent`() throws {
    let chart = """
      flowchart LR
        t0["say #34;hi#34;"]
        t1["b#92;n<br/>optional"]
        t2["c<br/>always"]
        t0 --> t1
        t0 --> t2
        t1 --> t2
      """
    #expect(PlanGraphText(try plan(Self.odd)).mermaid() == chart)
  }

  @Test func `A task that waits for all others is shown once, at the end`() throws {
    let tree = """
      a
      └─ b
         └─ c
      report (always), after all other tasks
      tidy (always), after all other tasks
      """
    let text = """
      tasks:
        a: { run: x }
        b: { run: x, after: a }
        c: { run: x, after: b }
        report: { run: x, always: true }
        tidy: { run: x, always: true }
      """
    #expect(PlanGraphText(try plan(text)).tree() == tree)
  }

  /// A plan with special characters of dot and Mermaid.
  private static let odd = #"""
    tasks:
      say "hi": { run: x }
      b\n: { run: x, after: say "hi", optional: true }
      c: { run: x, always: true }
      d: { run: x, always: true, after: [] }
    """#.split(separator: "\n").dropLast().joined(separator: "\n")
}
