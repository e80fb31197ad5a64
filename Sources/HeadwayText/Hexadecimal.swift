/// Numbers of 64 bits, each in 16 hexadecimal digits.
package func hexadecimal(_ numbers: UInt64...) -> String {
  unsafe String(unsafeUninitializedCapacity: numbers.count * 16) { room in
    var end = 0
    for number in numbers {
      end += 16
      // From the last digit to the first.
      var (rest, index) = (number, end)
      for _ in 0..<16 {
        index -= 1
        let digit = UInt8(truncatingIfNeeded: rest) & 15
        unsafe room[index] = (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) + digit
        rest >>= 4
      }
    }
    return numbers.count * 16
  }
}
