import CSQLite
import HeadwayProgress
import Loopback
import Synchronization

/// A server that returns the prices of items, from a database that it keeps in memory.
///
/// Safe to use from any thread.
final class Shop: Sendable {
  /// An item.
  private struct Item {
    /// The name.
    let name: String
    /// The price, in hundredths.
    let cents: Int
  }

  /// The results of the tasks of the start.
  private struct State {
    /// The database, nil unless it is open.
    var database: Database?
    /// The port in the settings.
    var port: UInt16 = 0
    /// The items, by number; nil until all of them are loaded.
    var items: [Int: Item]?
    /// The server, nil unless it listens.
    var server: LoopbackServer?
  }

  /// The error of a missing result, because the graph lacks an edge.
  struct Missing: Error, CustomStringConvertible {
    /// The message.
    let description: String
  }

  /// The number of rows between two checkpoints.
  private static let stretch = 1_000

  private let state = Mutex(State())
  /// Receives a line for each answered request.
  private let log: AsyncStream<String>.Continuation
  /// The lines, for one reader; without a reader only the newest are kept.
  let questions: AsyncStream<String>

  /// Creates a shop that is closed.
  init() { (questions, log) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100)) }

  /// The port of the server, nil unless it listens.
  var port: UInt16? { state.withLock { $0.server?.port } }

  /// Opens the database.
  ///
  /// - Parameter path: The path.
  /// - Throws: `Database.Failure`.
  func open(_ path: String) throws {
    let database = try Database(path: path)
    state.withLock { $0.database = database }
  }

  /// Migrates the database to the newest version.
  ///
  /// - Throws: The errors of `Schema.migrate`.
  func migrate() throws { try Schema.migrate(database()) }

  /// Reads the settings.
  ///
  /// - Throws: `Database.Failure`.
  func readSettings() throws {
    let port = try database().number("SELECT value FROM setting WHERE name = 'port'")
    state.withLock { $0.port = UInt16(clamping: port) }
  }

  /// Loads all items, and reports the progress to the current node.
  ///
  /// - Throws: `Database.Failure`, and `CancellationError` if the node is cancelled.
  func warmCache() throws {
    let database = try database()
    let count = try database.number("SELECT count(*) FROM item")
    let progress = ProgressNode.joinCurrent("reading items", total: count)
    defer { progress.finish() }
    var items: [Int: Item] = [:]
    items.reserveCapacity(count)
    try database.forEachRow(of: "SELECT id, name, cents FROM item") { row in
      items[row.number(0)] = Item(name: row.text(1), cents: row.number(2))
      guard items.count % Self.stretch == 0 else { return }
      progress.complete(Self.stretch)
      try progress.blockingCheckpoint()
    }
    state.withLock { [items] in $0.items = items }
  }

  /// Starts listening; requests that come before all items are loaded are refused.
  ///
  /// - Throws: `NetworkError` if the port is in use.
  func listen() throws {
    let port = state.withLock { $0.port }
    let server = try LoopbackServer(port: port, pages: answer)
    state.withLock { $0.server = server }
  }

  /// Requests a price from itself, as a client would, and compares it with the database.
  ///
  /// - Throws: `Missing` if the answer is wrong, and network errors.
  func checkReadiness() throws {
    guard let port else { throw Missing(description: "the server is not listening") }
    let answer = String(decoding: try HTTP.get("/items/42", from: port), as: UTF8.self)
    let cents = try database().number("SELECT cents FROM item WHERE id = 42")
    guard answer == "item 42: \(cents)\n" else {
      throw Missing(description: "the first answer is wrong: \(answer)")
    }
  }

  /// Stops listening and closes the database.
  func close() {
    let (server, database) = state.withLock { state in
      (state.server.take(), state.database.take())
    }
    server?.close()
    // Closed when the last user releases it.
    _ = database
    log.finish()
  }

  /// The database.
  private func database() throws(Missing) -> Database {
    guard let database = state.withLock({ $0.database }) else {
      throw Missing(description: "the database is not open")
    }
    return database
  }

  /// Answers a request.
  private func answer(_ page: String) -> HTTPAnswer {
    log.yield("GET \(page)")
    return state.withLock { state in
      guard let items = state.items else { return .starting }
      let parts = page.split(separator: "/")
      guard parts.count == 2, parts[0] == "items", let id = Int(parts[1]), let item = items[id]
      else { return .notFound }
      return .page("\(item.name): \(item.cents)\n")
    }
  }
}
