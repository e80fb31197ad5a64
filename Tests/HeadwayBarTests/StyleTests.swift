import HeadwayBar
import Testing

/// Styles: promise 16 of `WhatThisBarPromises`.
struct StyleTests {
  /// A bar of 200 points at 30 of 0 to 100.
  private func bar() -> ProgressBar {
    var bar = ProgressBar(range: 0...100)
    bar.layout = BarLayout(width: 200, height: 24)
    bar.setValue(30, at: 0)
    return bar
  }

  /// Every property of a style with a value other than the default.
  static let changes: [(String, @Sendable (inout BarStyle) -> Void)] = [
    ("barHeight", { $0.barHeight = 9 }), ("fillHeight", { $0.fillHeight = 11 }),
    ("cornerRadius", { $0.cornerRadius = 5 }), ("dotSize", { $0.dotSize = 31 }),
    ("hoverDotSize", { $0.hoverDotSize = 33 }), ("dragDotSize", { $0.dragDotSize = 35 }),
    ("gap", { $0.gap = 7 }), ("markWidth", { $0.markWidth = 3 }),
    ("defaultColor", { $0.defaultColor = BarColor(0x123456) }),
    ("inProgressColor", { $0.inProgressColor = BarColor(0x654321) }),
    ("dragColor", { $0.dragColor = BarColor(0xFF0000, opacity: 128) }),
    ("dotColor", { $0.dotColor = BarColor(0x00FF00) }),
    ("bufferedColor", { $0.bufferedColor = BarColor(0x0000FF) }),
    ("markColor", { $0.markColor = BarColor(0x00FFFF) }),
    ("bufferedRanges", { $0.bufferedRanges = [40...90] }), ("marks", { $0.marks = [10, 70] }),
    ("icon", { $0.icon = 3 }), ("iconScale", { $0.iconScale = 0.2 }),
    ("isDraggable", { $0.isDraggable = false }),
  ]

  @Test(arguments: changes.indices)
  func `Each property can be set alone and animated, and the value stays`(index: Int) {
    let (name, change) = Self.changes[index]
    var bar = bar()
    var before = bar.style
    bar.changeStyle(over: 1, at: 1, change)
    change(&before)
    #expect(bar.style == before, "\(name) alone has changed")
    for time in [1, 1.25, 1.5, 1.99, 2, 9] {
      #expect(bar.dotCenter(at: time) == 60)
      var drawing: [BarShape] = []
      bar.draw(at: time, into: &drawing)
      let fill = drawing.first { $0.part == .fill }
      let end = fill.map { $0.rect.x + $0.rect.width + bar.shownStyle(at: time).gap }
      #expect(end.map { abs($0 - 60) < 1e-9 } == true, "\(name) at \(time)")
      if let dot = drawing.first(where: { $0.part == .dot })?.rect {
        #expect(abs(dot.x + dot.width / 2 - 60) < 1e-9 && abs(dot.y + dot.height / 2 - 12) < 1e-9)
      }
    }
    #expect(bar.shownStyle(at: 2) == before && bar.activity(at: 2) == .still)
  }

  @Test func `Half of the duration is half of the change`() {
    var bar = bar()
    bar.changeStyle(over: 2, at: 1) {
      $0.barHeight = 12
      $0.defaultColor = BarColor(0x000000)
    }
    let half = bar.shownStyle(at: 2)
    #expect(half.barHeight == 8)
    #expect(half.defaultColor == BarStyle().defaultColor.interpolated(to: BarColor(0), 0.5))
    #expect(bar.activity(at: 2) == .changing)
    // Another change begins from what is seen.
    bar.changeStyle(over: 1, at: 2) { $0.barHeight = 0 }
    #expect(bar.shownStyle(at: 2).barHeight == 8 && bar.shownStyle(at: 2.5).barHeight == 4)
  }

  @Test func `Ranges and marks move gradually if their number stays`() {
    var bar = bar()
    bar.changeStyle(at: 0) { ($0.bufferedRanges, $0.marks) = ([0...20], [50]) }
    bar.changeStyle(over: 1, at: 1) { ($0.bufferedRanges, $0.marks) = ([0...40], [60]) }
    #expect(bar.shownStyle(at: 1.5).bufferedRanges == [0...30])
    #expect(bar.shownStyle(at: 1.5).marks == [55])
    bar.changeStyle(over: 1, at: 3) { $0.marks = [60, 80] }
    #expect(bar.shownStyle(at: 3).marks == [60, 80])
  }

  @Test func `The indeterminate block moves back and forth, four times slower with reduced motion`()
  {
    var (lively, calm) = (bar(), bar())
    (lively.isIndeterminate, calm.isIndeterminate, calm.reducesMotion) = (true, true, true)
    func place(_ bar: ProgressBar, _ time: Double) -> Double? {
      var drawing: [BarShape] = []
      bar.draw(at: time, into: &drawing)
      return drawing.first { $0.part == .fill }?.rect.x
    }
    #expect(place(lively, 0) == 0 && place(lively, 1.5) == 140 && place(lively, 2.25) == 70)
    #expect(place(lively, 3) == 0)
    for time in [0.3, 1.1, 2.5] { #expect(place(calm, time * 4) == place(lively, time)) }
    #expect(place(calm, 1) != place(calm, 1.1), "it never freezes")
  }

  @Test(arguments: [0, 0.7, 1.5, 2.9, 41.2], [true, false])
  func `A compositor can draw the sweep of the indeterminate block`(
    now: Double, reducesMotion: Bool
  ) {
    var bar = bar()
    (bar.isIndeterminate, bar.reducesMotion) = (true, reducesMotion)
    bar.pause(at: 0)
    bar.resume(at: 0.2)
    let now = now + 1
    guard case .sweeping(let phase) = bar.activity(at: now) else {
      Issue.record("the block stands still")
      return
    }
    func place(_ time: Double) -> Double {
      var drawing: [BarShape] = []
      bar.draw(at: time, into: &drawing)
      return drawing.first { $0.part == .fill }?.rect.x ?? .nan
    }
    let (low, high) = (place(phase.startTime), place(phase.endTime))
    #expect(abs(abs(high - low) - 140) < 1e-9, "from one end to the other")
    #expect(phase.startTime <= now && now < phase.endTime)
    let fraction = (now - phase.startTime) / (phase.endTime - phase.startTime)
    let linear = low + (high - low) * fraction
    #expect(abs(place(now) - linear) < 1e-9)
    let back = 2 * phase.endTime - now
    #expect(abs(place(back) - linear) < 1e-9, "it goes back in the same time")
  }

  @Test func `The dot and the fill take the color of a drag gradually`() {
    var bar = bar()
    let style = bar.style
    func colors(at time: Double) -> [BarColor] {
      var drawing: [BarShape] = []
      bar.draw(at: time, into: &drawing)
      return drawing.filter { $0.part == .fill || $0.part == .dot }.map(\.color)
    }
    #expect(colors(at: 0) == [style.inProgressColor, style.dotColor])
    _ = bar.pointerDown(x: 60, y: 12, at: 1)
    #expect(colors(at: 2) == [style.dragColor, style.dragColor])
  }

  @Test func `Invalid lengths draw nothing of that part`() {
    for odd in [0, -4, .nan, .infinity] as [Double] {
      var bar = bar()
      bar.changeStyle(at: 0) { style in
        (style.barHeight, style.fillHeight, style.dotSize) = (odd, odd, odd)
        (style.cornerRadius, style.gap, style.markWidth) = (odd, odd, odd)
        (style.marks, style.bufferedRanges) = ([.nan, 5, 1e9], [-5...1e9])
      }
      var drawing: [BarShape] = []
      bar.draw(at: 1, into: &drawing)
      for shape in drawing {
        for number in [shape.rect.x, shape.rect.y, shape.rect.width, shape.rect.height] {
          #expect(number.isFinite)
        }
        #expect(shape.rect.height == 0)
        #expect(shape.part != .dot && shape.part != .mark)
      }
    }
  }

  @Test func `Buffered ranges are clipped at the ends`() {
    var bar = bar()
    bar.changeStyle(at: 0) { $0.bufferedRanges = [-50...10, 90...500, 20...20] }
    var drawing: [BarShape] = []
    bar.draw(at: 1, into: &drawing)
    let buffered = drawing.filter { $0.part == .buffered }.map(\.rect)
    #expect(buffered.map(\.x) == [0, 180] && buffered.map(\.width) == [20, 20])
  }

  @Test func `In the default style fill, track and dot have enough contrast`() {
    let style = BarStyle()
    #expect(style.inProgressColor.contrast(with: style.defaultColor) >= 3)
    #expect(style.dragColor.contrast(with: style.defaultColor) >= 3)
    #expect(style.inProgressColor.contrast(with: style.bufferedColor) >= 2)
    #expect(style.markColor.contrast(with: style.defaultColor) >= 3)
  }

  @Test(
    arguments: [
      (0x000000, 0xFFFFFF, 21.0), (0xFFFFFF, 0xFFFFFF, 1), (0x767676, 0xFFFFFF, 4.54),
      (0x15539E, 0x595959, 1.09),
      (0x0000FF, 0x000000, 2.44),
    ] as [(UInt32, UInt32, Double)])
  func `The contrast of two colors is that of WCAG`(one: UInt32, other: UInt32, contrast: Double) {
    for (one, other) in [(one, other), (other, one)] {
      #expect(abs(BarColor(one).contrast(with: BarColor(other)) - contrast) < 0.006)
    }
  }

  @Test(
    arguments: [
      // Window, text and accent: Adwaita, libadwaita and others, in light and in dark.
      (0x353535, 0xEEEEEC, 0x15539E), (0xF6F5F4, 0x2E3436, 0x3584E4),
      (0x242424, 0xFFFFFF, 0x3584E4),
      (0xFAFAFA, 0x323232, 0x3584E4), (0x000000, 0xFFFFFF, 0x000080),
      (0xFFFFFF, 0x000000, 0xFFFF00),
    ] as [(UInt32, UInt32, UInt32)])
  func `A color of a theme is made to stand out from track and window`(
    window: UInt32, text: UInt32, accent: UInt32
  ) {
    let (window, text, accent) = (BarColor(window), BarColor(text), BarColor(accent))
    var faded = text
    faded.opacity = 51
    let track = faded.drawn(on: window)
    let fill = accent.standingOut(from: [track, window], towards: text)
    #expect(fill.contrast(with: track) >= 3 && fill.contrast(with: window) >= 3)
    #expect(accent.contrast(with: track) < 3 || fill == accent, "what stands out stays")
  }

  @Test func `Colors are interpolated and created from numbers`() {
    #expect(BarColor(0x102030) == BarColor(red: 16, green: 32, blue: 48))
    let (black, white) = (BarColor(0, opacity: 0), BarColor(0xFFFFFF))
    #expect(black.interpolated(to: white, 0) == black && black.interpolated(to: white, 1) == white)
    #expect(black.interpolated(to: white, 0.5) == BarColor(0x808080, opacity: 128))
    #expect(
      black.interpolated(to: white, .nan) == black && black.interpolated(to: white, 9) == white)
    #expect(BarColor.clear.opacity == 0)
  }
}
