/// Loops with a bar.
extension Sequence {
  /// Shows a bar for a loop over the elements.
  ///
  /// ```swift
  /// for photo in photos.reporting("resize") { resize(photo) }
  /// ```
  ///
  /// The bar is added when the loop begins. An element is done when the next one is requested, that is when the body has
  /// processed it. The bar leaves a line: it is done after the last element, and stopped if the loop is left before.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - total: The number of elements; nil to take `underestimatedCount`, which is the count of most collections, or an
  ///     unknown total if that is 0. If there are more elements, the total is unknown from then on.
  ///   - bars: The bars; by default those of the whole program.
  /// - Returns: A sequence of the same elements.
  public func reporting(
    _ label: String, total: Int? = nil, in bars: LiveBars = .shared
  ) -> some Sequence<Element> {
    CountedSequence(base: self, place: .new(label, total: total, bars, nil))
  }

  /// Shows a bar for a loop over the elements, nested in another bar.
  ///
  /// ```swift
  /// let all = LiveBars.shared.add("albums", total: albums.count)
  /// for album in albums.reporting(to: all) {
  ///   for song in album.songs.reporting(album.title, in: all) { convert(song) }
  /// }
  /// all.end()
  /// ```
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - total: The number of elements; nil to take `underestimatedCount`.
  ///   - bar: The bar around it.
  /// - Returns: A sequence of the same elements.
  public func reporting(
    _ label: String, total: Int? = nil, in bar: LiveBars.Bar
  ) -> some Sequence<Element> {
    CountedSequence(base: self, place: .new(label, total: total, bar.bars, bar.id))
  }

  /// Counts the elements of a loop on a bar, which does not end with the loop.
  ///
  /// - Parameter bar: The bar; its total does not change.
  /// - Returns: A sequence of the same elements.
  public func reporting(to bar: LiveBars.Bar) -> some Sequence<Element> {
    CountedSequence(base: self, place: .given(bar))
  }
}

/// Asynchronous loops with a bar.
extension AsyncSequence {
  /// Shows a bar for a loop over the elements.
  ///
  /// ```swift
  /// for try await line in lines.reporting("import") { store(line) }
  /// ```
  ///
  /// The bar is added when the loop begins. An element is done when the next one is requested. The bar leaves a line: it
  /// is done after the last element, failed with the error that the sequence throws, and stopped if the loop is left
  /// before or its task is cancelled.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - total: The number of elements, nil if unknown.
  ///   - bars: The bars; by default those of the whole program.
  /// - Returns: A sequence of the same elements that throws the same errors.
  public func reporting(
    _ label: String, total: Int? = nil, in bars: LiveBars = .shared
  ) -> some AsyncSequence<Element, Failure> {
    AsyncCountedSequence(base: self, place: .new(label, total: total, bars, nil))
  }

  /// Shows a bar for a loop over the elements, nested in another bar.
  ///
  /// - Parameters:
  ///   - label: The text before the bar.
  ///   - total: The number of elements, nil if unknown.
  ///   - bar: The bar around it.
  /// - Returns: A sequence of the same elements that throws the same errors.
  public func reporting(
    _ label: String, total: Int? = nil, in bar: LiveBars.Bar
  ) -> some AsyncSequence<Element, Failure> {
    AsyncCountedSequence(base: self, place: .new(label, total: total, bar.bars, bar.id))
  }

  /// Counts the elements of a loop on a bar, which does not end with the loop.
  ///
  /// - Parameter bar: The bar; its total does not change.
  /// - Returns: A sequence of the same elements that throws the same errors.
  public func reporting(to bar: LiveBars.Bar) -> some AsyncSequence<Element, Failure> {
    AsyncCountedSequence(base: self, place: .given(bar))
  }
}
