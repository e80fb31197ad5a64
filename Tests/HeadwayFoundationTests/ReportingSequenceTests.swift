import HeadwayFoundation
import HeadwayProgress
import HeadwayTestSupport
import Testing

/// Loops that report their elements.
struct ReportingSequenceTests {
  /// The numbers from 1 to 3, as a sequence of unknown length.
  private var uncounted: AnySequence<Int> {
    AnySequence(sequence(first: 1) { $0 < 3 ? $0 + 1 : nil })
  }

  private var asynchronous: AsyncStream<Int> {
    AsyncStream { continuation in
      for number in 1...3 { continuation.yield(number) }
      continuation.finish()
    }
  }

  @Test func `An element counts when the next one is requested`() {
    let node = ProgressNode(total: 3)
    var counts: [Int] = []
    for _ in [1, 2, 3].reporting(to: node) { counts.append(node.completed) }
    #expect(counts == [0, 1, 2])
    #expect(node.completed == 3)
    #expect(!node.isFinished)
    #expect(node.total == 3)
  }

  @Test func `The element at which a loop exits does not count`() {
    let node = ProgressNode(total: 3)
    for number in [1, 2, 3].reporting(to: node) where number == 2 { break }
    #expect(node.completed == 1)
  }

  @Test func `Loops can add to the total`() {
    let node = ProgressNode()
    for _ in [1, 2, 3].reporting(to: node, addingTotal: true) {}
    for _ in (0..<4).reporting(to: node, addingTotal: true) {}
    #expect(node.total == 7)
    #expect(node.completed == 7)
    for _ in [Int]().reporting(to: node, addingTotal: true) {}
    #expect(node.total == 7)
  }

  @Test func `A loop joins the current node`() {
    let node = ProgressNode(total: 2)
    var fractions: [Double] = []
    node.withCurrent(units: 2) {
      for _ in (0..<4).reportingToCurrent("Checking") {
        fractions.append(node.fraction)
        #expect(node.snapshot().children.map(\.label) == ["Checking"])
        #expect(node.snapshot().children.map(\.total) == [4])
      }
    }
    #expect(fractions == [0, 0.25, 0.5, 0.75])
    #expect(node.completed == 2)
  }

  @Test func `A loop that exits early completes its units`() {
    let node = ProgressNode(total: 2)
    node.withCurrent(units: 2) {
      for number in (0..<4).reportingToCurrent(units: 1) where number == 2 { break }
      #expect(node.completed == 1)
    }
    #expect(node.completed == 2)
  }

  @Test func `A sequence of unknown length has no total, but an empty collection has one`() {
    let node = ProgressNode(total: 2)
    node.withCurrent(units: 2) {
      for _ in uncounted.reportingToCurrent() {
        #expect(node.snapshot().children.map(\.isIndeterminate) == [true])
      }
      var iterator = [Int]().reportingToCurrent().makeIterator()
      #expect(node.snapshot().children.map(\.total) == [0])
      let first = iterator.next()
      #expect(first == nil)
    }
  }

  @Test func `The elements do not change`() {
    let node = ProgressNode(total: 3)
    let reported = uncounted.reporting(to: node)
    #expect(Array(reported) == [1, 2, 3])
    #expect(Array(reported) == [1, 2, 3])
    #expect(node.completed == 6)
  }

  @Test func `An asynchronous loop counts its elements`() async throws {
    let node = ProgressNode(total: 3)
    var counts: [Int] = []
    for try await _ in asynchronous.reporting(to: node) { counts.append(node.completed) }
    #expect(counts == [0, 1, 2])
    #expect(node.completed == 3)
    #expect(!node.isFinished)
  }

  @Test func `An asynchronous loop joins the current node`() async throws {
    let node = ProgressNode(total: 1)
    try await node.withCurrent(units: 1) {
      for try await number in asynchronous.reportingToCurrent("Reading", total: 4) {
        #expect(node.fraction == Double(number - 1) / 4)
      }
    }
    #expect(node.completed == 1)
  }

  @Test func `A cancel ends an asynchronous loop`() async {
    let node = ProgressNode(total: 3)
    var numbers: [Int] = []
    await #expect(throws: CancellationError.self) {
      for try await number in asynchronous.reporting(to: node) {
        numbers.append(number)
        if number == 2 { node.cancel() }
      }
    }
    #expect(numbers == [1, 2])
    #expect(node.completed == 2)
  }

  @Test func `An asynchronous loop waits while its node is paused`() throws {
    let stamps = try withVirtualTime { clock in
      let node = ProgressNode(total: 3)
      let (start, numbers) = (clock.now, asynchronous)
      var stamps: [Duration] = []
      let other = Task(executorPreference: StepExecutor.current) {
        try await clock.sleep(for: .seconds(5))
        node.resume()
      }
      for try await number in numbers.reporting(to: node) {
        stamps.append(start.duration(to: clock.now))
        if number == 1 { node.pause() }
      }
      try await other.value
      return stamps
    }
    #expect(stamps == [.zero, .seconds(5), .seconds(5)])
  }
}
