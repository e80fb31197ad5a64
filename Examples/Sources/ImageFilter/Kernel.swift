#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// How much of each neighbour goes into a point that is blurred, the same across and down.
struct Kernel: Sendable {
  /// What a kernel looks like.
  enum Shape: String, Sendable {
    /// Each neighbour counts the same.
    case box
    /// Near neighbours count more: the radius is two standard deviations.
    case gaussian
  }

  /// The weights from the furthest neighbour on one side to that on the other; their sum is 1.
  let weights: [Float]

  /// The distance of the furthest neighbour.
  var radius: Int { weights.count / 2 }

  /// Creates a kernel.
  ///
  /// - Parameters:
  ///   - shape: What it looks like.
  ///   - radius: The distance of the furthest neighbour; 0 changes nothing.
  init(_ shape: Shape, radius: Int) {
    let raw = (-radius...radius).map { distance -> Double in
      switch shape {
      case .box: return 1
      case .gaussian:
        let deviations = 2 * Double(distance) / Double(max(radius, 1))
        return exp(-deviations * deviations / 2)
      }
    }
    let sum = raw.reduce(0, +)
    weights = raw.map { Float($0 / sum) }
  }
}
