package import HeadwayPlan
internal import HeadwayRelay

/// The secrets of a run: what hides their values, and what stands for them in records.
///
/// Digests of a plan with secrets are made under a key that nobody else can read. Without it, others could try values until a
/// digest is the same: of a command or a variable, or of a file that has a secret.
struct Secrets: Sendable {
  /// Hides the values.
  let mask: SecretMask
  /// The key of all digests of the plan.
  let key: [UInt8]
  /// The names of the secrets that are set.
  let names: [String]
  /// The keyed digest of each value, by name.
  let digests: [String: String]

  /// Hides the values in texts of programs, which may have been cut.
  var maskText: TextMask {
    let mask = mask
    return { text, isCut in mask.masked(text, isCut: isCut) }
  }

  /// The fewest bytes of a secret: a shorter one would be found in ordinary words.
  static let leastBytes = 4

  /// Takes the secrets of a plan from the environment.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - environment: The environment of its tasks.
  ///   - state: The state folder, which has the key of the digests.
  ///   - isDry: Whether nothing runs, so that a secret may be missing and no key is made.
  /// - Returns: The secrets, nil if the plan has none.
  /// - Throws: `RunnerError.secrets` with every secret that is missing or too short.
  static func read(
    of plan: Plan, in environment: EnvironmentBlock, _ state: StateFolder, isDry: Bool
  ) throws(RunnerError) -> Secrets? {
    guard !plan.secrets.isEmpty else { return nil }
    let (values, missing, short) = Self.values(of: plan, in: environment)
    guard isDry || (missing.isEmpty && short.isEmpty) else {
      throw .secrets(missing: missing, short: short)
    }
    var digests: [String: String] = [:]
    let key = state.secretKey(creates: !isDry)
    for (name, value) in values { digests[name] = KeyedDigest.text(of: value, key: key) }
    return Secrets(
      mask: SecretMask(values.map(\.value)), key: key, names: values.map(\.name),
      digests: digests)
  }

  /// The values of the secrets of a plan, and the names of those that are missing or too short.
  fileprivate static func values(
    of plan: Plan, in environment: EnvironmentBlock
  ) -> (values: [(name: String, value: [UInt8])], missing: [String], short: [String]) {
    var missing: [String] = []
    var short: [String] = []
    var values: [(name: String, value: [UInt8])] = []
    for name in plan.secrets {
      guard let value = environment.bytes(of: name) else {
        missing.append(name)
        continue
      }
      let isLong = SecretMask.isLongEnough(value)
      if isLong { values.append((name, value)) } else { short.append(name) }
    }
    return (values, missing, short)
  }
}

extension Plan {
  /// The plan without the values that its secrets have for this process, as it may be shown before a run.
  package var withoutSecrets: Plan {
    guard !secrets.isEmpty else { return self }
    let environment = EnvironmentBlock()
    environment.add(self)
    return masked(by: SecretMask(Secrets.values(of: self, in: environment).values.map(\.value)))
  }
}

/// A digest that says nothing about a value to those who do not know the key: SipHash-2-4 with two keys.
enum KeyedDigest {
  /// The bytes of a key.
  static let keyBytes = 32

  /// The digest of a value, in 32 hexadecimal digits.
  static func text(of value: [UInt8], key: [UInt8]) -> String {
    let words = (0..<4).map { word(key, at: $0 * 8) }
    return [hash(value, words[0], words[1]), hash(value, words[2], words[3])].map { half in
      let digits = String(half, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// The 8 bytes at an index as a number, the first byte the lowest; bytes beyond the end are 0.
  private static func word(_ bytes: [UInt8], at index: Int) -> UInt64 {
    var word: UInt64 = 0
    for offset in 0..<min(8, max(bytes.count - index, 0)) {
      word |= UInt64(bytes[index + offset]) << (8 * UInt64(offset))
    }
    return word
  }

  /// SipHash-2-4 of a value.
  static func hash(_ value: [UInt8], _ key0: UInt64, _ key1: UInt64) -> UInt64 {
    var (v0, v1) = (key0 ^ 0x736f_6d65_7073_6575, key1 ^ 0x646f_7261_6e64_6f6d)
    var (v2, v3) = (key0 ^ 0x6c79_6765_6e65_7261, key1 ^ 0x7465_6462_7974_6573)
    func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 {
      value << count | value >> (64 - count)
    }
    func mix(_ rounds: Int) {
      for _ in 0..<rounds {
        v0 &+= v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 &+= v3
        v3 = rotated(v3, 16) ^ v2
        v0 &+= v3
        v3 = rotated(v3, 21) ^ v0
        v2 &+= v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
      }
    }
    for index in stride(from: 0, through: value.count, by: 8) {
      var next = word(value, at: index)
      if index + 8 > value.count { next |= UInt64(value.count & 0xff) << 56 }
      v3 ^= next
      mix(2)
      v0 ^= next
    }
    v2 ^= 0xff
    mix(4)
    return v0 ^ v1 ^ v2 ^ v3
  }
}
