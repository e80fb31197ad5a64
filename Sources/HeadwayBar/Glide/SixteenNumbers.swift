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

  /// Moves numbers to the front, over those before them.
  ///
  /// - Parameters:
  ///   - first: The index of the first number that is moved.
  ///   - end: The index after the last one.
  mutating func moveToFront(from first: Int, to end: Int) {
    precondition(first >= 0 && first <= end && end <= Self.count)
    // In place: reading a number of a value by its index copies all sixteen.
    unsafe withUnsafeMutableBytes(of: &numbers) { bytes in
      let numbers = unsafe bytes.assumingMemoryBound(to: Double.self)
      for index in first..<end { unsafe numbers[index &- first] = unsafe numbers[index] }
    }
  }

  /// Calls a closure with the numbers in place, for loops over them.
  @inline(__always)
  func read<Result>(_ body: (UnsafeBufferPointer<Double>) -> Result) -> Result {
    unsafe withUnsafeBytes(of: numbers) { unsafe body($0.assumingMemoryBound(to: Double.self)) }
  }
}
