/// Those who wait for something, in the order in which they came.
///
/// Who leaves is let go of at once, and its place when half of the places are empty, so that to come and to leave cost
/// O(log waiting) each, however many there are. Not thread safe.
struct WaitingLine<Waiter: Sendable>: Sendable {
  /// Those who wait, with rising numbers; nil in the place of one who has left.
  private var places: [(number: UInt64, waiter: Waiter?)] = []
  /// The number that the next one gets.
  private var nextNumber: UInt64 = 0
  /// The places of those who have left.
  private var emptyPlaces = 0

  /// Creates a line in which nobody waits.
  init() {}

  /// Adds somebody at the end.
  ///
  /// - Returns: The number under which to leave.
  mutating func append(_ waiter: Waiter) -> UInt64 {
    defer { nextNumber += 1 }
    places.append((nextNumber, waiter))
    return nextNumber
  }

  /// Takes all out.
  mutating func takeAll() -> [Waiter] {
    defer { (places, emptyPlaces) = ([], 0) }
    return places.compactMap(\.waiter)
  }

  /// Takes one out; nothing happens when all have been taken out since.
  ///
  /// - Returns: Who it was, for the caller to let go of; nil when it is not in the line.
  mutating func remove(_ number: UInt64) -> Waiter? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].number < number { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].number == number, let waiter = places[low].waiter.take()
    else { return nil }
    emptyPlaces += 1
    if emptyPlaces * 2 >= places.count {
      places.removeAll { $0.waiter == nil }
      emptyPlaces = 0
    }
    return waiter
  }
}
