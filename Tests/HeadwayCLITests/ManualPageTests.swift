import HeadwayPlan
import ProcessFixtures
import Testing

@testable import HeadwayCLI

/// The manual pages, which have the texts of `--help`.
struct ManualPageTests {
  @Test func `Every command has a page, and the tool has one`() {
    let result = RunningTool.run(["__man"], in: Sandbox())
    let names = result.text.split(separator: "\n").map { String($0) }
    #expect(names == ["headway.1", "headway-plan.5"] + Command.all.map { "headway-\($0.name).1" })
    #expect(RunningTool.run(["__man", "headway-none.1"], in: Sandbox()).end == .code(2))
  }

  @Test func `A page has the options, the exit codes and the examples of its command`() {
    let page = ManualPage.text(of: .run)
    #expect(page.contains("\\fB\\-j\\fR, \\fB\\-\\-workers\\fR \\fIN\\fR\n"))
    #expect(page.contains(".SH EXIT STATUS\nExits with 0"))
    #expect(page.contains(".SH EXAMPLES\n.TP\nheadway run\n"))
    #expect(page.contains("\\fBheadway\\-list\\fR(1)"))
    #expect(!ManualPage.text(of: .tell).contains("publish\\-for"))
  }

  @Test func `The page of plans has every key that a plan can have, and others refer to it`() {
    let page = ManualPage.plan
    #expect(page.contains(".TH HEADWAY\\-PLAN 5 "))
    for keys in PlanSchema.keys {
      for key in keys.schema { #expect(page.contains("\n\\fB\(key)\\fR ("), "\(keys.map)") }
    }
    #expect(PlanSchema.reference.count == PlanSchema.keys.count)
    #expect(page.contains("\n\\fBgrace\\fR (duration)\nThe time between asking"))
    for text in [ManualPage.overview, ManualPage.text(of: .run)] {
      #expect(text.hasSuffix(",\n\\fBheadway\\-plan\\fR(5)\n"))
    }
    #expect(!ManualPage.text(of: .watch).contains("(5)"))
  }

  @Test(
    .enabled(if: shell("mandoc") != nil, "mandoc is not installed"),
    arguments: ManualPage.names)
  func `Mandoc finds no mistakes in a page`(name: String) throws {
    let command = "'\(RunningTool.path)' __man \(name) | mandoc -T lint -W warning"
    let sandbox = Sandbox()
    let tool = RunningTool(["-c", command], in: sandbox, program: "/bin/sh")
    #expect(tool.end() == .code(0))
    #expect(tool.text == "")
  }

  @Test(
    .enabled(
      if: shell("man") != nil && shell("groff") != nil, "man and groff are not installed"),
    arguments: ManualPage.names)
  func `The program man shows a page without warnings`(name: String) throws {
    let command = """
      '\(RunningTool.path)' __man \(name) > \(name) && man -l --warnings ./\(name) 2>errors >page
      cat errors; grep -c '^NAME' page
      """
    let sandbox = Sandbox()
    let tool = RunningTool(
      ["-c", command], in: sandbox, program: "/bin/sh", variables: ["MANWIDTH=80", "PAGER=cat"])
    #expect(tool.end() == .code(0))
    #expect(tool.text == "1\n")
  }
}
