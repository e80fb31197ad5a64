import HeadwayCollections

extension SplitMix64 {
  /// Whether something happens that does so once in `n` times on average.
  mutating func once(in n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}
