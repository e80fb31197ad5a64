/// What a watcher asks published work to do.
package enum WatchRequest: String, Hashable, Sendable {
  case pause
  case resume
  case cancel
}
