import Testing

@testable import HeadwayCLI

/// The video of the demo.
struct DemoVideoTests {
  /// A video that has played for two seconds and then was paused, at 12 seconds.
  private func pausedVideo() -> DemoVideo {
    var video = DemoVideo()
    _ = video.reports(to: 10)
    video.togglePause(at: 12)
    return video
  }

  @Test func `A pause keeps the position, and the video goes on from there`() {
    var video = pausedVideo()
    #expect(video.isPaused)
    #expect(video.position(at: 20) == 2)
    #expect(video.reports(to: 20) == [])
    video.togglePause(at: 20)
    #expect(video.position(at: 20) == 2)
    #expect(video.position(at: 21) == 3)
  }

  @Test func `A seek during a pause moves the video and does not start it`() {
    var video = pausedVideo()
    video.seek(to: 5, at: 13)
    #expect(video.isPaused)
    #expect(video.position(at: 13) == 5)
    #expect(video.position(at: 15) == 5)
    video.togglePause(at: 20)
    #expect(video.position(at: 21) == 6)
  }

  @Test func `A seek during playback goes on from the new position`() {
    var video = DemoVideo()
    _ = video.reports(to: 10)
    video.seek(to: 1, at: 14)
    #expect(video.position(at: 16) == 3)
  }
}
