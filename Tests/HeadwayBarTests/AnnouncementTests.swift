import HeadwayBar
import HeadwayText
import Testing

/// Announcements: promises 11 and 12 of `WhatThisBarPromises`.
struct AnnouncementTests {
  /// A video of four minutes.
  private func video() -> ProgressBar {
    var bar = ProgressBar(range: 0...240, unitsPerSecond: 1)
    bar.layout = BarLayout(width: 240, height: 24)
    return bar
  }

  @Test func `A gliding value is announced at most once a second`() {
    var bar = video()
    var told: [Double] = []
    for frame in 0..<600 {
      let time = Double(frame) / 60
      if frame % 15 == 0 { bar.report(10 + time, at: time) }
      if let announcement = bar.announcement(at: time) {
        told.append(announcement.value ?? -1)
      }
    }
    #expect(told.count == 10)
    for (one, next) in zip(told, told.dropFirst()) { #expect(abs(next - one - 1) < 0.05) }
  }

  @Test func `A changed value is announced at once, and an unchanged one not again`() {
    var bar = video()
    bar.setValue(10, at: 0)
    let told = bar.announcement(at: 0)
    #expect(told?.value == 10)
    let told2 = bar.announcement(at: 5)
    #expect(told2 == nil)
    _ = bar.press(.right, at: 5.1)
    let told3 = bar.announcement(at: 5.1)
    #expect(told3?.value == 12.4)
    _ = bar.press(.right, at: 5.2)
    let told4 = bar.announcement(at: 5.2)
    #expect(told4?.value == 14.8)
    _ = bar.pointerDown(x: 100, y: 12, at: 5.3)
    let told5 = bar.announcement(at: 5.3)
    #expect(told5?.value == 100)
    bar.pointerMoved(x: 101, y: 12, at: 5.31)
    let told6 = bar.announcement(at: 5.31)
    #expect(told6?.value == 101)
  }

  @Test func `A surface that checks only at the next announcement misses nothing`() {
    var bar = video()
    bar.report(10, at: 0)
    #expect(bar.nextAnnouncement(after: 0) == 0)
    var told: [Double] = []
    var now = 0.0
    while let next = bar.nextAnnouncement(after: now), told.count < 9 {
      now = next
      if let announcement = bar.announcement(at: now) { told.append(announcement.value ?? -1) }
    }
    #expect(now == 1 && told == [10, 10.875], "it has stalled, and that is all")
    bar.isIndeterminate = true
    #expect(bar.nextAnnouncement(after: 1.5) == 1.5, "at once")
    _ = bar.announcement(at: 1.5)
    #expect(bar.nextAnnouncement(after: 2) == nil, "nobody knows it, and that is told")
    bar.isDisabled = true
    #expect(bar.nextAnnouncement(after: 2) == 2)
    _ = bar.announcement(at: 2)
    bar.setValue(20, at: 2)
    _ = bar.announcement(at: 2)
    bar.changeStyle(over: 60, at: 2) { $0.barHeight = 9 }
    #expect(bar.nextAnnouncement(after: 2) == nil, "a style is not told")
  }

  @Test func `The role is slider if the value can be changed`() {
    var bar = video()
    let told = bar.announcement(at: 0)
    #expect(told?.role == .slider)
    bar.isReadOnly = true
    let told2 = bar.announcement(at: 0.1)
    #expect(told2?.role == .progressBar, "at once")
    bar.isReadOnly = false
    bar.changeStyle(at: 0.2) { $0.isDraggable = false }
    let told3 = bar.announcement(at: 0.2)
    #expect(told3 == nil, "no slider yet")
    bar.isDisabled = true
    let disabled = bar.announcement(at: 0.3)
    #expect(disabled?.isDisabled == true && disabled?.minimum == 0 && disabled?.maximum == 240)
  }

  @Test func `An indeterminate bar has no value`() {
    var bar = video()
    bar.isIndeterminate = true
    let announcement = bar.announcement(at: 0)
    #expect(announcement != nil && announcement?.value == nil)
    bar.report(5, at: 0.1)
    let told = bar.announcement(at: 0.1)
    #expect(told?.value == 5)
  }

  private func text(_ append: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    append(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (65.0, "1 minute 5 seconds", "1:05"), (0, "0 seconds", "0:00"), (1, "1 second", "0:01"),
    (240, "4 minutes", "4:00"), (3_600, "1 hour", "1:00:00"),
    (7_261.9, "2 hours 1 minute 1 second", "2:01:01"), (3_605, "1 hour 5 seconds", "1:00:05"),
    (-3, "minus 3 seconds", "-0:03"), (-0.4, "0 seconds", "0:00"),
    (-75, "minus 1 minute 15 seconds", "-1:15"),
    (.nan, "0 seconds", "0:00"), (.infinity, "0 seconds", "0:00"),
    (36_000, "10 hours", "10:00:00"), (1e300, "100000 hours", "100000:00:00"),
  ])
  func `A time is formatted in words and as a clock`(seconds: Double, words: String, clock: String)
  {
    #expect(text { BarWords().append(time: seconds, to: &$0) } == words)
    #expect(text { BarWords().append(clock: seconds, to: &$0) } == clock)
  }

  @Test(arguments: [
    (65.0, 0.0...240.0, "1 minute 5 seconds of 4 minutes"),
    (0.15, 0...0.3, "0.15 seconds of 0.3 seconds"),
    (0, 0...0.3, "0 seconds of 0.3 seconds"), (0.29, 0...0.3, "0.29 seconds of 0.3 seconds"),
    (0.0123, 0...0.05, "0.012 seconds of 0.05 seconds"), (1, 0...4.5, "1 second of 4.5 seconds"),
    (1.05, 0...4.5, "1 second of 4.5 seconds"), (3.99, 0...9.96, "3.9 seconds of 9.9 seconds"),
    (3.99, 0...10, "3 seconds of 10 seconds"), (-12, -30...0, "minus 12 seconds"),
    (0, -30...0, "0 seconds"),
    (-0.5, -0.8...0, "minus 0.5 seconds"),
    (-90, -120...30, "minus 1 minute 30 seconds of 30 seconds"),
    (3_601.5, 3_600...3_602, "1 hour 1.5 seconds of 1 hour 2 seconds"), (0, 0...0, "0 seconds"),
    (.nan, 0...1, "0 seconds of 1 second"), (1e18, 0...1e18, "100000 hours of 100000 hours"),
  ])
  func `A time in a range is formatted so that its positions can be told apart`(
    seconds: Double, range: ClosedRange<Double>, words: String
  ) {
    let length = range.upperBound - range.lowerBound
    #expect(
      text { BarWords().append(time: seconds, of: range.upperBound, length: length, to: &$0) }
        == words)
  }

  @Test func `A percentage is formatted`() {
    #expect(text { BarWords().append(percent: 0.999, to: &$0) } == "99 percent")
    #expect(text { BarWords().append(percent: 1, to: &$0) } == "100 percent")
    #expect(text { BarWords().append(percent: .nan, to: &$0) } == "0 percent")
    // The same number as in digits, also where binary fractions are not exact.
    for thousandth in -5...1_005 {
      let fraction = Double(thousandth) / 1_000
      let words = text { BarWords().append(percent: fraction, to: &$0) }
      #expect(words == "\(PercentText.wholeNumber(fraction)) percent")
    }
  }
}
