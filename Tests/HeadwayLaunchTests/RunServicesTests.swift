import HeadwayRun
import Testing

@testable import HeadwayLaunch

/// When only services are left of a run.
struct RunServicesTests {
  @Test func `Services are left alone from the end of their users until they end`() {
    let (first, second, user, cleanUp) = (TaskID(0), TaskID(1), TaskID(2), TaskID(3))
    var services = RunServices([first, second], users: [user])
    #expect(!services.areLeftAlone)
    services.end(user)
    #expect(services.areLeftAlone)
    services.end(first)
    #expect(services.areLeftAlone)
    services.end(second)
    #expect(!services.areLeftAlone)
    services.end(cleanUp)
    #expect(!services.areLeftAlone)
  }

  @Test func `A run without services has none that are left`() {
    var services = RunServices([], users: [TaskID(0)])
    services.end(TaskID(0))
    #expect(!services.areLeftAlone)
  }
}
