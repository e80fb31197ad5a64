import Foundation
import HeadwayLock
import HeadwayTestSupport
import ProcessFixtures
import Testing

@testable import HeadwayFoundation
@testable import HeadwayProgress

extension ProgressNode {
  /// Whether tasks or threads wait at a checkpoint of the node.
  fileprivate var hasWaiters: Bool {
    withTree { _, _ in
      reference.existingExtras?.checkpointWaiters.ids { _ in true }.isEmpty == false
    }
  }
}

/// A folder that is removed after the test.
private final class Folder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "Headway-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }

  func write(_ name: String, _ data: Data, permissions: Int = 0o644) throws -> URL {
    let file = file(name)
    try data.write(to: file)
    try FileManager.default.setAttributes(
      [.posixPermissions: permissions], ofItemAtPath: file.path(percentEncoded: false))
    return file
  }

  var names: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false)).sorted()
    }
  }
}

/// Reading and copying files under a node.
struct FileProgressTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Bytes that depend on their index.
  private func bytes(_ count: Int) -> Data { Data((0..<count).map { UInt8($0 % 251) }) }

  /// The error of a closure, nil for none.
  private func error(_ body: () throws -> Void) -> CocoaError? {
    do { try body() } catch { return error as? CocoaError }
    return nil
  }

  @Test(arguments: [0, 1, 9, 10, 11, 100])
  func `Reading a file reports its bytes`(size: Int) throws {
    let file = try folder.write("a", bytes(size))
    let node = ProgressNode(total: 1)
    let data = try node.withCurrent(units: 1) { try FileProgress.contents(of: file, chunkSize: 10) }
    #expect(data == bytes(size))
    #expect(node.completed == 1)
    #expect(node.sum(of: ProgressKeys.CompletedByteCount.self) == size)
    #expect(node.sum(of: ProgressKeys.TotalByteCount.self) == size)
    #expect(node.sum(of: ProgressKeys.CompletedFileCount.self) == 1)
  }

  @Test(arguments: [0, 1, 9, 10, 11, 100])
  func `A file is copied with its permissions`(size: Int) throws {
    let source = try folder.write("a", bytes(size), permissions: 0o640)
    let target = folder.file("b")
    let node = ProgressNode(total: 1)
    try node.withCurrent(units: 1) { try FileProgress.copy(source, to: target, chunkSize: 10) }
    #expect(try Data(contentsOf: target) == bytes(size))
    let path = target.path(percentEncoded: false)
    let mode =
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o640)
    #expect(node.completed == 1)
    #expect(try folder.names == ["a", "b"])
  }

  @Test func `Files can be read and copied without blocking`() async throws {
    let source = try folder.write("a", bytes(100))
    let target = folder.file("b")
    let node = ProgressNode(total: 2)
    try await node.withCurrent(units: 1) {
      try await FileProgress.copy(source, to: target, chunkSize: 10)
    }
    let data = try await node.withCurrent(units: 1) {
      try await FileProgress.contents(of: target, chunkSize: 7)
    }
    #expect(data == bytes(100))
    #expect(node.completed == 2)
    #expect(node.sum(of: ProgressKeys.CompletedByteCount.self) == 200)
  }

  @Test func `A file can be copied without a current node`() throws {
    let source = try folder.write("a", bytes(100))
    try FileProgress.copy(source, to: folder.file("b"))
    #expect(try FileProgress.contents(of: folder.file("b")) == bytes(100))
  }

  @Test func `The node has the kind, path and counts of the file`() throws {
    let source = try folder.write("a.txt", bytes(30))
    let work = try FileCopying(source, to: folder.file("b"), isReplacing: false, chunkSize: 10)
    var runner = FileTaskRunner(work, operation: .copying, clock: VirtualClock())
    let english = Locale(identifier: "en_US")
    var lines: [String] = []
    try runner.run { node in
      lines.append(node.snapshot().localizedDescription(locale: english))
      lines.append(node.snapshot().localizedAdditionalDescription(locale: english))
    }
    #expect(
      lines.prefix(4) == [
        "Copying “a.txt”…", "10 bytes of 30 bytes", "Copying “a.txt”…", "20 bytes of 30 bytes",
      ])
  }

  @Test func `Speed and remaining time ignore pauses`() throws {
    let file = try folder.write("a", bytes(40))
    let seen = try withVirtualTime { clock in
      let work = try FileReading(file, chunkSize: 10)
      var runner = FileTaskRunner(work, operation: nil, clock: clock)
      let node = runner.node
      var seen: [(Double?, Duration?)] = []
      var chunk = 0
      _ = try await runner.runWaiting { node in
        // What a chunk has taken shows in the numbers of the next.
        seen.append((node.throughput, node.remainingTime))
        chunk += 1
        clock.advance(by: .seconds(1))
        if chunk == 2 {
          node.pause()
          Task(executorPreference: StepExecutor.current) {
            try await clock.sleep(for: .seconds(100))
            node.resume()
          }
        }
      }
      #expect(node.isFinished)
      return seen
    }
    #expect(seen.map(\.0) == [nil, 20, 15, 40.0 / 3])
    #expect(seen.map { $0.1.map { ($0 / .seconds(1)).rounded() } } == [nil, 1, 1, 0])
  }

  @Test func `Speed ignores pauses that block the thread`() throws {
    let file = try folder.write("a", bytes(30))
    let clock = VirtualClock()
    var runner = FileTaskRunner(
      try FileReading(file, chunkSize: 10), operation: nil, clock: clock)
    var speeds: [Double?] = []
    let hasWaited = Guarded(false)
    _ = try runner.run { node in
      // What a chunk has taken shows in the numbers of the next.
      speeds.append(node.throughput)
      clock.advance(by: .seconds(1))
      guard speeds.count == 1 else { return }
      node.pause()
      Thread.detachNewThread {
        _ = eventually { node.hasWaiters || node.isFinished }
        hasWaited.withLock { $0 = node.hasWaiters }
        clock.advance(by: .seconds(100))
        node.resume()
      }
    }
    #expect(hasWaited.withLock { $0 })
    #expect(speeds == [nil, 20, 15])
  }

  @Test func `A cancelled copy leaves nothing behind`() throws {
    let source = try folder.write("a", bytes(100))
    let work = try FileCopying(source, to: folder.file("b"), isReplacing: false, chunkSize: 10)
    var runner = FileTaskRunner(work, operation: .copying, clock: VirtualClock())
    var chunks = 0
    #expect(throws: CancellationError.self) {
      try runner.run { node in
        chunks += 1
        let names = try folder.names
        #expect(names.count == 2)
        if chunks == 3 { node.cancel() }
      }
    }
    #expect(chunks == 3)
    #expect(try folder.names == ["a"])
  }

  @Test func `A cancel after the last byte still counts`() throws {
    let source = try folder.write("a", bytes(10))
    let work = try FileCopying(source, to: folder.file("b"), isReplacing: false, chunkSize: 10)
    var runner = FileTaskRunner(work, operation: .copying, clock: VirtualClock())
    #expect(throws: CancellationError.self) { try runner.run { $0.cancel() } }
    #expect(try folder.names == ["a"])
  }

  @Test func `A file operation under a cancelled node does not begin`() async throws {
    let source = try folder.write("a", bytes(10))
    let node = ProgressNode(total: 1)
    node.cancel()
    #expect(throws: CancellationError.self) {
      try node.withCurrent(units: 1) { try FileProgress.copy(source, to: folder.file("b")) }
    }
    await #expect(throws: CancellationError.self) {
      try await node.withCurrent(units: 1) { _ = try await FileProgress.contents(of: source) }
    }
    #expect(try folder.names == ["a"])
  }

  @Test func `A copy does not replace a file by default`() throws {
    let source = try folder.write("a", bytes(10))
    let target = try folder.write("b", bytes(3))
    let refused = error { try FileProgress.copy(source, to: target) }
    #expect(refused?.code == .fileWriteFileExists)
    #expect(refused?.filePath == target.path(percentEncoded: false))
    #expect(try Data(contentsOf: target) == bytes(3))
    try FileProgress.copy(source, to: target, replacing: true)
    #expect(try Data(contentsOf: target) == bytes(10))
    #expect(try folder.names == ["a", "b"])
  }

  @Test func `A file that appears during a copy is not replaced`() throws {
    let source = try folder.write("a", bytes(10))
    let work = try FileCopying(source, to: folder.file("b"), isReplacing: false, chunkSize: 10)
    var runner = FileTaskRunner(work, operation: .copying, clock: VirtualClock())
    let error = error { try runner.run { _ in _ = try folder.write("b", bytes(1)) } }
    #expect(error?.code == .fileWriteFileExists)
    #expect(try Data(contentsOf: folder.file("b")) == bytes(1))
    #expect(try folder.names == ["a", "b"])
  }

  @Test func `A file that grows is read to its end`() throws {
    let file = try folder.write("a", bytes(10))
    var runner = FileTaskRunner(
      try FileReading(file, chunkSize: 10), operation: nil, clock: VirtualClock())
    var hasGrown = false
    let data = try runner.run { node in
      #expect(node.fraction < 1)
      if !hasGrown {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([7, 7]))
        try handle.close()
      }
      hasGrown = true
    }
    #expect(data == bytes(10) + [7, 7])
    #expect(runner.node.completed == 12)
    #expect(runner.node.total == 12)
  }

  @Test func `The size of a file that grows while it is read grows too`() throws {
    let file = try folder.write("a", bytes(10))
    var runner = FileTaskRunner(
      try FileReading(file, chunkSize: 10), operation: nil, clock: VirtualClock())
    let english = Locale(identifier: "en_US")
    var lines: [String] = []
    _ = try runner.run { node in
      lines.append(node.snapshot().localizedAdditionalDescription(locale: english))
      guard lines.count == 1 else { return }
      let handle = try FileHandle(forWritingTo: file)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data([7, 7]))
      try handle.close()
    }
    #expect(lines == ["10 bytes of 10 bytes", "12 bytes of 12 bytes"])
  }

  @Test func `Errors have the path of the file`() throws {
    let source = try folder.write("a", bytes(10))
    let missing = error { _ = try FileProgress.contents(of: folder.file("none")) }
    #expect(missing?.code == .fileReadNoSuchFile)
    let directory = error { _ = try FileProgress.contents(of: folder.url) }
    #expect(directory?.code == .fileReadUnknown)
    #expect(directory?.localizedDescription.contains("is not a regular file") == true)
    let nowhere = error { try FileProgress.copy(source, to: folder.file("x/b")) }
    #expect(nowhere?.code == .fileNoSuchFile)
    let onFolder = error { try FileProgress.copy(source, to: folder.url, replacing: true) }
    #expect(onFolder?.code == .fileWriteUnknown)
    let network = try #require(URL(string: "https://example.org/a"))
    let remote = error { _ = try FileProgress.contents(of: network) }
    #expect(remote?.code == .fileReadUnsupportedScheme)
    #expect(try folder.names == ["a"])
  }

  @Test func `Symbolic links are followed at the source and replaced at the destination`() throws {
    let source = try folder.write("a", bytes(10))
    let link = folder.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: source)
    #expect(try FileProgress.contents(of: link) == bytes(10))
    let other = try folder.write("c", bytes(4))
    try FileProgress.copy(other, to: link, replacing: true)
    #expect(try Data(contentsOf: link) == bytes(4))
    #expect(try Data(contentsOf: source) == bytes(10))
  }
}
