/// A natural number of any size, for the exact side of comparisons.
struct Natural: Sendable, Equatable {
  /// The digits to the base of 2⁶⁴, from the lowest on, without zeros at the top.
  private var digits: [UInt64]

  /// Creates a number.
  init(_ number: UInt64) { digits = number == 0 ? [] : [number] }

  /// Creates a number from digits that may have zeros at the top.
  private init(digits: [UInt64]) {
    self.digits = digits
    while self.digits.last == 0 { self.digits.removeLast() }
  }

  /// Adds two numbers.
  static func + (left: Natural, right: Natural) -> Natural {
    let (long, short) =
      left.digits.count >= right.digits.count
      ? (left.digits, right.digits) : (right.digits, left.digits)
    var sum = long
    var carry = false
    for place in 0..<long.count {
      if place >= short.count, !carry { break }
      let (first, isOver) = long[place].addingReportingOverflow(
        place < short.count ? short[place] : 0)
      let (second, isOverAgain) = first.addingReportingOverflow(carry ? 1 : 0)
      sum[place] = second
      carry = isOver || isOverAgain
    }
    if carry { sum.append(1) }
    return Natural(digits: sum)
  }

  /// The distance between two numbers.
  static func distance(_ left: Natural, _ right: Natural) -> Natural {
    let (large, small) = left < right ? (right, left) : (left, right)
    var difference = large.digits
    var borrow = false
    for place in 0..<large.digits.count {
      if place >= small.digits.count, !borrow { break }
      let (first, isUnder) = large.digits[place].subtractingReportingOverflow(
        place < small.digits.count ? small.digits[place] : 0)
      let (second, isUnderAgain) = first.subtractingReportingOverflow(borrow ? 1 : 0)
      difference[place] = second
      borrow = isUnder || isUnderAgain
    }
    return Natural(digits: difference)
  }

  /// Multiplies two numbers.
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

  /// The number times 2⁶⁴.
  var shifted: Natural { digits.isEmpty ? self : Natural(digits: [0] + digits) }

  /// Whether a number is less than another.
  static func < (left: Natural, right: Natural) -> Bool {
    if left.digits.count != right.digits.count { return left.digits.count < right.digits.count }
    for place in stride(from: left.digits.count - 1, through: 0, by: -1) {
      if left.digits[place] != right.digits[place] {
        return left.digits[place] < right.digits[place]
      }
    }
    return false
  }
}

/// An exact fraction from 0 to 1.
struct Rational: Sendable {
  /// What is done.
  private(set) var numerator: Natural
  /// What there is to do; not 0.
  private(set) var denominator: Natural

  /// Nothing.
  static let zero = Rational(numerator: Natural(0), denominator: Natural(1))
  /// All.
  static let one = Rational(numerator: Natural(1), denominator: Natural(1))

  /// Creates a sum of parts of a whole.
  ///
  /// - Parameters:
  ///   - count: Whole units that are done.
  ///   - parts: Units that are done in part, each with how far it is.
  ///   - total: The units of the whole, not 0. More done units than these are all of them.
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

  /// Creates a fraction of two numbers.
  private init(numerator: Natural, denominator: Natural) {
    self.numerator = numerator
    self.denominator = denominator
  }

  /// Whether a number is within 10⁻¹² of the fraction.
  ///
  /// - Parameters:
  ///   - number: A number from 0 to 1.
  ///   - slack: How many times 10⁻¹² it may be away.
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
  /// The number a few times.
  fileprivate func times(_ factor: UInt64) -> Natural { self * Natural(factor) }
}
