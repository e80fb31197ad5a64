/// Stops with a message if an invariant is broken; unlike `precondition`, it prints the message in a release build.
package func expect(_ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String) {
  if !condition() { fatalError(message()) }
}
