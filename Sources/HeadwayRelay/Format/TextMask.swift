internal import HeadwayProgress
internal import HeadwayRun

/// Hides what must not be shown in a text of another program.
///
/// Programs cut their texts to the limits of the protocol, so what is hidden may be there in part: `isCut` says that this text
/// is so long that it may have been longer.
package typealias TextMask = @Sendable (_ text: String, _ isCut: Bool) -> String

extension Told {
  /// The same with masked texts.
  func masked(by mask: TextMask) -> Told {
    var told = self
    told.label = label.map { $0.masked(by: mask, limit: RelayLimits.nameBytes) }
    told.detail = detail.map { $0.masked(by: mask, limit: RelayLimits.detailBytes) }
    return told
  }
}

extension TreeChange {
  /// The change with masked texts.
  ///
  /// - Complexity: O(nodes + texts).
  func masked(by mask: TextMask) -> TreeChange {
    withTexts(
      label: { $0.masked(by: mask, limit: RelayLimits.nameBytes) },
      detail: { $0.masked(by: mask, limit: RelayLimits.detailBytes) },
      // A longer path is left out, not cut.
      path: { mask($0, false) })
  }

  /// The change with masked labels, which a program written in Zig has cut to a size.
  func masked(by mask: TextMask, nameSize: Int) -> TreeChange {
    // Cut at the end of a scalar.
    withTexts(label: { mask($0, $0.utf8.count > nameSize - 4) }, detail: { $0 }, path: { $0 })
  }
}

extension String {
  /// A scalar that takes as many bytes of a line as any.
  private static let longest = "\u{E0001}"

  /// The text masked; it may have been cut if no further scalar is sure to fit into a limit.
  fileprivate func masked(by mask: TextMask, limit: Int) -> String {
    let longer = self + Self.longest
    return mask(self, JSONLine.prefix(of: longer, bytes: limit) != longer)
  }
}
