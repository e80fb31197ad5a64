internal import HeadwayProgress

/// A sequence whose elements are counted on a bar as they are processed.
struct CountedSequence<Base: Sequence>: Sequence {
  let base: Base
  let place: LoopPlace

  var underestimatedCount: Int { base.underestimatedCount }

  func makeIterator() -> Iterator {
    Iterator(base: base.makeIterator(), loop: LoopBar(place, estimate: base.underestimatedCount))
  }

  struct Iterator: IteratorProtocol {
    var base: Base.Iterator
    let loop: LoopBar

    mutating func next() -> Base.Element? {
      loop.willRequest()
      guard let element = base.next() else {
        loop.end()
        return nil
      }
      loop.didReceive()
      return element
    }
  }
}

/// An asynchronous sequence whose elements are counted on a bar as they are processed.
struct AsyncCountedSequence<Base: AsyncSequence>: AsyncSequence {
  typealias Element = Base.Element
  typealias Failure = Base.Failure

  let base: Base
  let place: LoopPlace

  func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), loop: LoopBar(place, estimate: 0))
  }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let loop: LoopBar

    mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Base.Failure) -> Base.Element? {
      loop.willRequest()
      do throws(Base.Failure) {
        guard let element = try await base.next(isolation: actor) else {
          // A sequence that ends because its task was cancelled has not been processed to its end.
          loop.end(Task.isCancelled ? .stopped : .succeeded)
          return nil
        }
        loop.didReceive()
        return element
      } catch {
        if error is CancellationError {
          loop.end(.stopped)
        } else {
          loop.end(.failed, note: "\(error)")
        }
        throw error
      }
    }
  }
}

/// Where a loop is shown.
enum LoopPlace: Sendable {
  /// A bar of its own, which may be nested in another one.
  case new(String, total: Int?, LiveBars, BarBoard.ID?)
  /// A bar that does not end with the loop.
  case given(LiveBars.Bar)
}

/// The bar of one iteration.
///
/// An object, because the end of a loop that is left early is only seen by its release. Used by one iterator at a time.
final class LoopBar {
  private let place: LoopPlace
  /// The expected number of elements, nil if unknown.
  private var estimate: Int?
  /// The bar, nil before the loop begins.
  private var bar: LiveBars.Bar?
  private var count = 0
  /// Whether an element is being processed.
  private var isProcessing = false
  private var hasEnded = false

  init(_ place: LoopPlace, estimate: Int) {
    self.place = place
    if case .new(_, let total?, _, _) = place {
      self.estimate = total
    } else {
      // A sequence that does not know its count says 0.
      self.estimate = estimate > 0 ? estimate : nil
    }
  }

  deinit { end(.stopped) }

  /// Counts the previous element before the next one is requested, and adds the bar before the first one.
  func willRequest() {
    guard !hasEnded else { return }
    if bar == nil { begin() }
    if isProcessing { bar?.complete() }
    isProcessing = false
  }

  /// Records that an element is about to be processed.
  func didReceive() {
    isProcessing = true
    count += 1
    // Whoever underestimated the elements once does not know their number.
    if case .new = place, let expected = estimate, count > expected {
      estimate = nil
      bar?.setTotal(nil)
    }
  }

  /// Ends the bar, if it belongs to the loop.
  func end(_ outcome: BarBoard.Outcome = .succeeded, note: String = "") {
    guard !hasEnded else { return }
    hasEnded = true
    if case .new = place { bar?.end(outcome, note: note) }
  }

  private func begin() {
    switch place {
    case .new(let label, _, let bars, let parent):
      // One element is counted, and not a fraction of one.
      bar = bars.add(label, estimate.map { Double($0) }, 0, .work, in: parent)
    case .given(let given): bar = given
    }
  }
}
