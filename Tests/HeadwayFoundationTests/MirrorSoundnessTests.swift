import Foundation
import HeadwayLock
import HeadwayProgress
import Testing

@testable import HeadwayFoundation

/// A node and the progress that it mirrors, where both change at a time.
struct MirrorSoundnessTests {
  /// A place where a progress may be touched, at whose door something else happens.
  private final class Place: Sendable {
    /// What happens when the place is left for the next time.
    private let atLeaving = Guarded<(@Sendable () -> Void)?>(nil)
    /// What happens before the place is entered for the next time.
    private let atEntering = Guarded<(@Sendable () -> Void)?>(nil)

    /// A place at whose door nothing happens.
    init() {}

    /// Lets something happen when the place is left for the next time.
    func onLeaving(_ body: @escaping @Sendable () -> Void) { atLeaving.withLock { $0 = body } }

    /// Lets something happen before the place is entered for the next time.
    func onEntering(_ body: @escaping @Sendable () -> Void) { atEntering.withLock { $0 = body } }

    /// Runs a body in the place.
    func enter(_ body: () -> Void) {
      Self.take(atEntering)?()
      body()
      Self.take(atLeaving)?()
    }

    /// Takes what is to happen.
    private static func take(_ next: borrowing Guarded<(@Sendable () -> Void)?>) -> (
      @Sendable () -> Void
    )? {
      next.withLock { body in
        defer { body = nil }
        return body
      }
    }
  }

  @Test func `A pause of the node while somebody looks at the progress holds`() {
    let place = Place()
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    let node = ProgressNode(mirroring: progress) { place.enter($0) }
    place.onLeaving { node.pause() }
    _ = node.fraction
    #expect(node.isPaused)
    #expect(progress.isPaused)
    _ = node.fraction
    #expect(node.isPaused)
    place.onLeaving { node.resume() }
    _ = node.fraction
    #expect(!node.isPaused)
    #expect(!progress.isPaused)
  }

  @Test func `A pause that is looked at before it reaches the progress holds`() {
    let place = Place()
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    let node = ProgressNode(mirroring: progress) { place.enter($0) }
    place.onEntering { _ = node.fraction }
    node.pause()
    #expect(node.isPaused)
    #expect(progress.isPaused)
  }

  @Test func `Of a pause and its end at a time the progress keeps the later one`() {
    let place = Place()
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    let node = ProgressNode(mirroring: progress) { place.enter($0) }
    // The end overtakes the pause on its way to the progress.
    place.onEntering { node.resume() }
    node.pause()
    #expect(!node.isPaused)
    #expect(!progress.isPaused)
    _ = node.fraction
    #expect(!node.isPaused)
  }

  @Test func `A pause of the progress still reaches the node after one of the node`() {
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    let node = ProgressNode(mirroring: progress)
    node.pause()
    node.resume()
    _ = node.fraction
    progress.pause()
    _ = node.fraction
    #expect(node.isPaused)
    progress.resume()
    _ = node.fraction
    #expect(!node.isPaused)
  }

  @Test func `A progress does not remember the nodes that have mirrored it`() {
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    for _ in 0..<100 { _ = ProgressNode(mirroring: progress) }
    let ends = progress.userInfo[.headwayMirrors] as? [MirrorEnd]
    #expect((ends?.count ?? 0) <= 1)
  }

  @Test func `Trees that mirror each other many times are read in a moment`() throws {
    let (left, right) = (ProgressNode(total: 12), ProgressNode(total: 12))
    let leaf = left.child(units: 1, total: 2)
    leaf.totalFileCount = 3
    let mirrored = try (0..<12).map { number in
      let progress = NodeProgress(unfollowed: number % 2 == 0 ? left : right)
      // Such a node is not known to stand for one of the other tree.
      let mirror = ProgressNode(mirroring: progress)
      try (number % 2 == 0 ? right : left).add(mirror, units: 1)
      return (progress, mirror)
    }
    leaf.complete(1)
    #expect(left.fraction > 0)
    #expect(right.fraction >= 0)
    #expect(mirrored.count == 12)
  }
}
