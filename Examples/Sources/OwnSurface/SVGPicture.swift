import Headway

/// A surface of our own: it turns the drawings of a bar into a picture in SVG, and computes no place.
struct SVGPicture {
  /// What the program itself adds to a drawing, by the number of its shapes.
  enum Part: Int {
    /// A small flag over a chapter.
    case chapter = 1
    /// A box with a text.
    case label
    /// A box that stands for a picture of the film.
    case thumbnail
  }

  /// What was drawn.
  private var body = ""
  /// How many shapes were cut off.
  private var clips = 0

  /// Draws the shapes of a bar.
  ///
  /// - Parameters:
  ///   - shapes: The shapes, the lowest first.
  ///   - x: How far right the bar stands.
  ///   - y: How far down the bar stands.
  ///   - text: What the labels say.
  mutating func draw(_ shapes: [BarShape], x: Double, y: Double, text: String) {
    for shape in shapes {
      var attributes = place(shape.rect, x, y) + " rx='\(shape.radius)'"
      if let clip = shape.clip {
        clips += 1
        body += "<clipPath id='c\(clips)'><rect\(place(clip.rect, x, y)) rx='\(clip.radius)'/>"
        body += "</clipPath>\n"
        attributes += " clip-path='url(#c\(clips))'"
      }
      body += "<rect\(attributes) fill='\(color(shape.color))'/>\n"
      // Beyond its rectangle, an own shape is ours alone.
      switch Part(rawValue: shape.part == .own ? shape.number : 0) {
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

  /// The picture as text.
  ///
  /// - Parameters:
  ///   - width: Its width in points.
  ///   - height: Its height in points.
  /// - Returns: The text of a file.
  func text(width: Int, height: Int) -> String {
    "<svg xmlns='http://www.w3.org/2000/svg' width='\(width)' height='\(height)' "
      + "font-family='sans-serif' font-size='12'>\n\(body)</svg>\n"
  }

  /// Where a rectangle is.
  private func place(_ rect: BarRect, _ x: Double, _ y: Double) -> String {
    " x='\(rect.x + x)' y='\(rect.y + y)' width='\(rect.width)' height='\(rect.height)'"
  }

  /// A color as SVG writes it.
  private func color(_ color: BarColor) -> String {
    "rgb(\(color.red) \(color.green) \(color.blue) / \(Double(color.opacity) / 255))"
  }
}
