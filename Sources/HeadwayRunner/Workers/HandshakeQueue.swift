internal import HeadwayLibc

/// The connections whose other end has not proved that it has the key: no more than a number of them, whoever connects.
///
/// A worker proves it with the first bytes that it sends, so whoever reaches the port without the key can keep connections open only by
/// saying nothing, or a part of it. When there are too many, a new one takes the place of the oldest that has said nothing, or else of
/// the oldest. A pure value.
struct HandshakeQueue {
  /// The most connections, if there are descriptors for all of them.
  private static let usualMost = 256
  /// Which part of all descriptors they may take at most.
  private static let shareOfDescriptors = 8

  private let most: Int
  /// The connections that have said nothing, and the others, in the order of their tokens, which grow.
  private var (silent, speaking): (Set<UInt64>, Set<UInt64>) = ([], [])
  private var (silentOrder, speakingOrder): ([UInt64], [UInt64]) = ([], [])

  /// Creates an empty queue.
  ///
  /// - Parameter most: The most connections.
  init(most: Int) { self.most = max(most, 1) }

  /// How many connections fit this process, which needs descriptors for its tasks.
  static var fitting: Int {
    var limit = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard unsafe getrlimit(kind, &limit) == 0 else { return usualMost }
    return min(usualMost, Int(clamping: limit.rlim_cur) / shareOfDescriptors)
  }

  /// The number of connections.
  var count: Int { silent.count + speaking.count }

  /// Adds a connection that was just accepted.
  ///
  /// - Parameter token: Its token, which is larger than those before.
  /// - Returns: The connection to close for it, nil if there was room.
  /// - Complexity: O(1), amortized.
  mutating func add(_ token: UInt64) -> UInt64? {
    var closed: UInt64?
    if count >= most {
      closed = Self.first(of: silent, &silentOrder) ?? Self.first(of: speaking, &speakingOrder)
      if let closed { remove(closed) }
    }
    silent.insert(token)
    Self.append(token, to: &silentOrder, of: silent)
    return closed
  }

  /// Notes that something has come from a connection; one that is not in the queue is ignored.
  mutating func noteSpoken(_ token: UInt64) {
    guard silent.remove(token) != nil else { return }
    speaking.insert(token)
    Self.append(token, to: &speakingOrder, of: speaking)
  }

  /// Removes a connection, whose other end has the key, or that is closed; one that is not in the queue is ignored.
  mutating func remove(_ token: UInt64) {
    silent.remove(token)
    speaking.remove(token)
  }

  /// Appends a member of a set to its order, from which those are removed that are not in the set any more if they are many.
  private static func append(_ token: UInt64, to order: inout [UInt64], of set: Set<UInt64>) {
    order.append(token)
    if order.count > 2 * set.count + 16 { order.removeAll { !set.contains($0) } }
  }

  /// The oldest member of a set.
  private static func first(of set: Set<UInt64>, _ order: inout [UInt64]) -> UInt64? {
    order.removeFirst(order.prefix { !set.contains($0) }.count)
    return order.first
  }
}
