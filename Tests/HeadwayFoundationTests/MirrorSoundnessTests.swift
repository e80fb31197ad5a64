import Foundation
import HeadwayLock
import HeadwayProgress
import Testing

@testable import HeadwayFoundation

/// A node and the progress that it mirrors, under concurrent changes.
struct MirrorSoundnessTests {
  /// An access function that can run a closure before or after the access.
  private final class HookedAccess: Sendable {
    /// The closure to run after the next access.
    private let afterNext = Guarded<(@Sendable () -> Void)?>(nil)
    /// The closure to run before the next access.
    private let beforeNext = Guarded<(@Sendable () -> Void)?>(nil)

    init() {}

    /// Runs a closure after the next access.
    func afterNextAccess(_ body: @escaping @Sendable () -> Void) {
      afterNext.withLock { $0 = body }
    }

    /// Runs a closure before the next access.
    func beforeNextAccess(_ body: @escaping @Sendable () -> Void) {
      beforeNext.withLock { $0 = body }
    }

    func run(_ body: () -> Void) {
      Self.take(beforeNext)?()
      body()
      Self.take(afterNext)?()
    }

    private static func take(_ next: borrowing Guarded<(@Sendable () -> Void)?>) -> (
      @Sendable () -> Void
    )? {
      next.withLock { body in
        defer { body = nil }
        return body
      }
    }
  }

  @Test func `A pause of the node during a reading of the progress holds`() {
    let access = HookedAccess()
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    let node = ProgressNode(mirroring: progress) { access.run($0) }
    access.afterNextAccess { node.pause() }
    _ = node.fraction
    #expect(node.isPaused)
    #expect(progress.isPaused)
    _ = node.fraction
    #expect(node.isPaused)
    access.afterNextAccess { node.resume() }
    _ = node.fraction
    #expect(!node.isPaused)
    #expect(!progress.isPaused)
  }

  @Test func `A pause that is read before it reaches the progress holds`() {
    let access = HookedAccess()
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    let node = ProgressNode(mirroring: progress) { access.run($0) }
    access.beforeNextAccess { _ = node.fraction }
    node.pause()
    #expect(node.isPaused)
    #expect(progress.isPaused)
  }

  @Test func `The progress keeps the later one of a pause and a concurrent resume`() {
    let access = HookedAccess()
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    let node = ProgressNode(mirroring: progress) { access.run($0) }
    // The end overtakes the pause on its way to the progress.
    access.beforeNextAccess { node.resume() }
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

  @Test func `A progress does not accumulate mirrors`() {
    let progress = Progress.discreteProgress(totalUnitCount: 2)
    for _ in 0..<100 { _ = ProgressNode(mirroring: progress) }
    let ends = progress.userInfo[.headwayMirrors] as? [MirrorEnd]
    #expect((ends?.count ?? 0) <= 1)
  }

  @Test func `Trees that mirror each other many times are read quickly`() throws {
    let (left, right) = (ProgressNode(total: 12), ProgressNode(total: 12))
    let leaf = left.child(units: 1, total: 2)
    leaf.totalFileCount = 3
    let mirrored = try (0..<12).map { number in
      let progress = NodeProgress(withoutFeed: number % 2 == 0 ? left : right)
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
