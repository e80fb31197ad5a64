import HeadwayProgress
import Repetitions
import Testing

/// Typed values and their sums.
struct ProgressInformationTests {
  /// The maximum over live nodes and over finished ones with an odd number.
  private enum Peak: ProgressKey {
    static func combined(_ left: Int, _ right: Int) -> Int { max(left, right) }

    static func finalSum(_ sum: Int) -> Int? { sum % 2 == 0 ? nil : sum }
  }

  private enum Found: ProgressKey {
    static func combined(_ left: Int, _ right: Int) -> Int { left + right }
  }

  /// A set of names.
  private enum Names: ProgressKey {
    /// A set of one.
    static func sum(of value: String) -> Set<String> { [value] }

    static func combined(_ left: Set<String>, _ right: Set<String>) -> Set<String> {
      left.union(right)
    }
  }

  @Test func `Values are combined over live nodes at all levels`() {
    let root = ProgressNode(total: 1)
    let child = root.child(units: 1)
    let leaf = child.child(units: 1)
    root[Found.self] = 1
    child[Found.self] = 10
    leaf[Found.self] = 100
    leaf.completedFileCount = 7
    #expect(root.sum(of: Found.self) == 111)
    #expect(child.sum(of: Found.self) == 110)
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 7)
    #expect(root[Found.self] == 1)
  }

  @Test func `A tree without values has no sum`() {
    let root = ProgressNode(total: 1)
    let child = root.child(units: 1)
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == nil)
    child.totalFileCount = 5
    child.totalFileCount = nil
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == nil)
  }

  @Test func `The sums include finished nodes`() {
    let root = ProgressNode(total: 3)
    for _ in 0..<3 {
      let child = root.child(units: 1)
      let leaf = child.child(units: 1)
      leaf.completedFileCount = 1
      child[Found.self] = 10
      child.throughput = 5
      child.remainingTime = .seconds(3)
      child.filePath = "a"
    }
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 3)
    #expect(root.sum(of: Found.self) == 30)
    #expect(root.sum(of: ProgressKeys.Throughput.self) == nil)
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == nil)
    #expect(root.sum(of: ProgressKeys.FilePath.self) == nil)
  }

  @Test func `Values of live nodes are combined by their keys`() {
    let root = ProgressNode(total: 3)
    let children = (0..<3).map { _ in root.child(units: 1) }
    for (number, child) in children.enumerated() {
      child.throughput = Double(number)
      child.remainingTime = .seconds(number)
      child.filePath = "\(number)"
    }
    #expect(root.sum(of: ProgressKeys.Throughput.self) == 3)
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == .seconds(2))
    #expect(root.sum(of: ProgressKeys.FilePath.self)?.sorted() == ["0", "1", "2"])
    children[2].finish()
    #expect(root.sum(of: ProgressKeys.Throughput.self) == 1)
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == .seconds(1))
  }

  @Test func `A custom key combines its values`() {
    let root = ProgressNode(total: 3)
    let children = (0..<3).map { _ in root.child(units: 1) }
    for (number, child) in children.enumerated() {
      child[Peak.self] = number + 5
      child[Names.self] = "name \(number / 2)"
    }
    #expect(root.sum(of: Peak.self) == 7)
    #expect(root.sum(of: Names.self) == ["name 0", "name 1"])
    children[1].finish()
    children[2].finish()
    #expect(root.sum(of: Peak.self) == 7)
    #expect(root.snapshot().sum(of: Peak.self) == 7)
    #expect(root.sum(of: Names.self) == ["name 0", "name 1"])
  }

  @Test func `A value without a final sum is dropped with its node`() {
    let root = ProgressNode(total: 1)
    let child = root.child(units: 1)
    child[Peak.self] = 6
    child.finish()
    #expect(root.sum(of: Peak.self) == nil)
    #expect(child[Peak.self] == 6)
  }

  @Test func `A node that counts bytes has byte counts`() {
    let root = ProgressNode(total: 2)
    let file = root.child(units: 1, total: 100)
    file.kind = .file(.copying)
    file.complete(30)
    #expect(root.sum(of: ProgressKeys.CompletedByteCount.self) == 30)
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == 100)
    let other = root.child(units: 1)
    other.kind = .file(nil)
    other.complete(7)
    #expect(root.sum(of: ProgressKeys.CompletedByteCount.self) == 37)
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == 100)
    other.finish()
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == 107)
    file.finish()
    #expect(root.sum(of: ProgressKeys.CompletedByteCount.self) == 37)
  }

  @Test func `The bytes of a finished node with a live child count once`() {
    let root = ProgressNode(total: 1)
    let file = root.child(units: 1, total: 100)
    file.kind = .file(.copying)
    let check = file.child(units: 0)
    file.complete(100)
    file.finish()
    #expect(root.bytes == 100)
    #expect(root.snapshot().sum(of: ProgressKeys.CompletedByteCount.self) == 100)
    check.finish()
    #expect(root.bytes == 100)
  }

  @Test func `Byte counts that are set take precedence over counted ones`() {
    let root = ProgressNode(total: 1)
    let file = root.child(units: 1, total: 100)
    file.kind = .file(.downloading)
    file.complete(30)
    file[ProgressKeys.CompletedByteCount.self] = 3
    #expect(root.bytes == 3)
    file[ProgressKeys.CompletedByteCount.self] = nil
    #expect(root.bytes == 30)
  }

  @Test func `Work that does not count bytes has no byte counts`() {
    let root = ProgressNode(total: 5)
    root.complete(2)
    #expect(root.bytes == nil)
    root.kind = .file(nil)
    #expect(root.bytes == 2)
    root.kind = .work
    #expect(root.bytes == nil)
  }

  @Test func `File counts saturate`() {
    let root = ProgressNode(total: 2)
    let child = root.child(units: 1)
    root.totalFileCount = .max
    child.totalFileCount = 5
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == .max)
  }

  @Test func `No concurrent update is lost`() {
    let root = ProgressNode(total: 2)
    let nodes = (0..<2).map { _ in root.child(units: 1) }
    let rounds = repetitions(5_000, underSanitizer: 1_000)
    onThreads(4) { number in
      for _ in 0..<rounds {
        nodes[number % 2].update(ProgressKeys.CompletedFileCount.self) { $0 = ($0 ?? 0) + 1 }
        if number == 3 { _ = root.snapshot() }
      }
    }
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 4 * rounds)
  }

  @Test func `Sums are correct while nodes finish on other threads`() {
    let rounds = repetitions(3_000, underSanitizer: 300)
    let root = ProgressNode(total: 2 * rounds)
    onThreads(3) { number in
      for _ in 0..<rounds {
        if number == 2 {
          _ = root.sum(of: ProgressKeys.CompletedFileCount.self)
        } else {
          root.child(units: 1).child(units: 1).completedFileCount = 1
        }
      }
    }
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 2 * rounds)
  }

  @Test func `The values of a finished node do not change`() {
    let root = ProgressNode("label", total: 1)
    root.completedFileCount = 1
    root.detail = "detail"
    root.finish()
    let last = root.snapshot()
    root.completedFileCount = 2
    root.update(ProgressKeys.CompletedFileCount.self) { $0 = 3 }
    root.label = "other"
    root.detail = nil
    root.kind = .file(nil)
    root.total = 7
    root.addToTotal(3)
    root.complete(5)
    root.setCompleted(5)
    #expect(root.completedFileCount == 1)
    #expect(root.snapshot() == last)
    #expect(root.total == 1)
    #expect(root.completed == 0)
  }

  @Test func `Changes of a live child after the end of its parent do not count`() {
    let root = ProgressNode(total: 1)
    let middle = root.child(units: 1)
    let leaf = middle.child(units: 1)
    leaf.completedFileCount = 1
    middle.finish()
    leaf.completedFileCount = 100
    leaf.finish()
    #expect(root.sum(of: ProgressKeys.CompletedFileCount.self) == 1)
  }

  @Test func `Labels and kinds are read as they were set`() {
    let node = ProgressNode("first", total: 1)
    #expect(node.label == "first" && node.detail == nil && node.kind == .work)
    node.label = ""
    node.detail = "now"
    node.kind = .file(.uploading)
    #expect(node.label.isEmpty && node.detail == "now" && node.kind == .file(.uploading))
    #expect(node.kind.countsBytes && !WorkKind.work.countsBytes)
  }
}

/// Byte counts of nodes that count bytes, one below the other.
struct NestedBytesTests {
  @Test func `A node that counts bytes covers its descendants`() {
    let root = ProgressNode("Copy", total: 300)
    root.kind = .file(.copying)
    let file = root.child(units: 100, total: 100)
    file.kind = .file(.copying)
    file.complete(50)
    root.complete(10)
    _ = root.fraction
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == 300)
    #expect(root.sum(of: ProgressKeys.CompletedByteCount.self) == 60)
    #expect(root.snapshot().sum(of: ProgressKeys.TotalByteCount.self) == 300)
    #expect(root.snapshot().children.first?.sum(of: ProgressKeys.TotalByteCount.self) == 100)
    file.finish()
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == 300)
    #expect(root.sum(of: ProgressKeys.CompletedByteCount.self) == 110)
  }

  @Test func `Bytes below a node that does not count bytes are summed up`() {
    let album = ProgressNode("Album", total: 2)
    var done = 0
    for size in [100, 200] {
      let file = album.child(units: 1, total: size)
      file.kind = .file(.copying)
      let chunk = file.child(units: 40, total: 40)
      chunk.kind = .file(nil)
      chunk.finish()
      done += 40
      #expect(album.snapshot().sum(of: ProgressKeys.CompletedByteCount.self) == done)
    }
    #expect(album.sum(of: ProgressKeys.TotalByteCount.self) == 300)
    #expect(album.sum(of: ProgressKeys.CompletedByteCount.self) == 80)
  }

  @Test func `Bytes below a download of unknown size are summed up and remain when it ends`() {
    let root = ProgressNode("Sync", total: 1)
    let download = root.child(units: 1)
    download.kind = .file(.downloading)
    let first = download.child(units: 1, total: 4)
    first.kind = .file(.downloading)
    first.complete(3)
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == 4)
    #expect(root.snapshot().sum(of: ProgressKeys.CompletedByteCount.self) == 3)
    first.finish()
    download.finish()
    #expect(root.sum(of: ProgressKeys.TotalByteCount.self) == 4)
    #expect(root.snapshot().sum(of: ProgressKeys.CompletedByteCount.self) == 3)
  }
}

/// Values of nodes whose descendants have values too.
struct CoveringValuesTests {
  @Test func `The value of a node covers those of its descendants`() {
    let root = ProgressNode("Photos", total: 100)
    let part = root.child(units: 100, total: 100)
    part.totalFileCount = 1
    part.throughput = 100
    part.remainingTime = .seconds(9)
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 1)
    root.totalFileCount = 2
    root.throughput = 150
    root.remainingTime = .seconds(3)
    for sum in [
      root.sum(of: ProgressKeys.TotalFileCount.self),
      root.snapshot().sum(of: ProgressKeys.TotalFileCount.self),
    ] { #expect(sum == 2) }
    #expect(root.sum(of: ProgressKeys.Throughput.self) == 150)
    #expect(root.sum(of: ProgressKeys.RemainingTime.self) == .seconds(3))
    part.finish()
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 2)
    root.totalFileCount = nil
    #expect(root.sum(of: ProgressKeys.TotalFileCount.self) == 1)
  }

  @Test func `The paths of all live nodes are listed`() {
    let root = ProgressNode("Photos", total: 2)
    let part = root.child(units: 1, total: 1)
    root.filePath = "album"
    part.filePath = "album/beach.jpg"
    #expect(root.sum(of: ProgressKeys.FilePath.self)?.sorted() == ["album", "album/beach.jpg"])
  }
}
