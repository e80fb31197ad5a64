internal import HeadwayBar

/// A bar of a page.
///
/// This module is the bar as a page uses it: functions of numbers, compiled to WebAssembly by `Scripts/web-core` and not
/// part of the package that SwiftPM builds. A page refers to a bar by a number, passes the time in seconds from
/// `performance.now() / 1000`, and exchanges lists of numbers in one shared buffer (``numbers``):
///
/// ```
///   headway-bar.js ── headway_bar_value(bar, …) ───▶ ProgressBar
///                  ── headway_bar_draw(bar, time) ─▶ shapes as numbers ──▶ nodes of the page
/// ```
///
/// A page has one thread, and nothing here is thread safe. The number of a bar is its address, so that a frame reads the
/// bar in place; `headway-bar.js` passes only numbers that it was given and has not freed.
typealias PageBar = UnsafeMutableRawPointer

/// The bar with a number.
@inline(__always) func bar(_ page: PageBar) -> UnsafeMutablePointer<ProgressBar> {
  unsafe page.assumingMemoryBound(to: ProgressBar.self)
}

/// The buffer for lists of numbers; the page asks for it before it calls anything else.
var numbers: UnsafeMutablePointer<Double> { unsafe buffer.unsafelyUnwrapped }

/// That buffer, or nil before the page has asked: a constant needs no code to initialize it at its first use.
nonisolated(unsafe) private var buffer: UnsafeMutablePointer<Double>? = nil

/// The capacity of the buffer: 250 shapes, or a style with as many marks and half as many ranges.
let numbersLimit = 4096

/// Writes four of the shared numbers.
@inline(never) func write(_ index: Int, _ a: Double, _ b: Double, _ c: Double, _ d: Double) {
  unsafe numbers[index] = a
  unsafe numbers[index + 1] = b
  unsafe numbers[index + 2] = c
  unsafe numbers[index + 3] = d
}

/// Returns the address of the shared numbers, and writes their capacity to the first of them.
///
/// - Returns: The address, which never changes.
@_expose(wasm, "headway_bar_numbers") @c(headway_bar_numbers)
func headwayBarNumbers() -> UnsafeMutableRawPointer {
  if unsafe buffer == nil { unsafe buffer = .allocate(capacity: numbersLimit) }
  unsafe numbers[0] = Double(numbersLimit)
  return unsafe UnsafeMutableRawPointer(numbers)
}

/// Creates a bar with an empty range, so that the first range is not animated.
///
/// - Returns: The number of the bar.
@_expose(wasm, "headway_bar_create") @c(headway_bar_create)
func headwayBarCreate() -> PageBar {
  let page = UnsafeMutablePointer<ProgressBar>.allocate(capacity: 1)
  unsafe page.initialize(to: ProgressBar(range: 0...0))
  return PageBar(page)
}

/// Frees a bar; its number may be reused.
///
/// - Parameter page: The bar.
@_expose(wasm, "headway_bar_free") @c(headway_bar_free)
func headwayBarFree(_ page: PageBar) {
  unsafe bar(page).deinitialize(count: 1)
  unsafe bar(page).deallocate()
}

/// Queries as mutating methods: a mutating method accesses the bar in place, and the code that copies a bar for the others
/// would be a tenth of the module.
extension ProgressBar {
  mutating func drawInPlace(at now: Double, into shapes: inout [BarShape]) {
    draw(at: now, into: &shapes)
  }

  /// The point of a value, or of the shown one for NaN.
  mutating func point(of value: Double, at now: Double) -> (x: Double, y: Double) {
    point(at: value.isNaN ? dotCenter(at: now) : position(of: value, at: now))
  }
}
