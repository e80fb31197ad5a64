import Testing

@testable import HeadwayView

/// The commands of GitHub in the output of tasks.
struct LogSectionTests {
  @Test(arguments: [
    ("::endgroup::", "| ::endgroup::"), ("  ::Group::x", "| ::Group::x"),
    ("::group title=x::y", "| ::group title=x::y"), ("::error::x", "::error::x"),
    ("##[endgroup]", "## [endgroup]"), ("a ##[GROUP]b ##[error]c", "a ## [GROUP]b ##[error]c"),
    ("::grouped::x", "::grouped::x"), ("a ::endgroup::", "a ::endgroup::"), ("", ""),
  ])
  func `Commands for groups become plain text`(line: String, shown: String) {
    #expect(LogSection.contained(line) == shown)
  }

  @Test(arguments: [
    ("::error::x", true, true), ("\t::add-mask::x", true, true), ("::endgroup::", true, false),
    (":: x", true, false), ("x ##[error]", true, false), ("# x", false, false),
    ("plain", false, false), ("", false, false), (":", false, false),
  ])
  func `Lines with commands are found`(line: String, mayBeCommand: Bool, isKept: Bool) {
    let bytes = Array(line.utf8)[...]
    #expect(LogSection.mayBeCommand(bytes) == mayBeCommand)
    #expect(LogSection.isKept(bytes) == isKept)
  }
}
