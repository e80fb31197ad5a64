#if GTK
  import BarCases
  import CGTK
  import HeadwayBar
  import Testing

  @testable import HeadwayGTK

  extension Windows {
    /// The pictures that the terminal and the page also show, as pixels of a window.
    @MainActor
    struct PictureTests {
      /// The tolerance of a color component: both sample the edges of rounded corners.
      private static let tolerance = 24

      /// Opens a window with the bar of a case, in which the drawing has the size of the case.
      private func window(_ picture: BarCase, offset: Double = 0) throws -> TestWindow {
        try #require(Display.isReady)
        let widget = BarWidget(picture.bar(offset: offset), clock: { .seconds(picture.time) })
        if picture.direction == "rightToLeft" {
          unsafe gtk_widget_set_direction(widget.widget, GTK_TEXT_DIR_RTL)
        }
        let margins = picture.bar().layout.margins
        let width = picture.width + margins.left + margins.right
        let height = picture.height + margins.top + margins.bottom
        return try TestWindow(widget, width: Int(width), height: Int(height))
      }

      /// The shapes of a case: positions from the table, colors from the model.
      private func shapes(_ picture: BarCase) throws -> [BarShape] {
        var shapes: [BarShape] = []
        picture.bar().draw(at: picture.time, into: &shapes)
        try #require(shapes.count == picture.shapes.count)
        for (index, line) in picture.shapes.enumerated() {
          let words = line.split(separator: " ")
          try #require(words.count == 5 && words[0] == "\(shapes[index].part)")
          let numbers = try words.dropFirst().map { try #require(Double($0)) }
          shapes[index].rect = BarRect(
            x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        }
        return shapes
      }

      @Test(arguments: BarCase.all())
      func `A window shows the rectangles of the table`(picture: BarCase) throws {
        let window = try window(picture)
        defer { window.close() }
        let (width, height) = (window.bar.size.width, window.bar.size.height)
        let expected = Painter.picture(
          try shapes(picture), width: width, height: height, origin: window.bar.origin)
        let (worst, pixels) = try window.picture()
          .difference(from: expected, tolerance: Self.tolerance)
        #expect(pixels == 0, "\(pixels) pixels differ, by \(worst) at most")
      }

      @Test(arguments: BarCase.all())
      func `A bar that is off by ten points is detected in a window`(picture: BarCase) throws {
        guard !picture.bar().isIndeterminate, picture.width > 0, picture.height > 0 else { return }
        let window = try window(picture, offset: 10)
        defer { window.close() }
        let expected = Painter.picture(
          try shapes(picture), width: window.bar.size.width, height: window.bar.size.height,
          origin: window.bar.origin)
        let (_, pixels) = try window.picture().difference(from: expected, tolerance: Self.tolerance)
        #expect(pixels > 10, "the window shows a right picture of a wrong bar")
      }

      @Test func `The screen shows the drawing`() throws {
        let picture = try #require(BarCase.all().first { $0.name == "a quarter" })
        let window = try window(picture)
        defer { window.close() }
        let style = BarStyle()
        let screen = try window.screenshot()
        let (x, y) = (Int(window.bar.origin.x), Int(window.bar.origin.y) + 12)
        for column in 2..<40 { #expect(screen.pixel(x + column, y, is: style.inProgressColor)) }
        for column in 46..<54 { #expect(screen.pixel(x + column, y - 4, is: style.dotColor)) }
        for column in 60..<198 { #expect(screen.pixel(x + column, y, is: style.defaultColor)) }
      }
    }
  }
#endif
