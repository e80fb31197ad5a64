// Measures the cost of calls of the bar.
//
//   bar-costs OPERATION SIZE TIMES
//       OPERATION is frame, shown, draw or report; SIZE is the number of buffered ranges and of marks
//
// Prints the number of allocations and the nanoseconds of processor time. Values and times vary, so that no special
// case is measured. Exits with 69 if there is no such operation.

import CMallocCount
import CProbe
import Glibc
import HeadwayBar
import Stopwatch

/// The operations.
enum Operations {
  /// The time of the last report, in seconds.
  private static let start = 5.0
  /// The times of the 15 frames of a quarter of a second after it.
  private static let frames = (0..<15).map { Duration.seconds(start + Double($0) / 60) }

  /// A bar that glides after twenty reports, with ranges and marks.
  static func bar(size: Int) -> ProgressBar {
    var bar = ProgressBar(range: 0...1e9, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 800, height: 24)
    var style = BarStyle()
    style.bufferedRanges = (0..<size).map { Double($0) * 1e7...Double($0) * 1e7 + 5e6 }
    style.marks = (0..<size).map { Double($0) * 1e7 }
    bar.setStyle(style, at: .zero)
    for index in 0...20 { bar.report(Double(index) * 0.2501, at: .milliseconds(index * 250)) }
    bar.advance(to: .seconds(start))
    return bar
  }

  /// Reads the position of the dot, as each frame does.
  @inline(never)
  static func frame(_ bar: ProgressBar, _ times: Int) {
    let frames = frames
    var sum = 0.0
    for step in 0..<times { sum += bar.dotCenter(at: frames[step % 15]) }
    Stopwatch.expect(sum >= 0, "\(sum)")
  }

  /// Reads the shown value.
  @inline(never)
  static func shown(_ bar: ProgressBar, _ times: Int) {
    let frames = frames
    var sum = 0.0
    for step in 0..<times { sum += bar.shown(at: frames[step % 15]) }
    Stopwatch.expect(sum >= 0, "\(sum)")
  }

  /// Draws the whole bar into a list with sufficient capacity.
  @inline(never)
  static func draw(_ bar: ProgressBar, _ drawing: inout [BarShape], _ times: Int) {
    let frames = frames
    var count = 0
    for step in 0..<times {
      drawing.removeAll(keepingCapacity: true)
      bar.draw(at: frames[step % 15], into: &drawing)
      count += drawing.count
    }
    Stopwatch.expect(count >= 3 * times, "\(count)")
  }

  /// Reports four times a second, slightly early or late.
  @inline(never)
  static func report(_ bar: ProgressBar, _ times: Int) {
    var bar = bar
    for step in 1...max(times, 1) {
      let value = start + Double(step) * 0.25
      bar.report(value, at: .milliseconds(5_000 + step * 250 + step % 7 * 6))
    }
    Stopwatch.expect(bar.reported > start, "\(bar.reported)")
  }
}

/// Prepares an operation.
///
/// - Parameters:
///   - name: The operation.
///   - size: The number of ranges and of marks.
/// - Returns: A function that performs it a number of times; nil if there is no such operation.
func operation(_ name: String, size: Int) -> ((Int) -> Void)? {
  let bar = Operations.bar(size: size)
  var drawing: [BarShape] = []
  drawing.reserveCapacity(2 * size + 8)
  switch name {
  case "frame": return { Operations.frame(bar, $0) }
  case "shown": return { Operations.shown(bar, $0) }
  case "draw": return { Operations.draw(bar, &drawing, $0) }
  case "report": return { Operations.report(bar, $0) }
  default: return nil
  }
}

let arguments = CommandLine.arguments
guard
  arguments.count == 4, let size = Int(arguments[2]), size >= 0, let times = Int(arguments[3]),
  times >= 0
else {
  print("bar-costs: see the comment at the top of its source")
  exit(64)
}
guard let operation = operation(arguments[1], size: size) else { exit(69) }
// Objects that are created on first use must not count.
operation(1)
let allocations = malloc_count()
let start = probe_cpu()
operation(times)
let nanoseconds = probe_cpu() - start
Stopwatch.tell([Double(malloc_count() - allocations), Double(nanoseconds)])
