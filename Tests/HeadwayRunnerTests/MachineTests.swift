import Glibc
import ProcessFixtures
import Testing

@testable import HeadwayRunner

/// The resources that a run may use.
struct MachineTests {
  @Test(arguments: [
    ("150000 100000\n", 2), ("100000 100000\n", 1), ("50000 100000", 1), ("400000 100000", 4),
    ("max 100000\n", nil), ("100000 0", nil), ("100000", nil), ("", nil),
  ])
  func `A part of a core in the quota of a container counts as a whole one`(
    quota: String, cores: Int?
  ) {
    #expect(Machine.cores(ofQuota: quota) == cores)
  }

  @Test func `No more tasks run at once than there are descriptors for`() async {
    await #expect(processExitsWith: .success) {
      limitDescriptors(128)
      // A task needs two, or three with a pipe for its progress, and the runner has 64 for itself.
      let many = try Machine.allowDescriptors(for: 1000)
      let few = try Machine.allowDescriptors(for: 5)
      let withPipes = try Machine.allowDescriptors(for: 1000, withProgress: true)
      limitDescriptors(40)
      let least = try Machine.allowDescriptors(for: 5)
      exit(
        many == 32 && few == 5 && withPipes == 21 && least == 1 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}
