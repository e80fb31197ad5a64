/// An arbitrary-precision natural number, for exact comparisons.
struct Natural: Sendable, Equatable {
  /// The digits in base 2⁶⁴, lowest first, without leading zeros.
  private var digits: [UInt64]

  init(_ number: UInt64) { digits = number == 0 ? [] : [number] }

  /// Creates a number from digits that may have zeros at the top.
  private init(digits: [UInt64]) {
    self.digits = digits
    while self.digits.last == 0 { self.digits.removeLast() }
  }

  static func + (left: Natural, right: Natural) -> Natural {
    let (long, short) =
      left.digits.count >= right.digits.count
      ? (left.digits, right.digits) : (right.digits, left.digits)
    var sum = long
    var carry = false
    for index in 0..<long.count {
      if index >= short.count, !carry { break }
      let (first, isOver) = long[index].addingReportingOverflow(
        index < short.count ? short[index] : 0)
      let (second, isOverAgain) = first.addingReportingOverflow(carry ? 1 : 0)
      sum[index] = second
      carry = isOver || isOverAgain
    }
    if carry { sum.append(1) }
    return Natural(digits: sum)
  }

  static func distance(_ left: Natural, _ right: Natural) -> Natural {
    let (large, small) = left < right ? (right, left) : (left, right)
    var difference = large.digits
    var borrow = false
    for index in 0..<large.digits.count {
      if index >= small.digits.count, !borrow { break }
      let (first, isUnder) = large.digits[index].subtractingReportingOverflow(
        index < small.digits.count ? small.digits[index] : 0)
      let (second, isUnderAgain) = first.subtractingReportingOverflow(borrow ? 1 : 0)
      difference[index] = second
      borrow = isUnder || isUnderAgain
    }
    return Natural(digits: difference)
  }

  static func * (left: Natural, right: Natural) -> Natural {
    guard !left.digits.isEmpty, !right.digits.isEmpty else { return Natural(0) }
    if left.digits == [1] { return right }
    if right.digits == [1] { return left }
    var product = [UInt64](repeating: 0, count: left.digits.count + right.digits.count)
    for low in 0..<left.digits.count {
      var carry: UInt64 = 0
      for high in 0..<right.digits.count {
        let (upper, lower) = left.digits[low].multipliedFullWidth(by: right.digits[high])
        let (first, isOver) = lower.addingReportingOverflow(product[low + high])
        let (second, isOverAgain) = first.addingReportingOverflow(carry)
        product[low + high] = second
        carry = upper + (isOver ? 1 : 0) + (isOverAgain ? 1 : 0)
      }
      product[low + right.digits.count] = carry
    }
    return Natural(digits: product)
  }

  var shifted: Natural { digits.isEmpty ? self : Natural(digits: [0] + digits) }

  static func < (left: Natural, right: Natural) -> Bool {
    if left.digits.count != right.digits.count { return left.digits.count < right.digits.count }
    for index in stride(from: left.digits.count - 1, through: 0, by: -1) {
      if left.digits[index] != right.digits[index] {
        return left.digits[index] < right.digits[index]
      }
    }
    return false
  }
}

/// An exact fraction from 0 to 1.
struct Rational: Sendable {
  private(set) var numerator: Natural
  /// The denominator, not 0.
  private(set) var denominator: Natural

  static let zero = Rational(numerator: Natural(0), denominator: Natural(1))
  static let one = Rational(numerator: Natural(1), denominator: Natural(1))

  /// Creates the fraction of a sum of parts.
  ///
  /// - Parameters:
  ///   - count: The completed whole units.
  ///   - parts: Partly completed units with their fractions.
  ///   - total: The total, not 0; the sum is limited to it.
  init(count: UInt64, parts: [(share: UInt64, fraction: Rational)], total: UInt64) {
    var sum = (numerator: Natural(count), denominator: Natural(1))
    for (share, fraction) in parts {
      sum.numerator =
        sum.numerator * fraction.denominator
        + Natural(share) * fraction.numerator * sum.denominator
      sum.denominator = sum.denominator * fraction.denominator
    }
    let whole = sum.denominator * Natural(total)
    self = sum.numerator < whole ? Rational(numerator: sum.numerator, denominator: whole) : .one
  }

  private init(numerator: Natural, denominator: Natural) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Whether a number is within 10⁻¹² of the fraction.
  ///
  /// - Parameters:
  ///   - number: A number from 0 to 1.
  ///   - slack: The permitted distance in units of 10⁻¹².
  /// - Returns: Whether it is.
  func isNear(_ number: Double, slack: UInt64 = 1) -> Bool {
    guard number >= 0, number <= 1 else { return false }
    // 2⁶⁴ stands for 1; what is cut off is less than a millionth of the allowed error.
    let scaled = number == 1 ? Natural(1).shifted : Natural(UInt64(number * 0x1p64))
    return
      !(Natural(18_446_744).times(slack) * denominator
      < Natural.distance(scaled * denominator, numerator.shifted))
  }
}

extension Natural {
  fileprivate func times(_ factor: UInt64) -> Natural { self * Natural(factor) }
}
