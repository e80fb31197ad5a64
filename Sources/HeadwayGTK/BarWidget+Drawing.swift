#if GTK
  internal import CGTK
  internal import HeadwayBar

  extension BarWidget {
    /// The size that a bar requests, with room for its hit area and its largest dot.
    struct SizeRequest: Equatable {
      /// The minimum width, in points.
      private var minimumWidth: Int
      /// The minimum height, in points.
      private var minimumHeight: Int
      private var isVertical: Bool
      /// The thickness of the drawing in points; its edges are sharp if the size across differs by an even number.
      private(set) var thickness: Int

      /// The minimum length of a useful bar, in points.
      private static let minimumLength = 40
      /// The maximum length that is requested, in points: larger than any X11 display.
      private static let maximumLength = 16_384.0
      /// The natural length, in points.
      private static let naturalLength = 180

      init(_ bar: ProgressBar) {
        let style = bar.style
        let lengths = [style.barHeight, style.fillHeight, style.dotSize].map(Self.points)
        let dots = [style.hoverDotSize, style.dragDotSize].map(Self.points)
        thickness = lengths.reduce(1, max)
        let outer = dots.reduce(thickness, max)
        var layout = bar.layout
        isVertical = layout.direction == .upwards
        layout.width = Double(isVertical ? thickness : Self.minimumLength)
        layout.height = Double(isVertical ? Self.minimumLength : thickness)
        let area = layout.hitArea
        minimumWidth = max(Self.points(area.width), isVertical ? outer : 0)
        minimumHeight = max(Self.points(area.height), isVertical ? 0 : outer)
      }

      /// A length in whole points, within the limits of a window.
      private static func points(_ length: Double) -> Int {
        guard length.isFinite else { return 0 }
        return Int(min(max(length, 0), Self.maximumLength).rounded(.up))
      }

      /// The minimum and the natural size in a direction, in points.
      func lengths(horizontal: Bool) -> (minimum: Int, natural: Int) {
        let minimum = horizontal ? minimumWidth : minimumHeight
        let isAlong = horizontal != isVertical
        return (minimum, isAlong ? minimum + Self.naturalLength - Self.minimumLength : minimum)
      }
    }

    func allocate(width: Int, height: Int) {
      size = (width, height)
      place()
    }

    /// Positions the drawing so that its hit area fills the widget.
    func place() {
      let (width, height) = (Double(size.width), Double(size.height))
      var layout = bar.layout
      (layout.width, layout.height) = (width, height)
      // Subtract the margins; a hit area that is larger than the widget is cut off on both sides.
      let outer = layout.hitArea
      layout.width = max(2 * width - max(outer.width, width), 0)
      layout.height = max(2 * height - max(outer.height, height), 0)
      // An odd difference would put the edges of the bar between two pixels.
      let across = layout.direction == .upwards ? layout.width : layout.height
      let odd = (across - Double(sizeRequest.thickness)).truncatingRemainder(dividingBy: 2)
      if odd == 1 {
        if layout.direction == .upwards { layout.width -= 1 } else { layout.height -= 1 }
      }
      let area = layout.hitArea
      origin = (
        ((width - area.width) / 2 - area.x).rounded(.down),
        ((height - area.height) / 2 - area.y).rounded(.down)
      )
      if layout != bar.layout { bar.layout = layout }
    }

    /// Whether a press at a point of the widget counts for the bar.
    func contains(x: Double, y: Double) -> Bool {
      bar.hits(x: x - origin.x, y: y - origin.y, at: now)
    }

    /// Draws a frame.
    func draw(on snapshot: OpaquePointer) {
      let now = now
      drawnTime = now
      frames += 1
      drawing.removeAll(keepingCapacity: true)
      bar.draw(at: now, into: &drawing)
      addShapes?(&drawing, bar, now)
      unsafe gtk_snapshot_save(snapshot)
      unsafe hw_translate(snapshot, Float(origin.x), Float(origin.y))
      for shape in drawing { unsafe draw(shape, on: snapshot) }
      unsafe gtk_snapshot_restore(snapshot)
    }

    private func draw(_ shape: BarShape, on snapshot: OpaquePointer) {
      switch shape.part {
      case .custom:
        guard let draw = unsafe drawShape else { return unsafe fill(shape, on: snapshot) }
        unsafe draw(shape, snapshot)
      case .icon: unsafe drawIcon(shape, on: snapshot)
      case .track, .buffered, .fill, .mark, .dot: unsafe fill(shape, on: snapshot)
      }
    }

    /// Draws a rectangle with rounded corners in its clip.
    private func fill(_ shape: BarShape, on snapshot: OpaquePointer) {
      if let clip = shape.clip { unsafe hw_push_clip(snapshot, hw_rect(clip.rect, clip.radius)) }
      unsafe hw_append(snapshot, hw_rect(shape.rect, shape.radius), hw_color(shape.color))
      if shape.clip != nil { unsafe gtk_snapshot_pop(snapshot) }
    }

    private func drawIcon(_ shape: BarShape, on snapshot: OpaquePointer) {
      guard let icon = icons[shape.number] else { return }
      unsafe gtk_snapshot_save(snapshot)
      unsafe hw_translate(snapshot, Float(shape.rect.x), Float(shape.rect.y))
      unsafe gdk_paintable_snapshot(icon.paintable, snapshot, shape.rect.width, shape.rect.height)
      unsafe gtk_snapshot_restore(snapshot)
    }

    /// Sets the icon for a number of the style's `icon`.
    ///
    /// - Parameters:
    ///   - paintable: A `GdkPaintable`, such as a texture or an icon of the theme; nil removes the icon.
    ///   - number: The number, not 0.
    public func setIcon(_ paintable: OpaquePointer?, for number: Int) {
      icons[number] = unsafe Picture(paintable)
      unsafe gtk_widget_queue_draw(widget)
    }
  }

  /// A strong reference to a `GdkPaintable`.
  @safe
  final class Picture {
    let paintable: OpaquePointer

    init?(_ paintable: OpaquePointer?) {
      guard let paintable = unsafe paintable else { return nil }
      unsafe self.paintable = paintable
      unsafe g_object_ref(UnsafeMutableRawPointer(paintable))
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(paintable)) }
  }

  extension hw_rect {
    fileprivate init(_ rect: BarRect, _ radius: Double) {
      self.init(
        x: Float(rect.x), y: Float(rect.y), width: Float(rect.width), height: Float(rect.height),
        radius: Float(radius))
    }
  }

  extension hw_color {
    fileprivate init(_ color: BarColor) {
      self.init(
        red: Float(color.red) / 255, green: Float(color.green) / 255,
        blue: Float(color.blue) / 255, opacity: Float(color.opacity) / 255)
    }
  }
#endif
