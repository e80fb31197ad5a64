/// A kind of typed value that nodes can have, and how the values of a subtree become one.
///
/// ```swift
/// enum Warnings: ProgressKey {
///   static func combined(_ left: Int, _ right: Int) -> Int { left + right }
/// }
/// node[Warnings.self] = 2
/// root.sum(of: Warnings.self)   // the warnings of the whole tree
/// ```
///
/// The functions are called under the lock of a tree: they must be pure, and not touch any node.
public protocol ProgressKey: Sendable {
  /// What a node has.
  associatedtype Value: Sendable & Equatable
  /// What the values of a subtree become.
  associatedtype Sum: Sendable & Equatable = Value

  /// The sum of one value.
  ///
  /// - Parameter value: The value of one node.
  /// - Returns: Its sum.
  static func sum(of value: Value) -> Sum

  /// The sum of two; it must be associative, and not depend on the order of the nodes.
  ///
  /// - Parameters:
  ///   - left: A sum, which a list may be appended to in place.
  ///   - right: Another.
  /// - Returns: The sum of both.
  static func combined(_ left: consuming Sum, _ right: Sum) -> Sum

  /// Whether the value of a node stands for all that is below it, whatever the nodes there have; by default it is
  /// one of those that are combined.
  static var coversSubtree: Bool { get }

  /// What of a sum stays when its node has finished; by default all of it.
  ///
  /// - Parameter sum: The sum of the node that finishes and what is below it.
  /// - Returns: What the parent keeps, nil for nothing.
  static func kept(_ sum: Sum) -> Sum?

  /// The value of a node that has none set, from its counts, where its units are bytes; by default none.
  ///
  /// - Parameters:
  ///   - completed: The bytes that are completed.
  ///   - total: The bytes of the work, nil while not known.
  /// - Returns: The value, nil when the counts say nothing about it.
  static func value(ofBytes completed: Int, total: Int?) -> Value?
}

extension ProgressKey {
  /// A value is combined with those below.
  public static var coversSubtree: Bool { false }

  /// All of the sum stays.
  public static func kept(_ sum: Sum) -> Sum? { sum }

  /// The counts say nothing.
  public static func value(ofBytes completed: Int, total: Int?) -> Value? { nil }
}

extension ProgressKey where Sum == Value {
  /// The value itself.
  public static func sum(of value: Value) -> Value { value }
}
