#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The weights of the neighbours in a blurred pixel, the same horizontally and vertically.
struct Kernel: Sendable {
  /// The shape of a kernel.
  enum Shape: String, Sendable {
    /// All neighbours have the same weight.
    case box
    /// Near neighbours have a larger weight: the radius is two standard deviations.
    case gaussian
  }

  /// The weights from the furthest neighbour on one side to that on the other; their sum is 1.
  let weights: [Float]

  /// The distance of the furthest neighbour.
  var radius: Int { weights.count / 2 }

  /// Creates a kernel.
  ///
  /// - Parameters:
  ///   - shape: The shape.
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
