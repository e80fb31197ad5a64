import DocumentedPages
import Foundation
import Testing

/// Each public type has an example where a reader looks for it, and a test runs it.
struct `The examples of public types` {
  /// Types that no example shows, with the reason.
  private static let exceptions = [
    "HeadwayRelay": ["Subscription.Iterator": "it is the type of a loop, which nobody writes"]
  ]
  /// The modules that have a listing.
  private static let modules: [String] = {
    let folder = Repository.root.appending(path: "API").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(".swift".count)) }
      .sorted()
  }()

  @Test func `All modules are checked`() { #expect(Self.modules.count > 10) }

  @Test(arguments: modules) func `A test runs an example of each public type`(module: String)
    throws
  {
    let types = PublicTypes(try Repository.text("API/\(module).swift"))
    #expect(!types.entries.isEmpty)
    let missing = types.notShown(in: try DocumentedPages(of: module).examplesRun())
    #expect(
      missing.sorted() == Self.exceptions[module, default: [:]].keys.sorted(),
      "write an example in the comment of the type, and the same lines in a test of the module")
  }

  @Test func `Types, nested types, members and functions are read from a listing`() {
    let types = PublicTypes(
      """
      import HeadwayText
      /// public struct Comment
      @frozen public enum Policy : Hashable {
          case join
          case replace(after: Int)
      }
      public struct Runner<Key, Value> : Sendable where Key : Hashable {
          public struct Configuration : Sendable {
              public static let standard: Runner.Configuration
              public var timeout: Duration { get }
          }
          public func run() throws
      }
      extension Runner {
          final public class Late {
          }
      }
      @inlinable public func withDeadline<Result>(_ body: () -> Result) -> Result
      """)
    #expect(
      types.entries == [
        .init(name: "Policy", members: ["join", "replace"]),
        .init(name: "Runner"),
        .init(name: "Runner.Configuration", members: ["standard"]),
        .init(name: "Runner.Late"),
        .init(name: "withDeadline"),
      ])
  }

  @Test(arguments: [
    ("let runner = Runner<String, Int>(.standard)", ["Policy", "Runner.Late", "withDeadline"]),
    (
      "configuration.policy = .join",
      ["Runner", "Runner.Configuration", "Runner.Late", "withDeadline"]
    ),
    (
      "func log(_ late: Runner<String, Int>.Late) {}",
      ["Policy", "Runner.Configuration", "withDeadline"]
    ),
    (
      "withDeadline { Late() }",
      ["Policy", "Runner", "Runner.Configuration", "Runner.Late"]
    ),
  ])
  func `A type is shown by its name or a member`(line: String, missing: [String]) {
    let types = PublicTypes(
      """
      public enum Policy {
          case join
      }
      public struct Runner {
          public struct Configuration {
              public static let standard: Runner.Configuration
          }
          public struct Late {
          }
      }
      public func withDeadline()
      """)
    #expect(types.notShown(in: [[line]]) == missing)
  }
}
