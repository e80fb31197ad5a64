/// Sixteen numbers in place, so that a bar allocates nothing for them; `[16 of Double]` needs macOS 26.
@safe
struct SixteenNumbers: Sendable {
  private typealias Four = (Double, Double, Double, Double)

  static let count = 16
  private var numbers: (Four, Four, Four, Four)

  /// Creates sixteen zeros.
  init() {
    let zeros: Four = (0, 0, 0, 0)
    numbers = (zeros, zeros, zeros, zeros)
  }

  subscript(index: Int) -> Double {
    get {
      precondition(index >= 0 && index < Self.count)
      // The tuple is sixteen numbers without space in between, and the index is one of them.
      return unsafe withUnsafeBytes(of: numbers) {
        unsafe $0.load(fromByteOffset: index &* MemoryLayout<Double>.stride, as: Double.self)
      }
    }
    set {
      precondition(index >= 0 && index < Self.count)
      unsafe withUnsafeMutableBytes(of: &numbers) {
        unsafe $0.storeBytes(
          of: newValue, toByteOffset: index &* MemoryLayout<Double>.stride, as: Double.self)
      }
    }
  }
}
