"""A video plays, its bar glides, and a pause stops it where it is."""

from support import BarTest

# For each of a number of frames: its time, the middle of the dot as the page lays it out, the time of the video, and the time
# now. What the bar hears between the time of a frame and its layout is part of the frame, so the dot is where it is at a time
# between these two.
FRAMES = """
  window.dots = (bar, count) => new Promise((done) => {
    const places = [];
    const dot = bar.shadowRoot.querySelector("[part=dot]");
    const look = () => {
      const box = dot.getBoundingClientRect();
      const time = document.timeline.currentTime;
      places.push([time, box.x + box.width / 2, video.currentTime, performance.now()]);
      if (places.length < count) requestAnimationFrame(look); else done(places);
    };
    requestAnimationFrame(look);
  });
  window.until = (target, name) =>
    new Promise((done) => target.addEventListener(name, done, { once: true }));
  // Whether the video kept the time of the page in these frames. On a busy machine it stalls and jumps, and the bar follows it.
  window.isSteady = (frames) => {
    const [[, , position, start]] = frames;
    return !video.ended && frames.every(
      ([, , at, now]) => Math.abs(at - position - (now - start) / 1000) < 0.03);
  };
"""
BUSY = "this machine is too busy to play a video steadily for a second"


class Video(BarTest):
    """A real video in a real browser."""

    def setUp(self):
        self.site.make_clip()
        self.driver.get(f"{self.address}/player.html")
        self.wait("document.querySelector('headway-bar').shadowRoot?.querySelector('[part=dot]')"
                  " && video.readyState >= 3")
        self.run_script(FRAMES)

    def play_until(self, seconds):
        """Plays until the video is past a moment, between two of its reports."""
        self.run_async("""
          await video.play();
          while (video.currentTime < args[0]) await until(video, "timeupdate");
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
        """, seconds)

    def picture(self):
        """The pixels of the bar."""
        place = self.place()
        clip = {**{key: place[key] for key in ("x", "y", "width", "height")}, "scale": 1}
        return self.command("Page.captureScreenshot", format="png", clip=clip)["data"]

    def test_a_pause_between_two_reports_stops_the_bar_where_it_is(self):
        self.play_until(2)
        places = self.run_async("""
          const paused = until(video, "pause");
          video.pause();
          await paused;
          const shown = bar.shown;
          const frames = await dots(bar, 60);
          return { shown, frames, later: bar.shown, paused: bar.paused };
        """)
        self.assertTrue(places["paused"])
        first = places["frames"][0][1]
        for _, x, *_ in places["frames"]:
            self.assertAlmostEqual(x, first, delta=0.01)
        self.assertEqual(places["shown"], places["later"])
        self.assertGreater(places["shown"], 1.9)
        before = self.picture()
        self.run_async("await dots(bar, 60)")
        self.assertEqual(before, self.picture(), "pixels changed after the pause")

    def test_the_bar_continues_from_where_it_was_paused(self):
        self.play_until(1)
        # If the video stalls after it was resumed, it is paused and resumed again.
        result = self.run_async("""
          const perSecond = bar.getBoundingClientRect().width / bar.max;
          for (;;) {
            const paused = until(video, "pause");
            video.pause();
            await paused;
            const [[, stood]] = await dots(bar, 1);
            // The time before the bar hears of it: a capturing listener is called before those of the bar.
            const resumed = new Promise((done) => video.addEventListener(
              "playing", () => done(performance.now()), { once: true, capture: true }));
            video.play();
            const began = await resumed;
            const frames = await dots(bar, 40);
            const steady = isSteady(frames);
            if (steady || video.currentTime > 10) return { steady, stood, began, frames, perSecond };
          }
        """)
        if not result["steady"]:
            self.skipTest(BUSY)
        speed = result["perSecond"]
        frames = result["frames"]
        earlier = [(result["began"], result["stood"]), *frames]
        for (before, old, *_), (_, new, _, after) in zip(earlier, frames):
            seconds = (after - before) / 1000
            self.assertGreaterEqual(new, old - 0.01, "a step back")
            # From rest, the bar may double its speed until it is where the video is.
            self.assertLessEqual(new - old, speed * seconds * 2 + 0.1, "a jump")
        seconds = (frames[-1][0] - frames[0][0]) / 1000
        self.assertGreater(frames[-1][1], result["stood"] + 0.5 * speed * seconds)

    def test_the_bar_glides_between_the_reports(self):
        self.play_until(1)
        # A second in which the video stalls is measured again.
        result = self.run_async("""
          for (;;) {
            const frames = await dots(bar, 60);
            const steady = isSteady(frames);
            if (steady || video.ended) {
              return { steady, frames, perSecond: bar.getBoundingClientRect().width / bar.max };
            }
          }
        """)
        if not result["steady"]:
            self.skipTest(BUSY)
        speed = result["perSecond"]
        for (before, old, _, late), (after, new, _, later) in zip(result["frames"], result["frames"][1:]):
            if after > before:
                # The limits of the model, a tenth of the speed, and a tenth of a pixel for the times of frames.
                self.assertGreaterEqual(new - old, 0.89 * speed * (after - late) / 1000 - 0.1)
                self.assertLessEqual(new - old, 1.11 * speed * (later - before) / 1000 + 0.1)

    def test_a_video_is_disconnected_by_the_returned_function_or_with_the_bar(self):
        self.play_until(0.5)
        seen = self.run_async("""
          const { connect } = await import("./player.js");
          const other = document.createElement("headway-bar");
          other.style.width = "200px";
          bar.parentNode.append(other);
          const disconnect = connect(video, other);
          await until(video, "timeupdate");
          await until(video, "timeupdate");
          const seen = [other.reported > 0.4];
          disconnect();
          const stood = other.reported;
          await until(video, "timeupdate");
          await until(video, "timeupdate");
          other.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
          seen.push(other.reported === other.max && stood < other.max, video.currentTime < 11);
          disconnect();

          const third = document.createElement("headway-bar");
          bar.parentNode.append(third);
          connect(video, third);
          await until(video, "timeupdate");
          // A bar that is moved stays connected; one that is removed does not.
          document.body.append(third);
          const moved = third.reported;
          await until(video, "timeupdate");
          await until(video, "timeupdate");
          seen.push(third.reported > moved);
          third.remove();
          const removed = third.reported;
          await until(video, "timeupdate");
          await until(video, "timeupdate");
          return [...seen, third.reported === removed];
        """)
        self.assertEqual(seen, [True] * 5)

    def test_the_range_of_a_live_stream_is_what_can_be_sought(self):
        seen = self.run_async("""
          const { connect } = await import("./player.js");
          const source = new MediaSource();
          const live = document.createElement("video");
          live.muted = true;
          live.src = URL.createObjectURL(source);
          await until(source, "sourceopen");
          const buffer = source.addSourceBuffer('video/webm; codecs="vp8"');
          const other = document.createElement("headway-bar");
          document.body.append(other, live);
          connect(live, other);
          source.duration = Infinity;
          const clip = await (await fetch("clip.webm")).arrayBuffer();
          const appended = async (part) => {
            buffer.appendBuffer(part);
            await until(buffer, "updateend");
          };
          const ready = until(live, "loadedmetadata");
          await appended(clip.slice(0, clip.byteLength / 2));
          await ready;
          const seen = [live.duration === Infinity, other.max > 4 && other.max < 8];
          await live.play();
          await appended(clip.slice(clip.byteLength / 2));
          while (other.max < 11) await until(live, "timeupdate");
          // The stream forgets its beginning.
          live.currentTime = 8;
          buffer.remove(0, 6);
          await until(buffer, "updateend");
          source.setLiveSeekableRange(7, 12);
          while (other.min < 5) await until(live, "timeupdate");
          return [...seen, other.min === live.seekable.start(0), other.reported > 7];
        """)
        self.assertEqual(seen, [True] * 4)

    def test_a_drag_seeks_the_video_once_and_keeps_its_value(self):
        self.play_until(1)
        place = self.place()
        self.run_script("window.seeks = 0; video.addEventListener('seeking', () => seeks++);"
                        "window.changes = 0; bar.addEventListener('change', () => changes++);")
        y = place["y"] + place["height"] / 2
        target = place["x"] + 0.75 * place["width"]
        self.mouse("Pressed", place["x"] + 0.5 * place["width"], y)
        self.mouse("Moved", target, y)
        during = self.run_async("return (await dots(bar, 30)).map(([, x]) => x)")
        self.assertAlmostEqual(max(during), min(during), delta=0.01)
        self.run_script("window.seeked = until(video, 'seeked')")
        self.mouse("Released", target, y, buttons=0)
        after = self.run_async("""
          const frames = await dots(bar, 20);
          await seeked;
          frames.push(...await dots(bar, 20));
          return { frames, seeks, changes, time: video.currentTime };
        """)
        self.assertEqual((after["seeks"], after["changes"]), (1, 1))
        self.assertGreater(min(x for _, x, *_ in after["frames"]), target - 1)
        self.assertGreater(after["time"], 8.9)


# A video that plays only when the test says so, on the clock of the bars.
FAKE = """
  const { connect } = await import("./player.js");
  let time = 100;
  HeadwayBar.clock = () => time;
  const video = Object.assign(new EventTarget(), {
    duration: 60, currentTime: 0, playbackRate: 1, paused: true, readyState: 4,
    buffered: [], seekable: [] });
  const fire = (...names) => names.forEach((name) => video.dispatchEvent(new Event(name)));
  // The largest distance in seconds between the bar and the video while it plays for a time, with four reports a second.
  let untilReport = 0.25;
  const play = (seconds) => {
    let worst = 0;
    for (let step = 0; step < Math.round(seconds * 100); step += 1) {
      time += 0.01;
      video.currentTime = Math.min(video.currentTime + 0.01 * video.playbackRate, video.duration);
      untilReport -= 0.01;
      if (untilReport < 1e-9) {
        untilReport = 0.25;
        fire("timeupdate");
      }
      worst = Math.max(worst, distance());
    }
    return worst;
  };
  const distance = () => Math.abs(bar.shown - video.currentTime);
  const start = () => { video.paused = false; fire("play", "playing"); untilReport = 0.25; };
  const setRate = (rate) => { video.playbackRate = rate; fire("ratechange"); };
  const pause = () => { video.paused = true; fire("timeupdate", "pause"); };
  const end = () => {
    Object.assign(video, { paused: true, currentTime: video.duration });
    fire("timeupdate", "pause", "ended");
  };
"""


class PlayedVideo(BarTest):
    """A bar that follows a video through whatever happens to it, with and without a speed and a value in the HTML."""

    def follow(self, script):
        """The results of a script for each way to write the bar."""
        for attributes in ("", 'value="0"', 'value="0" units-per-second="1"'):
            self.page(f'<headway-bar id="bar" {attributes}></headway-bar>')
            yield attributes, self.run_async(
                f"{FAKE} connect(video, bar); try {{ {script} }} finally {{ HeadwayBar.clock = null; }}")

    def test_the_bar_is_where_the_video_is_from_the_first_moment_on(self):
        for attributes, worst in self.follow("start(); return play(3);"):
            self.assertLess(worst, 0.03, attributes)

    def test_a_bar_that_is_connected_late_is_where_the_video_is(self):
        for paused in ("true", "false"):
            for attributes, seen in self.follow(f"""
              video.currentTime = 20;
              video.paused = {paused};
              connect(video, bar);
              return [distance(), {paused} ? 0 : play(1)];"""):
                self.assertLess(max(seen), 0.03, (attributes, paused))

    def test_a_pause_soon_after_the_start_leaves_the_bar_where_the_video_is(self):
        for attributes, worst in self.follow("""
          let worst = 0;
          for (const seconds of [0.05, 0.1, 0.3, 0.4, 0.7, 1.2]) {
            start();
            play(seconds);
            pause();
            time += 1;
            worst = Math.max(worst, distance());
          }
          return worst;"""):
            self.assertLess(worst, 0.03, attributes)

    def test_a_sound_of_any_length_ends_at_its_end(self):
        for attributes, seen in self.follow("""
          const ends = [];
          for (const seconds of [0.1, 0.3, 1, 4]) {
            video.duration = seconds;
            video.currentTime = 0;
            fire("durationchange", "seeking", "seeked");
            start();
            play(seconds);
            end();
            time += 0.5;
            ends.push([bar.shown, bar.value].join() === [seconds, seconds].join());
          }
          return ends;"""):
            self.assertEqual(seen, [True] * 4, attributes)

    def test_the_bar_is_where_the_video_is_after_a_change_of_the_rate_and_a_short_wait(self):
        # Some time after a change of the rate, Chromium fires both events at once and plays on.
        for attributes, worst in self.follow("""
          setRate(0.5);
          start();
          play(2);
          setRate(4);
          let worst = play(0.9);
          fire("waiting", "playing");
          return Math.max(worst, play(2));"""):
            self.assertLess(worst, 0.05, attributes)

    def test_the_bar_stands_where_the_video_waits_and_moves_with_it_at_once_after_that(self):
        for attributes, seen in self.follow("""
          start();
          play(2.1);
          fire("timeupdate", "waiting");
          const distances = [distance()];
          time += 0.1;
          fire("timeupdate");
          distances.push(distance());
          time += 3;
          distances.push(distance());
          fire("playing");
          return [...distances, play(2)];"""):
            self.assertLess(max(seen), 0.03, attributes)
