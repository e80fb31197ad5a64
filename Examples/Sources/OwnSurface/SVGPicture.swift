import Headway

/// A surface that turns the drawings of a bar into an SVG picture, and computes no positions.
struct SVGPicture {
  /// The numbers of the custom shapes.
  enum Part: Int {
    /// A line at a chapter.
    case chapter = 1
    /// A box with text.
    case label
    /// A box in place of a frame of the video.
    case thumbnail
  }

  private var body = ""
  private var clips = 0

  /// Draws the shapes of a bar.
  ///
  /// - Parameters:
  ///   - shapes: The shapes, the lowest first.
  ///   - x: The left edge of the bar.
  ///   - y: The upper edge of the bar.
  ///   - text: The text of the labels.
  mutating func draw(_ shapes: [BarShape], x: Double, y: Double, text: String) {
    for shape in shapes {
      var attributes = self.attributes(shape.rect, x, y) + " rx='\(shape.radius)'"
      if let clip = shape.clip {
        clips += 1
        body +=
          "<clipPath id='c\(clips)'><rect\(self.attributes(clip.rect, x, y)) rx='\(clip.radius)'/>"
        body += "</clipPath>\n"
        attributes += " clip-path='url(#c\(clips))'"
      }
      body += "<rect\(attributes) fill='\(color(shape.color))'/>\n"
      // The text and the picture in a custom shape.
      switch Part(rawValue: shape.part == .custom ? shape.number : 0) {
      case .label:
        let (middle, line) = (shape.rect.x + x + shape.rect.width / 2, shape.rect.y + y + 14)
        body += "<text x='\(middle)' y='\(line)' text-anchor='middle' fill='white'>\(text)</text>\n"
      case .thumbnail:
        let (left, top) = (shape.rect.x + x, shape.rect.y + y)
        body += "<path d='M\(left + 6) \(top + 40)l20 -26l14 16l8 -8l14 18z' fill='#93c5fd'/>\n"
      case .chapter, nil: break
      }
    }
  }

  /// Returns the picture as an SVG file.
  ///
  /// - Parameters:
  ///   - width: The width in points.
  ///   - height: The height in points.
  /// - Returns: The text of the file.
  func text(width: Int, height: Int) -> String {
    "<svg xmlns='http://www.w3.org/2000/svg' width='\(width)' height='\(height)' "
      + "font-family='sans-serif' font-size='12'>\n\(body)</svg>\n"
  }

  /// The attributes of a rectangle.
  private func attributes(_ rect: BarRect, _ x: Double, _ y: Double) -> String {
    " x='\(rect.x + x)' y='\(rect.y + y)' width='\(rect.width)' height='\(rect.height)'"
  }

  /// A color in SVG.
  private func color(_ color: BarColor) -> String {
    "rgb(\(color.red) \(color.green) \(color.blue) / \(Double(color.opacity) / 255))"
  }
}
