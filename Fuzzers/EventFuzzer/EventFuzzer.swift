import Foundation
import FuzzSupport
import HeadwayRun
import HeadwayTerminal
import HeadwayText
import HeadwayView

/// Reads arbitrary bytes as the events of a run, a line each: what can be read must survive being written, applied to a
/// state and shown.
@main
enum EventFuzzer {
  static func main() { fuzz(check) }

  /// Checks one input.
  private static func check(_ bytes: [UInt8]) {
    let decoder = JSONDecoder()
    var run = RunState(taskCount: 3)
    let description = RunDescription(name: "plan", names: ["a", "b", "c"])
    var lines = LineRenderer(description, style: TerminalStyle(color: false, unicode: true))
    var objects = JSONRenderer(description)
    var screen = ScreenRenderer(description, style: TerminalStyle(color: true, unicode: true))
    for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(20) {
      let data = Data(line)
      if let outcome = try? decoder.decode(Outcome.self, from: data) { checkRoundTrip(outcome) }
      if let state = try? decoder.decode(RunState.self, from: data) { checkRoundTrip(state) }
      guard let event = try? decoder.decode(RunEvent.self, from: data) else { continue }
      checkRoundTrip(event)
      run.apply(event)
      var update = RunUpdate()
      update.events = [RunUpdate.Event(event, run)]
      var forecast: RunForecast?
      if case .forecast(let new) = event.kind { forecast = new }
      update.snapshot = RunSnapshot(run, forecast)
      var (plain, drawn, written) = ([UInt8](), [UInt8](), [UInt8]())
      lines.update(update, into: &plain)
      lines.frame(at: event.time, size: TerminalSize(columns: 80, rows: 24), into: &plain)
      screen.update(update, into: &drawn)
      screen.frame(at: event.time, size: TerminalSize(columns: 80, rows: 24), into: &drawn)
      objects.update(update, into: &written)
      checkLine(plain)
      checkObject(written, event)
    }
  }

  /// Checks that a value that was read is written as something that is read as the same value.
  ///
  /// Longer times than `JSONSeconds.exactLimit` and the fractions of forecasts are rounded when they are written.
  private static func checkRoundTrip<Value: Codable & Equatable>(_ value: Value) {
    let once = copy(value)
    expect(once == value || isRounded(value), "another value was read: \(once)")
    if !isRounded(value) { return }
    let twice = copy(once)
    expect(isLong(value) || twice == once, "rounding twice changed \(once) to \(twice)")
  }

  /// Writes a value and reads it.
  private static func copy<Value: Codable>(_ value: Value) -> Value {
    do {
      return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
    } catch {
      fatalError("cannot write and read \(value): \(error)")
    }
  }

  /// Whether a value has numbers that are rounded.
  private static func isRounded(_ value: some Codable) -> Bool {
    if let event = value as? RunEvent, case .forecast = event.kind { return true }
    return isLong(value)
  }

  /// Whether a value has times that are too long to be exact.
  private static func isLong(_ value: some Codable) -> Bool {
    guard let data = try? JSONEncoder().encode(value),
      let object = try? JSONSerialization.jsonObject(with: data)
    else { return true }
    return largest(object) >= Double(JSONSeconds.exactLimit)
  }

  /// The largest absolute value of all numbers of an object.
  private static func largest(_ object: Any) -> Double {
    switch object {
    case let number as NSNumber: abs(number.doubleValue)
    case let list as [Any]: list.map(largest).max() ?? 0
    case let fields as [String: Any]: fields.values.map(largest).max() ?? 0
    default: 0
    }
  }

  /// Checks that lines for people cannot control a terminal.
  private static func checkLine(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    expect(lines.allSatisfy { String($0).isOnlyShown }, "a control character in a line")
  }

  /// Checks that a line of JSON is one line, and is read as its event.
  private static func checkObject(_ bytes: [UInt8], _ event: RunEvent) {
    expect(
      bytes.firstIndex(of: UInt8(ascii: "\n")) == bytes.count - 1, "an object of several lines")
    do {
      let read = try JSONDecoder().decode(RunEvent.self, from: Data(bytes))
      expect(read == event || isRounded(event), "another event was read: \(read)")
    } catch {
      fatalError("\(String(decoding: bytes, as: UTF8.self)) cannot be read: \(error)")
    }
  }
}
