#if GTK
  internal import CGTK
  internal import HeadwayBar

  extension BarWidget {
    /// What a bar asks of the window.
    struct Demand: Equatable {
      /// The least width, in points.
      private var leastWidth: Int
      /// The least height, in points.
      private var leastHeight: Int
      /// Whether the bar is higher than wide.
      private var isVertical: Bool
      /// What the drawing is across, in points: it is drawn sharp when its place differs by even numbers from that.
      private(set) var thickness: Int

      /// The length below which a bar is not useful, in points.
      private static let leastLength = 40
      /// The length beyond which no window is asked for it, in points: more than any display has, as one of X11 can have.
      private static let mostLength = 16_384.0
      /// The length that is asked for where there is room, in points.
      private static let usualLength = 180

      /// Finds out what a bar asks for: room for its hit area and for its largest dot.
      init(_ bar: ProgressBar) {
        let style = bar.style
        let lengths = [style.barHeight, style.fillHeight, style.dotSize].map(Self.points)
        let dots = [style.hoverDotSize, style.dragDotSize].map(Self.points)
        thickness = lengths.reduce(1, max)
        let outer = dots.reduce(thickness, max)
        var layout = bar.layout
        isVertical = layout.direction == .upwards
        layout.width = Double(isVertical ? thickness : Self.leastLength)
        layout.height = Double(isVertical ? Self.leastLength : thickness)
        let area = layout.hitArea
        leastWidth = max(Self.points(area.width), isVertical ? outer : 0)
        leastHeight = max(Self.points(area.height), isVertical ? 0 : outer)
      }

      /// A length in whole points, within what a window can be.
      private static func points(_ length: Double) -> Int {
        guard length.isFinite else { return 0 }
        return Int(min(max(length, 0), Self.mostLength).rounded(.up))
      }

      /// The least and the natural length in a direction, in points.
      func lengths(horizontal: Bool) -> (least: Int, natural: Int) {
        let least = horizontal ? leastWidth : leastHeight
        let isAlong = horizontal != isVertical
        return (least, isAlong ? least + Self.usualLength - Self.leastLength : least)
      }
    }

    /// Takes the size that the window gives.
    func allocate(width: Int, height: Int) {
      size = (width, height)
      place()
    }

    /// Places the drawing so that its hit area fills the widget.
    func place() {
      let (width, height) = (Double(size.width), Double(size.height))
      var layout = bar.layout
      (layout.width, layout.height) = (width, height)
      // What the margins take away; a hit area that is larger than the widget is cut off on both sides.
      let outer = layout.hitArea
      layout.width = max(2 * width - max(outer.width, width), 0)
      layout.height = max(2 * height - max(outer.height, height), 0)
      // An odd point across would put the edges of a bar between two pixels.
      let across = layout.direction == .upwards ? layout.width : layout.height
      let odd = (across - Double(demand.thickness)).truncatingRemainder(dividingBy: 2)
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

    /// Whether a point of the widget counts for the bar.
    func contains(x: Double, y: Double) -> Bool {
      bar.hits(x: x - origin.x, y: y - origin.y, at: now)
    }

    /// Draws what is seen in this frame.
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

    /// Draws a shape.
    private func draw(_ shape: BarShape, on snapshot: OpaquePointer) {
      switch shape.part {
      case .own:
        guard let draw = unsafe drawShape else { return unsafe fill(shape, on: snapshot) }
        unsafe draw(shape, snapshot)
      case .icon: unsafe drawIcon(shape, on: snapshot)
      case .track, .buffered, .fill, .mark, .dot: unsafe fill(shape, on: snapshot)
      }
    }

    /// Draws a rectangle with round corners, cut off where it is to be.
    private func fill(_ shape: BarShape, on snapshot: OpaquePointer) {
      if let clip = shape.clip { unsafe hw_push_clip(snapshot, hw_rect(clip.rect, clip.radius)) }
      unsafe hw_append(snapshot, hw_rect(shape.rect, shape.radius), hw_color(shape.color))
      if shape.clip != nil { unsafe gtk_snapshot_pop(snapshot) }
    }

    /// Draws the picture in the dot.
    private func drawIcon(_ shape: BarShape, on snapshot: OpaquePointer) {
      guard let icon = icons[shape.number] else { return }
      unsafe gtk_snapshot_save(snapshot)
      unsafe hw_translate(snapshot, Float(shape.rect.x), Float(shape.rect.y))
      unsafe gdk_paintable_snapshot(icon.paintable, snapshot, shape.rect.width, shape.rect.height)
      unsafe gtk_snapshot_restore(snapshot)
    }

    /// Gives a number of the style's `icon` a picture.
    ///
    /// - Parameters:
    ///   - paintable: A `GdkPaintable`, such as a texture or an icon of the theme; nil takes the picture away.
    ///   - number: The number, not 0.
    public func setIcon(_ paintable: OpaquePointer?, for number: Int) {
      icons[number] = unsafe Picture(paintable)
      unsafe gtk_widget_queue_draw(widget)
    }
  }

  /// A picture of GTK, held as long as this object lives.
  @safe
  final class Picture {
    /// The picture.
    let paintable: OpaquePointer

    /// Holds a picture; nil where there is none.
    init?(_ paintable: OpaquePointer?) {
      guard let paintable = unsafe paintable else { return nil }
      unsafe self.paintable = paintable
      unsafe g_object_ref(UnsafeMutableRawPointer(paintable))
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(paintable)) }
  }

  extension hw_rect {
    /// Creates a rectangle with round corners as GTK takes it.
    fileprivate init(_ rect: BarRect, _ radius: Double) {
      self.init(
        x: Float(rect.x), y: Float(rect.y), width: Float(rect.width), height: Float(rect.height),
        radius: Float(radius))
    }
  }

  extension hw_color {
    /// Creates a colour as GTK takes it.
    fileprivate init(_ color: BarColor) {
      self.init(
        red: Float(color.red) / 255, green: Float(color.green) / 255,
        blue: Float(color.blue) / 255, opacity: Float(color.opacity) / 255)
    }
  }
#endif
