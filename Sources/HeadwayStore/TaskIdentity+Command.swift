extension TaskIdentity {
  /// Makes the number of a command: texts that differ get, as good as always, different numbers.
  ///
  /// - Parameter words: The program and its arguments, or the text for a shell; nothing for a task that runs nothing.
  /// - Returns: The number; 0 for no words, so that tasks which run nothing are not taken for one another.
  package static func fingerprint(of words: [String]) -> UInt64 {
    if words.isEmpty { return 0 }
    // No text holds the byte that ends each word.
    let number = HeadwayStore.fingerprint(of: words.lazy.flatMap { Array($0.utf8) + [0xff] })
    return max(number, 1)
  }
}
