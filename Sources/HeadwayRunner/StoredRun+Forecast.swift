internal import HeadwayLaunch
package import HeadwayRun
package import HeadwayState

extension StoredRun {
  /// The forecast of a run that goes on, nil if there is none: services alone have neither a percentage nor a remaining time.
  ///
  /// - Complexity: O(1); O(tasks + edges) for a run with services.
  package var currentForecast: RunForecast? { isOver || hasOnlyServicesLeft ? nil : forecast }

  /// Whether services are left, and nothing for which they stay.
  private var hasOnlyServicesLeft: Bool {
    guard header.tasks.contains(where: \.isService) else { return false }
    var services = RunServices(header.launchGraph)
    for index in state.tasks.indices where state.outcome(of: TaskID(index)) != nil {
      services.end(TaskID(index))
    }
    return services.areLeftAlone
  }
}
