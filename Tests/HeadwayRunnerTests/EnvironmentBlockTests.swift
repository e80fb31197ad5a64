import Testing

@testable import HeadwayRunner

/// The environment of the processes of a run.
struct EnvironmentBlockTests {
  @Test func `An environment is passed on with its changes, the last value of a name counting`() {
    let block = EnvironmentBlock()
    block.set("HEADWAY_A", "1")
    block.set("HEADWAY_A", "2")
    #expect(block["HEADWAY_A"] == "2")
    let found = unsafe block.with([("HEADWAY_A", "3"), ("HEADWAY_B", ""), ("HEADWAY_B", "=4")]) {
      pointers in
      var lines: [String] = []
      var place = unsafe pointers
      while let entry = unsafe place.pointee {
        lines.append(unsafe String(cString: entry))
        unsafe place += 1
      }
      return lines.filter { $0.hasPrefix("HEADWAY_A=") || $0.hasPrefix("HEADWAY_B=") }
    }
    #expect(found == ["HEADWAY_A=3", "HEADWAY_B==4"])
    #expect(block["HEADWAY_A"] == "2")
  }
}
