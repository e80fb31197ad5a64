import Foundation
import Testing

/// The display of the tests.
enum Display {
  /// Whether there is a display; `Scripts/test-gtk` provides one, so that its absence is then a failure.
  static var isPresent: Bool {
    let environment = ProcessInfo.processInfo.environment
    return environment["DISPLAY"] != nil || environment["HEADWAY_TEST_GTK"] != nil
  }

  /// Runs a program that acts on the display, such as `xdotool`, and returns its output.
  @discardableResult
  static func run(_ program: String, _ arguments: String...) throws -> Data {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    // A program that waits for a window in vain is killed, and the test fails.
    process.arguments = ["timeout", "--signal=KILL", "60", program] + arguments
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(program) \(arguments)")
    return data
  }
}
