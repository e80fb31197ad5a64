import CSQLite
import HeadwayProgress
import Loopback
import Synchronization

/// A server that tells what things cost, from a database that it keeps in memory.
///
/// Safe from any thread.
final class Shop: Sendable {
  /// What can be bought.
  private struct Item {
    /// What it is called.
    let name: String
    /// What it costs, in hundredths.
    let cents: Int
  }

  /// What the tasks of the start have made.
  private struct State {
    /// The database, while it is open.
    var database: Database?
    /// The port that the settings want.
    var port: UInt16 = 0
    /// What can be bought, by number; nil until all of it is known.
    var items: [Int: Item]?
    /// The server, while it listens.
    var server: LoopbackServer?
  }

  /// Something that a task needs is missing, because the graph lacks an edge.
  struct Missing: Error, CustomStringConvertible {
    /// What is missing.
    let description: String
  }

  /// How many rows are read between two looks at whether to go on.
  private static let stretch = 1_000

  /// What the tasks of the start have made.
  private let state = Mutex(State())
  /// Gets a line for each question that is answered.
  private let log: AsyncStream<String>.Continuation
  /// The lines, for one who reads them; the newest where nobody does.
  let questions: AsyncStream<String>

  /// Creates a shop that is closed.
  init() { (questions, log) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(100)) }

  /// The port at which the server listens, nil while it does not.
  var port: UInt16? { state.withLock { $0.server?.port } }

  /// Opens the database.
  ///
  /// - Parameter path: Where it is.
  /// - Throws: `Database.Failure`.
  func open(_ path: String) throws {
    let database = try Database(path: path)
    state.withLock { $0.database = database }
  }

  /// Brings the database to the newest version.
  ///
  /// - Throws: What `Schema.migrate` throws.
  func migrate() throws { try Schema.migrate(database()) }

  /// Reads the settings.
  ///
  /// - Throws: `Database.Failure`.
  func readSettings() throws {
    let port = try database().number("SELECT value FROM setting WHERE name = 'port'")
    state.withLock { $0.port = UInt16(clamping: port) }
  }

  /// Reads all that can be bought, and reports how far it is to the current node.
  ///
  /// - Throws: `Database.Failure`, and `CancellationError` when the node is cancelled.
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

  /// Begins to listen; what is asked before all is known is answered by a refusal.
  ///
  /// - Throws: `NetworkError` when the port is taken.
  func listen() throws {
    let port = state.withLock { $0.port }
    let server = try LoopbackServer(port: port, pages: answer)
    state.withLock { $0.server = server }
  }

  /// Asks itself what something costs, as a customer would, and compares with the database.
  ///
  /// - Throws: `Missing` when the answer is wrong, and what keeps the answer away.
  func checkReadiness() throws {
    guard let port else { throw Missing(description: "nobody listens") }
    let answer = String(decoding: try HTTP.get("/items/42", from: port), as: UTF8.self)
    let cents = try database().number("SELECT cents FROM item WHERE id = 42")
    guard answer == "item 42: \(cents)\n" else {
      throw Missing(description: "the first answer is wrong: \(answer)")
    }
  }

  /// Hangs up and closes the database, as far as they are there.
  func close() {
    let (server, database) = state.withLock { state in
      (state.server.take(), state.database.take())
    }
    server?.close()
    // Closed with the last one who uses it.
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

  /// Answers a question.
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
