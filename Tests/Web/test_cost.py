"""The cost of bars: layouts, frames, timers and memory."""

from support import BarTest


class Cost(BarTest):
    """The cost of gliding bars."""

    BARS = "".join('<headway-bar class="bar" value="0" max="60" units-per-second="1"></headway-bar>'
                   for _ in range(20))
    # Counts what a page is asked to do later.
    COUNT = """
      window.asked = { frames: 0, timers: 0 };
      const frame = requestAnimationFrame, timeout = setTimeout, interval = setInterval;
      window.requestAnimationFrame = (f) => { asked.frames += 1; return frame(f); };
      window.setTimeout = (...a) => { asked.timers += 1; return timeout(...a); };
      window.setInterval = (...a) => { asked.timers += 1; return interval(...a); };
      window.later = timeout;
      window.rest = async (seconds) => {
        asked.frames = asked.timers = 0;
        await new Promise((done) => timeout(done, seconds * 1000));
        return [asked.frames, asked.timers,
          [...document.querySelectorAll("headway-bar")].reduce((sum, bar) =>
            sum + bar.shadowRoot.getAnimations().length, 0)];
      };
    """

    def metrics(self):
        self.command("Performance.enable", timeDomain="threadTicks")
        return {item["name"]: item["value"]
                for item in self.command("Performance.getMetrics")["metrics"]}

    def open(self):
        self.page(self.BARS)
        self.run_script(self.COUNT)

    def test_twenty_gliding_bars_cause_no_layout_and_no_frame_of_script(self):
        self.open()
        self.run_script("""
          window.bars = [...document.querySelectorAll("headway-bar")];
          window.began = performance.now();
          window.reporting = setInterval(() => {
            for (const bar of bars) bar.report((performance.now() - began) / 1000);
          }, 250);
        """)
        self.run_async("await rest(1)")
        before = self.metrics()
        frames, timers, _ = self.run_async("return rest(4)")
        after = self.metrics()
        self.assertEqual(after["LayoutCount"] - before["LayoutCount"], 0)
        self.assertEqual(frames, 0)
        self.assertLessEqual(timers, 6, "no timer but the one that tells once a second")
        self.wait("bars.reduce((sum, bar) => sum + bar.shadowRoot.getAnimations().length, 0) >= 40")

    def test_an_indeterminate_bar_is_animated_by_the_compositor_and_runs_no_script(self):
        styles = {}
        for kind, bar in [("nothing", ""), ("progress", "<progress></progress>"),
                          ("headway-bar", "<headway-bar readonly></headway-bar>")]:
            self.page(bar * 20)
            self.run_script(self.COUNT)
            self.run_async("await rest(0.5)")
            before = self.metrics()
            frames, timers, animations = self.run_async("return rest(3)")
            after = self.metrics()
            styles[kind] = after["RecalcStyleCount"] - before["RecalcStyleCount"]
            if kind == "headway-bar":
                self.assertEqual((frames, timers, animations), (0, 0, 20))
                self.assertEqual(after["LayoutCount"] - before["LayoutCount"], 0)
                middles = self.run_async("""
                  const seen = [];
                  for (let index = 0; index < 120; index += 1) {
                    await new Promise(requestAnimationFrame);
                    seen.push(boxes(document.querySelector("headway-bar"))[1][1]);
                  }
                  return seen;
                """)
                self.assertTrue(all(-0.01 <= x <= 140.01 for x in middles), middles)
                self.assertGreater(max(middles) - min(middles), 100, "it moves")
        # One of the main thread would have its style computed for each frame, 180 times in three seconds.
        self.assertLess(styles["headway-bar"], 20, styles)

    def test_the_sweep_is_where_the_core_draws_it(self):
        self.page('<headway-bar id="bar" readonly></headway-bar>')
        seen = self.run_script("""
          const seen = [];
          for (const time of [1000, 1000.3, 1001.4, 1001.6, 1003, 1007.25]) {
            HeadwayBar.clock = () => time;
            seen.push(boxes(bar)[1][1]);
          }
          bar.report(0.5);
          return [seen, boxes(bar).length, bar.shadowRoot.getAnimations().length, boxes(bar)[1][1]];
        """)
        for x, time in zip(seen[0], (1000, 1000.3, 1001.4, 1001.6, 1003, 1007.25)):
            place = time / 1.5 % 2
            self.assertAlmostEqual(x, 140 * (2 - place if place > 1 else place), delta=0.05)
        self.assertEqual(seen[1:], [2, 0, -100], "a report ends the sweep")

    def test_many_bars_appear_and_change_their_colors_together(self):
        self.page('<meta name="color-scheme" content="light dark"><div id="room"></div>')
        before = self.metrics()
        self.run_async("""
          room.innerHTML = '<headway-bar value="0.5"></headway-bar>'.repeat(100);
          await frames2();
        """)
        shown = self.metrics()
        self.command("Emulation.setEmulatedMedia", media="",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.wait("Array.from(room.children).every((bar) => getComputedStyle("
                  "bar.shadowRoot.querySelector('[part=fill]')).backgroundColor"
                  " === 'rgb(138, 180, 248)')")
        dark = self.metrics()
        for name in ("LayoutCount", "RecalcStyleCount"):
            self.assertLess(shown[name] - before[name], 25, name)
            self.assertLess(dark[name] - shown[name], 25, name)

    def test_bars_that_are_paused_finished_or_hidden_run_nothing(self):
        self.open()
        self.run_script("window.bars = [...document.querySelectorAll('headway-bar')];"
                        "for (const bar of bars) bar.report(5);")
        for name, script, undo in [
                ("paused", "bar.pause()", "bar.resume(); bar.report(6)"),
                ("not displayed", "bar.style.display = 'none'", "bar.style.display = ''"),
                ("far away", "bar.style.position = 'absolute'; bar.style.top = '9000px'",
                 "bar.style.cssText = ''"),
                ("finished", "bar.setValue(60)", "bar.report(7)")]:
            with self.subTest(name):
                # What is far away is noticed a moment later.
                self.run_async(f"for (const bar of bars) {{ {script} }}; await frames2();"
                               "while ((await rest(1.5)).some((count) => count > 0)) {}")
                self.run_async(f"for (const bar of bars) {{ {undo} }}; await frames2();")

    def test_a_hidden_page_draws_nothing_and_is_right_in_the_first_frame_after(self):
        self.open()
        self.run_script("""
          window.bars = [...document.querySelectorAll("headway-bar")];
          for (const bar of bars) { bar.setAttribute("source", "forecast"); bar.report(5, {rate: 1}); }
          document.addEventListener("visibilitychange", () => {
            if (document.hidden) { rest(1).then((seen) => { window.whileHidden = seen; }); return; }
            frame0 = requestAnimationFrame(() => {
              const [, x, , w] = boxes(bars[0]).at(-1);
              window.first = [x + w / 2, bars[0].shown / 60 * 200];
            });
          });
        """)
        home = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        other = self.driver.current_window_handle
        self.driver.switch_to.window(other)
        # Timers of hidden pages run once a second: the count of a second is over long before.
        self.run_async("await new Promise((done) => setTimeout(done, 10_000))")
        self.driver.close()
        self.driver.switch_to.window(home)
        self.wait("window.first")
        seen = self.run_script("return [whileHidden, first, bars[0].shown]")
        self.assertEqual(seen[0], [0, 0, 0])
        self.assertAlmostEqual(seen[1][0], seen[1][1], delta=0.2)
        self.assertGreater(seen[2], 6.5)

    def test_positions_do_not_depend_on_the_frame_rate(self):
        self.open()
        fast, slow = self.run_async("""
          const [bar] = document.querySelectorAll("headway-bar");
          const walk = (step, base) => {
            HeadwayBar.clock = () => base;
            bar.reset();
            const places = [];
            for (let frame = 0; frame * step <= 2.0001; frame += 1) {
              const time = base + frame * step;
              HeadwayBar.clock = () => time;
              if (Math.abs(frame * step * 2 % 1) < 1e-6) bar.report(frame * step);
              const [, x, , w] = boxes(bar).at(-1);
              if (Math.abs(frame * step * 30 % 1) < 1e-6) places.push(x + w / 2);
            }
            return places;
          };
          const places = [walk(1 / 120, 1000), walk(1 / 30, 2000)];
          return places;
        """)
        self.assertEqual(len(fast), len(slow))
        self.assertGreater(len(fast), 30)
        for one, two in zip(fast, slow):
            self.assertAlmostEqual(one, two, delta=0.001)

    def test_the_core_frees_bars_whose_elements_are_collected(self):
        self.page("""<div id="room"></div><script>
          window.count = { create: 0, free: 0 };
          const old = WebAssembly.instantiate;
          WebAssembly.instantiate = async (...all) => {
            const exports = { ...(await old.apply(WebAssembly, all)).instance.exports };
            for (const name of Object.keys(count)) {
              const inner = exports[`headway_bar_${name}`];
              exports[`headway_bar_${name}`] = (...rest) => { count[name] += 1; return inner(...rest); };
            }
            window.size = () => exports.memory.buffer.byteLength;
            return { instance: { exports } };
          };</script>""")
        sizes = []
        for round in range(1, 4):
            self.run_async("""
              room.innerHTML = '<headway-bar value="0" max="60" units-per-second="1"></headway-bar>'
                .repeat(100);
              for (const bar of room.children) bar.report(1);
              await frames2();
              room.replaceChildren();
            """)
            self.assertEqual(self.run_script("return count.create"), 100 * round)
            for _ in range(50):
                self.command("HeapProfiler.collectGarbage")
                self.run_async("await frames2()")
                if self.run_script("return count.free === count.create"):
                    break
            self.assertEqual(self.run_script("return count.free"), 100 * round)
            sizes.append(self.run_script("return size()"))
        self.assertEqual(sizes[0], sizes[-1], "the memory of the core grows")
