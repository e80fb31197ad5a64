/// A key of typed values that nodes can have, and how the values of a subtree are combined.
///
/// ```swift
/// enum Warnings: ProgressKey {
///   static func combined(_ left: Int, _ right: Int) -> Int { left + right }
/// }
/// node[Warnings.self] = 2
/// root.sum(of: Warnings.self)   // the warnings of the whole tree
/// ```
///
/// The functions are called under the lock of a tree: they must be pure and must not use any node.
public protocol ProgressKey: Sendable {
  /// The type of a node's value.
  associatedtype Value: Sendable & Equatable
  /// The type of the combined values of a subtree.
  associatedtype Sum: Sendable & Equatable = Value

  /// Converts the value of one node to a sum.
  ///
  /// - Parameter value: The value of a node.
  /// - Returns: Its sum.
  static func sum(of value: Value) -> Sum

  /// Combines two sums; must be associative and commutative.
  ///
  /// - Parameters:
  ///   - left: A sum, which can be changed in place.
  ///   - right: Another sum.
  /// - Returns: The sum of both.
  static func combined(_ left: consuming Sum, _ right: Sum) -> Sum

  /// Whether the value of a node stands for its whole subtree, whatever values its descendants have; false by default.
  static var coversSubtree: Bool { get }

  /// Returns what a node leaves to its parent when it finishes; by default the whole sum.
  ///
  /// - Parameter sum: The sum of the node and its descendants.
  /// - Returns: What the parent adds to its sum, nil for nothing.
  static func finalSum(_ sum: Sum) -> Sum?
}

extension ProgressKey {
  /// The value of a node is combined with those of its descendants.
  public static var coversSubtree: Bool { false }

  /// Returns the whole sum.
  public static func finalSum(_ sum: Sum) -> Sum? { sum }
}

extension ProgressKey where Sum == Value {
  /// Returns the value itself.
  public static func sum(of value: Value) -> Value { value }
}
