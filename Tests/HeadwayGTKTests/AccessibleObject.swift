import Foundation
import Testing

/// An object on the accessibility bus of the desktop, as another process finds it.
struct AccessibleObject: Decodable {
  var role: String
  var name: String
  /// The interfaces of AT-SPI that it has, such as "Value".
  var interfaces: [String]
  /// The properties of the interface Value, or nil without it.
  var value, minimum, maximum: Double?
  /// The value as a text; empty with a GTK that does not pass it on.
  var text: String?

  /// Finds the first object of a program with a role.
  ///
  /// - Parameters:
  ///   - role: The role, such as "slider".
  ///   - process: The identifier of the program's process.
  ///   - value: A value to set first.
  ///   - wait: Called until the search has ended, for a program that has to answer it.
  /// - Throws: An error if the object is not found within a minute.
  init(
    _ role: String, of process: Int32, setting value: Double? = nil,
    while wait: () -> Void = { usleep(10_000) }
  ) throws {
    let reader = Process()
    let output = Pipe()
    // The system's Python, which has the bindings.
    reader.executableURL = URL(filePath: "/usr/bin/python3")
    reader.arguments =
      try ["-B", Self.program(), "\(process)", role] + (value.map { ["\($0)"] } ?? [])
    reader.standardOutput = output
    try reader.run()
    while reader.isRunning { wait() }
    try #require(reader.terminationStatus == 0, "no \(role) on the accessibility bus")
    self = try JSONDecoder().decode(
      Self.self, from: output.fileHandleForReading.readDataToEndOfFile())
  }

  /// The path of the program that searches.
  private static func program() throws -> String {
    var folder = URL(filePath: #filePath)
    while folder.path != "/" {
      folder.deleteLastPathComponent()
      let file = folder.appending(path: "Tests/Accessibility/atspi.py")
      if FileManager.default.fileExists(atPath: file.path) { return file.path }
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
