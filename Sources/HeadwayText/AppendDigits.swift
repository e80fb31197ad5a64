extension [UInt8] {
  /// Appends a number in decimal digits, without making a text of it.
  package mutating func appendDigits(of number: Int) {
    if number < 0 { append(UInt8(ascii: "-")) }
    appendDigits(of: number.magnitude)
  }

  /// Appends a number in decimal digits, without making a text of it.
  package mutating func appendDigits(of number: UInt) {
    // The last digit comes first; divisions by a constant are fast.
    var first = count
    var rest = number
    repeat {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    var last = count - 1
    while first < last {
      swapAt(first, last)
      first += 1
      last -= 1
    }
  }
}
