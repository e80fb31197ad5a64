/// Reads the arguments, and plays until the window is closed.
@main @MainActor
enum Start {
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
