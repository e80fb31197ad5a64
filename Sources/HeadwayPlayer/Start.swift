/// The program: reads the arguments, opens the window and waits until it is closed.
@main @MainActor
enum Start {
  /// Runs the player.
  static func main() {
    do throws(Failure) {
      switch try Arguments(CommandLine.arguments.dropFirst()) {
      case .help: print(Arguments.instructions, terminator: "")
      case .play(let path): try play(path)
      }
    } catch {
      error.end()
    }
  }
}

#if !GTK
  extension Start {
    /// Says that this build cannot play.
    private static func play(_ path: String) throws(Failure) {
      throw .missing("This build has no window: build it with `swift build --traits GTK`.")
    }
  }
#endif
