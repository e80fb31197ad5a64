/// The characters that a bar of text is made of.
public struct BarGlyphs : Sendable {

    /// Parts of a cell, from the smallest to the full one; at least the full one.
    public let parts: [StaticString]

    /// An empty cell.
    public let empty: StaticString

    /// Creates a set of characters.
    ///
    /// - Parameters:
    ///   - parts: Parts of a cell, each one column wide, from the smallest to the full one; must not be empty.
    ///   - empty: An empty cell, one column wide.
    public init(parts: [StaticString], empty: StaticString)

    /// Cells in eighths.
    public static let eighths: HeadwayBar.BarGlyphs

    /// A heavy line on a light one, in halves of a cell: the rest of the way is seen without colour, too.
    public static let line: HeadwayBar.BarGlyphs

    /// Plain characters that every terminal has.
    public static let ascii: HeadwayBar.BarGlyphs
}

/// A bar as text, for surfaces that show cells.
///
/// Pure layout in UTF-8 bytes: no clock, no colour, no terminal.
public struct BarPicture : Sendable {

    /// The characters that it is made of.
    public let glyphs: HeadwayBar.BarGlyphs

    /// Creates a picture that is made of the given characters.
    public init(glyphs: HeadwayBar.BarGlyphs)

    /// Appends a bar to a line of text.
    ///
    /// - Parameters:
    ///   - fraction: The filled part; below 0, NaN and infinite values are drawn as 0, above 1 as 1. Less than 1
    ///     is never drawn full, and more than 0 never empty where parts of a cell can show it.
    ///   - columns: The width in columns; 0 or less draws nothing.
    ///   - line: The UTF-8 text that the bar is appended to.
    /// - Complexity: O(columns).
    public func draw(fraction: Double, columns: Int, into line: inout [UInt8])
}

