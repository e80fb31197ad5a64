import Testing

@testable import HeadwayFiles

/// Whether a group is one user's alone.
struct UserGroupsTests {
  private static let groups = UserGroups(
    users: """
      root:x:0:0:root:/root:/bin/sh
      ann:x:1000:1000::/home/ann:/bin/sh
      ben:x:1001:100::/home/ben:/bin/sh
      cleo:x:1002:1005::/home/cleo:/bin/sh
      dora:x:1003:1003::/home/dora:/bin/sh
      fay:x:1006:1006::/home/fay:/bin/sh
      gus:x:1007:1006::/home/gus:/bin/sh
      broken line
      """,
    groups: """
      root:x:0:
      users:x:100:
      ann:x:1000:ann
      cleo:x:1005:
      dora:x:1003:ann,dora
      fay:x:1006:
      staff:x:50:ann
      """)

  @Test(arguments: [(0, 0), (1000, 1000), (1002, 1005), (70_001, 70_001)] as [(UInt32, UInt32)])
  func `A group of the name of its user, or of its number, is private`(user: UInt32, group: UInt32)
  {
    #expect(Self.groups.isPrivate(group: group, to: user))
  }

  @Test(
    arguments: [
      (1001, 100), (1003, 1003), (1000, 50), (1000, 100), (70_001, 70_002), (1000, 1005),
      // The name is that of the user, but another one has it as the primary group, too.
      (1006, 1006),
    ] as [(UInt32, UInt32)])
  func `A group with others in it, or that others may be in, is not`(user: UInt32, group: UInt32) {
    #expect(!Self.groups.isPrivate(group: group, to: user))
  }
}
