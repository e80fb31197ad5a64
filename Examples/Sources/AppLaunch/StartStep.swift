/// The tasks of the app's start.
enum StartStep: String, CaseIterable, Sendable {
  /// Of several ways to the server, finds the one that answers first.
  case choosePath = "choose a network path"
  /// Loads what the first screen shows, by the way that was chosen.
  case loadData = "load the initial data"
  /// Asks whether there is a newer version; the app starts without the answer, too.
  case checkVersion = "check the version"
}
