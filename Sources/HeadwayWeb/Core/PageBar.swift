internal import HeadwayBar

/// A bar of a page.
///
/// The module is the bar as a page sees it: functions that take and give numbers, compiled to WebAssembly by
/// `Scripts/web-core` and no part of the package that SwiftPM builds. A page names a bar by a number, tells the time in
/// seconds of `performance.now() / 1000`, and finds lists of numbers in one shared place (``numbers``):
///
/// ```
///   headway-bar.js ── headway_bar_value(bar, …) ───▶ ProgressBar
///                  ── headway_bar_draw(bar, time) ─▶ shapes as numbers ──▶ nodes of the page
/// ```
///
/// A page has one thread, and so has this module: nothing here is thread safe. The number of a bar is its address, so that
/// a frame reads it in place; `headway-bar.js` passes none but those that it was given and has not freed.
public typealias PageBar = UnsafeMutableRawPointer

/// The place of a bar.
@inline(__always) func place(_ page: PageBar) -> UnsafeMutablePointer<ProgressBar> {
  unsafe page.assumingMemoryBound(to: ProgressBar.self)
}

/// The place of lists of numbers that go to the page or come from it; the page asks for it before all else.
var numbers: UnsafeMutablePointer<Double> { unsafe room.unsafelyUnwrapped }

/// That place, nil before the page has asked: a constant needs no code that makes it at the first use.
nonisolated(unsafe) private var room: UnsafeMutablePointer<Double>? = nil

/// How many numbers there is room for: 250 shapes, or a style with as many marks and half as many ranges.
let numbersLimit = 4096

/// Writes four numbers to the shared ones.
@inline(never) func write(_ index: Int, _ a: Double, _ b: Double, _ c: Double, _ d: Double) {
  unsafe numbers[index] = a
  unsafe numbers[index + 1] = b
  unsafe numbers[index + 2] = c
  unsafe numbers[index + 3] = d
}

/// Tells where the shared numbers are, and how many there is room for by writing it to the first of them.
///
/// - Returns: The address, which never changes.
@_expose(wasm, "headway_bar_numbers") @c(headway_bar_numbers)
public func headwayBarNumbers() -> UnsafeMutableRawPointer {
  if unsafe room == nil { unsafe room = .allocate(capacity: numbersLimit) }
  unsafe numbers[0] = Double(numbersLimit)
  return unsafe UnsafeMutableRawPointer(numbers)
}

/// Creates a bar.
///
/// - Parameters:
///   - low: The beginning of the range.
///   - high: The end of the range; below the beginning it makes an empty bar.
///   - unitsPerSecond: By how much the value grows in a second at normal speed; no number to learn it.
/// - Returns: The number of the bar.
@_expose(wasm, "headway_bar_create") @c(headway_bar_create)
public func headwayBarCreate(_ low: Double, _ high: Double, _ unitsPerSecond: Double) -> PageBar {
  let page = UnsafeMutablePointer<ProgressBar>.allocate(capacity: 1)
  unsafe page.initialize(
    to: ProgressBar(
      range: high > low ? low...high : 0...0,
      unitsPerSecond: unitsPerSecond.isNaN ? nil : unitsPerSecond))
  return PageBar(page)
}

/// Forgets a bar; its number may name another one from now on.
///
/// - Parameter page: The bar.
@_expose(wasm, "headway_bar_free") @c(headway_bar_free)
public func headwayBarFree(_ page: PageBar) {
  unsafe place(page).deinitialize(count: 1)
  unsafe place(page).deallocate()
}

/// Queries in the form of changes: what changes a bar finds it in its place, what only reads it is given a copy of all of
/// its fields, and the code that copies them is a tenth of the module.
extension ProgressBar {
  /// Draws the bar.
  mutating func paint(at now: Double, into shapes: inout [BarShape]) {
    draw(at: now, into: &shapes)
  }

  /// The point at which a value lies, that of the shown one for no number.
  mutating func point(of value: Double, at now: Double) -> (x: Double, y: Double) {
    point(along: value.isNaN ? dotCenter(at: now) : place(of: value, at: now))
  }
}
