import FuzzSupport

/// Parses arbitrary arguments of a command, with the parser of the tool; a link leads to its file.
@main
enum ArgumentFuzzer {
  static func main() { fuzz(check) }

  private static let options = [
    Arguments.Option(name: "--jobs", letter: "-j", value: "N"),
    Arguments.Option(name: "--keep-going", letter: "-k"),
    Arguments.Option(name: "--ui", value: "KIND"), Arguments.Option(name: "--dry-run"),
  ]

  /// Checks that each argument is a word, an option, a value or an error.
  private static func check(_ bytes: [UInt8]) {
    let given = bytes.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    do {
      let arguments = try Arguments(given, known: options)
      expect(arguments.words.allSatisfy(given.contains), "a word that was not given")
      expect(
        arguments.words.count + arguments.options.count <= given.count, "more than was given")
      for option in options where option.value != nil {
        guard let value = arguments.options[option.name] else { continue }
        expect(!value.isEmpty, "an empty value")
        expect(given.contains { $0.hasSuffix(value) }, "a value that was not given")
      }
    } catch {
      expect(!error.message.isEmpty, "an error without a message")
    }
  }
}
