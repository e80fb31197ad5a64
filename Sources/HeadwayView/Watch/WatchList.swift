internal import HeadwayProgress
internal import HeadwayRun

/// The published work in the order in which it is shown, the chosen one, and what the keys do to it.
///
/// A pure value with the time as an argument; not thread safe.
struct WatchList: Sendable {
  /// What the caller does after a key.
  enum Action: Sendable, Equatable {
    /// Ask work for something.
    case ask(String, RunRequest)
    /// Leave; what is watched goes on.
    case quit
  }

  /// Work with what is known here about its end and about requests.
  struct Item: Sendable {
    var work: WatchedWork
    /// When it was first seen as ended.
    fileprivate(set) var ended: Duration?
    /// What was asked for last, while there is no answer.
    fileprivate var wantsPause: Bool?
  }

  /// How long ended work is shown.
  static let farewell = Duration.seconds(3)
  /// How long a message is shown.
  static let messageTime = Duration.seconds(5)

  private(set) var items: [Item] = []
  /// The ID of the chosen work, nil if there is none.
  private(set) var chosen: String?
  /// The ID of the work that is to be cancelled, if the user confirms it.
  private(set) var asking: String?
  /// The latest message.
  private(set) var message: String?
  /// When the message is removed; nil if it was not shown.
  private var messageEnd: Duration?
  /// Whether ended work stays.
  private let keepsEnded: Bool

  /// Creates an empty list.
  ///
  /// - Parameter keepsEnded: Whether ended work stays in the list.
  init(keepsEnded: Bool = false) { self.keepsEnded = keepsEnded }

  /// The index of the chosen work, nil if there is none.
  var chosenIndex: Int? { chosen.flatMap { index(of: $0) } }

  private func index(of id: String) -> Int? { items.firstIndex { $0.work.id == id } }

  // MARK: Changes

  /// Adds or replaces work.
  ///
  /// What was there at the beginning is sorted by ID; the rest follows in the order of its appearance.
  ///
  /// - Complexity: O(works).
  mutating func update(_ work: WatchedWork) {
    if let index = index(of: work.id) {
      items[index].work = work
      if work.end == nil { items[index].ended = nil }
      if items[index].wantsPause == work.snapshot.isPaused { items[index].wantsPause = nil }
    } else {
      let place =
        work.isOld
        ? items.firstIndex {
          !$0.work.isOld || WatchedWork.precedes(work.id, $0.work.id)
        } : nil
      items.insert(Item(work: work), at: place ?? items.count)
    }
    if work.end != nil, asking == work.id { asking = nil }
  }

  /// Shows a message for a while, in place of an earlier one.
  mutating func show(message: String) {
    (self.message, messageEnd) = (message, nil)
    // The request may have been refused: the next key begins again with what the work says.
    for index in items.indices { items[index].wantsPause = nil }
  }

  /// Removes what was shown for long enough.
  ///
  /// - Parameter now: The time.
  /// - Complexity: O(works).
  mutating func advance(to now: Duration) {
    if message != nil {
      let end = messageEnd ?? now + Self.messageTime
      messageEnd = end
      if now >= end { message = nil }
    }
    for index in items.indices where items[index].work.end != nil && items[index].ended == nil {
      items[index].ended = now
    }
    let before = chosenIndex
    if !keepsEnded {
      items.removeAll { item in item.ended.map { now >= $0 + Self.farewell } ?? false }
    }
    if chosenIndex == nil {
      // The one that takes its place.
      let index = min(before ?? 0, items.count - 1)
      chosen = index >= 0 ? items[index].work.id : nil
    }
  }

  /// When something is removed next, nil if nothing is.
  var nextChange: Duration? {
    var times = keepsEnded ? [] : items.compactMap { $0.ended.map { $0 + Self.farewell } }
    if message != nil, let messageEnd { times.append(messageEnd) }
    return times.min()
  }

  /// Whether there is work, and all of it has ended.
  var hasEnded: Bool { !items.isEmpty && items.allSatisfy { $0.work.end != nil } }

  // MARK: Keys

  /// Handles a key.
  ///
  /// - Parameter key: The key.
  /// - Returns: What the caller does, nil for nothing.
  mutating func press(_ key: WatchKeys.Key) -> Action? {
    message = nil
    if let id = asking {
      // Every other key withdraws the question and does nothing else.
      asking = nil
      let isYes = key == .character(UInt8(ascii: "y")) || key == .character(UInt8(ascii: "Y"))
      return isYes && index(of: id) != nil ? .ask(id, .cancel) : nil
    }
    switch key {
    case .up, .character(UInt8(ascii: "k")): choose(-1)
    case .down, .character(UInt8(ascii: "j")): choose(1)
    case .character(UInt8(ascii: "p")): return togglePause()
    case .character(UInt8(ascii: "c")):
      if let item = chosenItem, item.work.end == nil { asking = item.work.id }
    case .escape, .character(UInt8(ascii: "q")), .character(UInt8(ascii: "Q")): return .quit
    case .character, .other: break
    }
    return nil
  }

  /// The chosen work, nil if there is none.
  var chosenItem: Item? { chosenIndex.map { items[$0] } }

  /// Whether the key for a pause would end one.
  var resumes: Bool {
    guard let item = chosenItem, item.work.end == nil else { return false }
    return item.wantsPause ?? item.work.snapshot.isPaused
  }

  private mutating func choose(_ step: Int) {
    guard let index = chosenIndex else { return }
    chosen = items[min(max(index + step, 0), items.count - 1)].work.id
  }

  private mutating func togglePause() -> Action? {
    guard let index = chosenIndex, items[index].work.end == nil else { return nil }
    // The answer may be under way: each of two quick presses counts.
    let resumes = resumes
    items[index].wantsPause = !resumes
    return .ask(items[index].work.id, resumes ? .unpause : .pause)
  }
}
