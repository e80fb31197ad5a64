import FuzzSupport
import HeadwayRun
import HeadwayText

@testable import HeadwayPlan

/// Reads the values of a plan that are more than text, durations and templates, and formats durations.
@main
enum ValueFuzzer {
  static func main() { fuzz(check) }

  /// Checks one input.
  private static func check(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    switch input.number(below: 3) {
    case 0: checkParser(input.lastText())
    case 1: checkTemplate(&input)
    default: checkFormats(&input)
    }
  }

  /// Checks that a duration is within its limits, and is read again from the text that is shown for it.
  private static func checkParser(_ text: String) {
    do {
      let duration = try DurationParser.parse(text)
      expect(
        duration >= .zero && duration <= .seconds(86_400 * RunLimits.days), "out of bounds")
      let shown = DurationText.chosen(duration)
      let again = try? DurationParser.parse(shown)
      expect(again != nil, "'\(shown)' is shown, but cannot be read")
      expect(duration == .zero || again != .zero, "'\(shown)' for a positive duration")
    } catch {
      expect(!error.message.isEmpty && error.message.isOnlyShown, "an unsafe message")
    }
  }

  /// Checks that braces are expanded once, and that doubled braces stand for themselves.
  private static func checkTemplate(_ input: inout FuzzInput) {
    let (keys, values) = ([input.text(), input.text()], [input.text(), input.text()])
    let template = Template(keys: keys, values: values)
    let text = input.lastText()
    let expanded = template.expanded(text)
    expect(Template.hasBraces(text) || expanded == text, "a text without braces changed")
    let limit = text.utf8.count * (2 + values.reduce(0) { $0 + $1.utf8.count })
    expect(expanded.utf8.count <= limit, "an expansion of an expansion")
    let escaped = text.unicodeScalars.map { $0 == "{" ? "{{" : String($0) }.joined()
    expect(template.expanded(escaped) == text, "doubled braces changed")
    checkAdvice(for: text, template)
    if let key = keys.first, PlanReader.isKey(key) {
      expect(template.expanded("{\(key)}") == values[0], "a key without its value")
    }
  }

  /// Checks that the values in a text for the shell are found where they are, and that there is something to say about each.
  private static func checkAdvice(for text: String, _ template: Template) {
    let bytes = Array(text.utf8)
    let values = template.places(in: text).map { place in
      expect(
        bytes[place.range].elementsEqual("{\(place.key.name)}".utf8), "a value is somewhere else")
      return ShellTextAdvice.Value(
        name: place.key.name, variable: place.key.name, range: place.range)
    }
    for shell in [nil, ["python3", "-c"]] {
      let advice = ShellTextAdvice(key: "run", text: text, values: values, shell: shell)
      for value in values.indices {
        expect(!advice.message(for: value..<value + 1).isEmpty, "a value without advice")
      }
    }
  }

  /// Checks that every duration has a text, and that a positive one is never shown as zero.
  private static func checkFormats(_ input: inout FuzzInput) {
    let duration = Duration(
      secondsComponent: input.integer(), attosecondsComponent: input.integer())
    let texts = [
      DurationText.measured(duration), DurationText.whole(duration), DurationText.chosen(duration),
      DurationText.coming(duration),
    ]
    expect(texts.allSatisfy { $0.first?.isNumber == true }, "a duration without a number")
    let isZero = DurationText.measured(duration).allSatisfy { "0.s".contains($0) }
    expect(isZero == (duration <= .zero), "a positive duration is shown as zero")
    expect(duration.roundedToSeconds >= .seconds(1), "a rounded duration below a second")
  }
}
