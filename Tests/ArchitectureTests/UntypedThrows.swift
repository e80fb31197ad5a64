/// Finds public functions that throw any error, which must have a reason for that.
enum UntypedThrows {
  /// The functions that throw more than one type of error, or those of a closure that is stored, each with the reason.
  static let reasons = [
    "HeadwayFoundation.contents": "CancellationError, or CocoaError as Foundation throws it",
    "HeadwayFoundation.copy": "CancellationError, or CocoaError as Foundation throws it",
    "HeadwayLaunch.concurrentForEach": "CancellationError, or any error of the closure",
    "HeadwayLaunch.concurrentMap": "CancellationError, or any error of the closure",
    "HeadwayFoundation.replacingCancellation": "CocoaError, or any error of the closure",
    "HeadwayLaunch.get": "CancellationError, or LaunchFailure",
    "HeadwayLaunch.run": "the errors of the task, or LaunchFailure and CancellationError",
    "HeadwayTestSupport.withVirtualTime": "VirtualTimeError, or any error of the closure",
    "HeadwayTime.run": "the errors of the function, DeadlineExceeded, or TimeoutRunnerError",
    "HeadwayTime.withDeadline": "DeadlineExceeded, or any error of the closure",
  ]

  /// Returns the public functions of sources that throw any error, as the module and the name.
  ///
  /// The requirements of `Encodable` and `Decodable` are left out.
  static func functions(in sources: [Architecture.Source]) -> Set<String> {
    var found: Set<String> = []
    for source in sources {
      for signature in signatures(in: source.swift.withoutComments)
      where throwsAnything(signature) {
        if signature.contains("any Encoder") || signature.contains("any Decoder") { continue }
        found.insert("\(source.module).\(name(of: signature))")
      }
    }
    return found
  }

  /// The signatures of public functions and initializers, and of the requirements of public protocols.
  private static func signatures(in text: String) -> [Substring] {
    var found: [Substring] = []
    /// The number of open braces, and that at which a public protocol began.
    var (depth, protocolDepth) = (0, Int?.none)
    var index = text.startIndex
    while index < text.endIndex {
      let line = text[index...].prefix { !$0.isNewline }
      let words = line.prefix { $0 != "(" && $0 != "{" }.split(separator: " ")
      let isPublic = words.contains("public") || protocolDepth.map { depth == $0 + 1 } ?? false
      if words.contains("protocol"), words.contains("public") { protocolDepth = depth }
      if isPublic, words.contains(where: { $0 == "func" || $0.hasPrefix("init") }) {
        found.append(signature(text[index...]))
      }
      depth += line.count { $0 == "{" } - line.count { $0 == "}" }
      if let start = protocolDepth, depth <= start, !line.contains("protocol") {
        protocolDepth = nil
      }
      index = line.endIndex
      if index < text.endIndex { index = text.index(after: index) }
    }
    return found
  }

  /// The text of a declaration up to its body, or the end of a requirement.
  private static func signature(_ text: Substring) -> Substring {
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      case "{" where depth == 0: return text[..<index]
      case _ where text[index].isNewline && depth == 0:
        let next = text[index...].drop { $0.isWhitespace }
        let goesOn = ["async", "throws", "rethrows", "->", "where", "{"]
        if !goesOn.contains(where: next.hasPrefix) { return text[..<index] }
      default: break
      }
    }
    return text
  }

  /// Whether a signature has `throws` without a type, or `rethrows`, outside of its parameters.
  private static func throwsAnything(_ signature: Substring) -> Bool {
    var depth = 0
    var effects = ""
    for character in signature {
      if character == ")" || character == "]" { depth -= 1 }
      if depth == 0 { effects.append(character) }
      if character == "(" || character == "[" { depth += 1 }
    }
    // The name of a typed error is gone, but its parentheses are not.
    let words = effects.split { $0.isWhitespace }
    return words.contains { $0 == "throws" || $0 == "rethrows" }
  }

  private static func name(of signature: Substring) -> Substring {
    let start = signature.firstRange(of: "func ")?.upperBound ?? signature.startIndex
    if start == signature.startIndex { return "init" }
    return signature[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
  }
}
