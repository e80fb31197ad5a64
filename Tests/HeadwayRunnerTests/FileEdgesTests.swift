import HeadwayPlan
import HeadwayRun
import Testing

@testable import HeadwayRunner

/// Along which edges a change of files spreads.
struct FileEdgesTests {
  /// The edges of a plan of tasks with inputs and outputs, each of which waits for all before it.
  private func edges(_ tasks: [(inputs: [String], outputs: [String])]) -> Set<[Int]> {
    var plan = Plan(name: "plan", workers: nil, pools: [], tasks: [])
    for (index, task) in tasks.enumerated() {
      var new = Plan.Task(name: "t\(index)", base: "t")
      new.after = Array(0..<index)
      (new.inputs, new.outputs) = (task.inputs, task.outputs)
      plan.tasks.append(new)
    }
    let dependencies = tasks.indices.flatMap { after in
      (0..<after).map { TaskGraph.Edge(before: $0, after: after) }
    }
    return Set(FileEdges.of(plan, dependencies).map { [$0.before, $0.after] })
  }

  @Test func `A task that only waits for another does not follow it`() {
    let found = edges([
      (["a.c"], ["a.o"]), (["a.o"], ["lib.a"]), (["main.c"], ["main.o"]),
      (["./main.o", "lib.a"], ["program"]),
    ])
    #expect(found == [[0, 1], [2, 3], [1, 3]])
  }

  @Test func `Files whose names are equal for Unicode only are two`() {
    let (one, two) = ("\u{E9}", "e\u{301}")
    #expect(edges([(["a"], [one]), ([two], ["b"])]) == [])
    #expect(edges([(["a"], [one]), ([one], ["b"])]) == [[0, 1]])
    #expect(edges([(["a"], ["\(one)/x"]), ([two], ["b"])]) == [])
    #expect(edges([(["a"], ["\(one)/x"]), ([one], ["b"])]) == [[0, 1]])
    // The pattern matches the name by its first byte.
    #expect(edges([(["a"], [two]), (["e*"], ["b"])]) == [[0, 1]])
  }

  @Test func `Files need no dependency of their own`() {
    var plan = Plan(name: "plan", workers: nil, pools: [], tasks: [])
    for (name, input, output) in [("one", "a", "b"), ("two", "c", "d"), ("three", "b", "e")] {
      var task = Plan.Task(name: name, base: name)
      (task.inputs, task.outputs) = ([input], [output])
      plan.tasks.append(task)
    }
    let chain = [TaskGraph.Edge(before: 0, after: 1), TaskGraph.Edge(before: 1, after: 2)]
    #expect(FileEdges.of(plan, chain) == [TaskGraph.Edge(before: 0, after: 2)])
  }

  @Test func `Directories contain files`() {
    #expect(edges([(["x"], ["out/deep/a"]), (["out"], ["b"])]) == [[0, 1]])
    #expect(edges([(["x"], ["out/"]), (["out/deep/a"], ["b"])]) == [[0, 1]])
    #expect(edges([(["x"], ["out/deep/a"]), (["outer"], ["b"]), (["deep"], ["c"])]) == [])
  }

  @Test func `Where patterns may match, and where files are unknown, the dependencies decide`() {
    #expect(edges([(["x"], ["gen/a.c"]), (["gen/*.c"], ["b"])]) == [[0, 1]])
    #expect(edges([(["x"], ["gen/*.h"]), (["gen/a.h"], ["b"]), (["src/b.h"], ["c"])]) == [[0, 1]])
    #expect(edges([(["x"], ["gen/a.c"]), (["src/*.c"], ["b"])]) == [])
    #expect(edges([(["x"], []), (["y"], ["b"])]) == [[0, 1]])
    #expect(edges([(["x"], ["b"]), ([], [])]) == [[0, 1]])
  }
}
