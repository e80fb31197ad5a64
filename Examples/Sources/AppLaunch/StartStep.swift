/// The tasks of the app's start.
enum StartStep: String, CaseIterable, Sendable {
  /// Chooses the first of several network paths to the server that answers.
  case choosePath = "choose a network path"
  /// Loads the data of the first screen over the chosen path.
  case loadData = "load the initial data"
  /// Looks for a newer version; optional.
  case checkVersion = "check the version"
}
