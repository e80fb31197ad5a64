/// The error of invalid arguments.
struct UsageError: Error, CustomStringConvertible {
  let reason: String

  /// The message.
  var description: String { "\(reason)\n\(Self.usage)" }

  /// The usage.
  static let usage = """
    usage: ImageFilter                                  blur an image of its own
           ImageFilter [OPTION]… INPUT OUTPUT           blur a PGM or PPM image
      --box         give all neighbours the same weight, instead of more to near ones
      --radius N    how far to blur: 0 to 1000 pixels, by default 8
      --threads N   the number of threads: 1 to 64, by default 4
    """
}

extension Filter {
  /// Parses the arguments.
  ///
  /// - Parameter arguments: The arguments without the program's name.
  /// - Throws: `UsageError` if they are invalid.
  init(arguments: ArraySlice<String>) throws(UsageError) {
    var shape = Kernel.Shape.gaussian
    var (radius, threads) = (8, 4)
    var files: [String] = []
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--box": shape = .box
      case "--radius": radius = try Self.number(rest.popFirst(), of: argument, in: 0...1_000)
      case "--threads": threads = try Self.number(rest.popFirst(), of: argument, in: 1...64)
      case _ where argument.hasPrefix("-"):
        throw UsageError(reason: "unknown option \(argument)")
      default: files.append(argument)
      }
    }
    guard files.count == 2 else {
      throw UsageError(reason: "expected an input and an output, got \(files.count) files")
    }
    self.init(
      input: files[0], output: files[1], kernel: Kernel(shape, radius: radius), threads: threads)
  }

  /// Parses a number.
  private static func number(
    _ text: String?, of option: String, in range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    guard let number = text.flatMap({ Int($0) }), range.contains(number) else {
      let limits = "\(range.lowerBound) to \(range.upperBound)"
      throw UsageError(reason: "\(option) needs a number from \(limits)")
    }
    return number
  }
}
