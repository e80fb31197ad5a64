"""A bar as a part of a page: assistive technology, forms, style sheets, sizes, shadows, and what it costs."""

from support import BarTest

SLIDER = '<headway-bar id="bar" aria-label="Position" value="65" max="240" units-per-second="1"></headway-bar>'


# The driver tells every property of a node but the value in words, so what is said is written down.
LISTEN = """<script>
  window.said = [];
  const words = Object.getOwnPropertyDescriptor(ElementInternals.prototype, "ariaValueText");
  Object.defineProperty(ElementInternals.prototype, "ariaValueText", {
    ...words, set(text) { said.push(text); words.set.call(this, text); } });
</script>"""


class Accessibility(BarTest):
    """What assistive technology is told."""

    def said(self):
        return self.run_script("return said.at(-1)")

    def node(self, selector="#bar"):
        document = self.command("DOM.getDocument")["root"]["nodeId"]
        found = self.command("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        node = self.command("Accessibility.getPartialAXTree", nodeId=found,
                            fetchRelatives=False)["nodes"][0]
        told = {item["name"]: item["value"]["value"] for item in node.get("properties", [])
                if "value" in item["value"]}
        told.update(role=node["role"]["value"], name=node.get("name", {}).get("value"),
                    value=node.get("value", {}).get("value"))
        return told

    def test_a_slider_has_a_role_a_name_and_a_value_in_words(self):
        self.page(LISTEN + SLIDER)
        told = self.node()
        self.assertEqual((told["role"], told["name"]), ("slider", "Position"))
        self.assertEqual((told["valuemin"], told["valuemax"]), (0, 240))
        self.assertEqual(float(told["value"]), 65)
        self.assertEqual(self.said(), "1 minute 5 seconds of 4 minutes")
        self.assertTrue(told["focusable"])

    def test_what_cannot_be_changed_is_a_progress_bar_in_percent(self):
        self.page(
            LISTEN + '<headway-bar id="bar" readonly value="0.46" aria-label="Copy"></headway-bar>')
        told = self.node()
        self.assertEqual((told["role"], self.said()), ("progressbar", "46 percent"))
        self.assertNotIn("focusable", told)

    def test_a_value_is_told_as_exactly_as_its_range_asks_for(self):
        for value, high, told in ((5e-6, 1e-5, 5e-6), (1 / 3, 1, 0.3333), (100 / 3, 100, 33.33),
                                  (1e9 / 3, 1e9, 333333333), (0, 0, 0)):
            self.page(f'<headway-bar id="bar" value="{value}" max="{high}"></headway-bar>')
            node = self.node()
            self.assertAlmostEqual(float(node["value"]), told, delta=abs(told) * 1e-6)
            self.assertAlmostEqual(float(node["valuemax"]), high, delta=high * 1e-6)

    def test_what_nobody_knows_has_no_value(self):
        self.page('<headway-bar id="bar" readonly></headway-bar>')
        told = self.node()
        self.assertEqual((told["role"], told["value"] or ""), ("progressbar", ""))

    def test_a_label_names_it_and_a_page_may_say_its_value_otherwise(self):
        self.page(LISTEN + '<label for="bar">Volume</label>'
                  '<headway-bar id="bar" value="0.5"></headway-bar>')
        self.assertEqual(self.node()["name"], "Volume")
        self.run_script("bar.valueText = (value, low, high) => `${value} von ${high}`;"
                        "bar.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }))")
        self.assertEqual(self.said(), "1 von 1")

    def test_a_glide_writes_no_attribute_and_tells_at_most_once_a_second(self):
        self.page(SLIDER)
        seen = self.run_async("""
          let mutations = 0;
          new MutationObserver((list) => { mutations += list.length; })
            .observe(bar, { attributes: true, subtree: true });
          let tells = 0;
          bar.valueText = () => { tells += 1; return "x"; };
          const began = performance.now();
          let value = 65;
          while (performance.now() - began < 2500) {
            bar.report(value += 0.05);
            await new Promise((done) => setTimeout(done, 50));
          }
          const glide = tells;
          bar.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
          return { mutations, glide, after: tells };
        """)
        self.assertEqual(seen["mutations"], 0)
        self.assertLessEqual(seen["glide"], 4)
        self.assertGreaterEqual(seen["glide"], 2)
        self.assertEqual(seen["after"], seen["glide"] + 1, "a person's change is told at once")

    def test_less_motion_shows_reports_and_never_freezes_what_is_unknown(self):
        self.command("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.page(SLIDER + '<headway-bar id="other" readonly></headway-bar>')
        seen = self.run_async("""
          bar.report(100);
          const first = bar.shown;
          const place = () => boxes(other)[1][1];
          const start = place();
          const began = performance.now();
          while (place() === start && performance.now() - began < 60000) await frames2();
          return { first, later: bar.shown, moved: place() !== start };
        """)
        self.assertEqual((seen["first"], seen["later"], seen["moved"]), (100, 100, True))

    def test_less_motion_that_is_asked_for_later_holds_from_then_on(self):
        self.page(SLIDER)
        self.command("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.wait("matchMedia('(prefers-reduced-motion: reduce)').matches")
        self.run_async("await frames2()")
        self.assertEqual(self.run_async(
            "bar.report(100); const first = bar.shown; await frames2(); return [first, bar.shown]"),
            [100, 100])


class Looks(BarTest):
    """Colours, styles and sizes."""

    COLORS = """
      const color = (part) => getComputedStyle(
        bar.shadowRoot.querySelector(`[part=${part}]`)).backgroundColor.match(/[\\d.]+/g).map(Number);
      const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
        .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
      const contrast = (a, b) => {
        const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
      };
      return [contrast(color("fill"), color("track")), color("fill"), color("track")];
    """

    def test_the_fill_stands_out_in_light_in_dark_and_with_forced_colours(self):
        seen = []
        for feature, value in [("prefers-color-scheme", "light"), ("prefers-color-scheme", "dark"),
                               ("forced-colors", "active")]:
            self.command("Emulation.setEmulatedMedia", media="",
                         features=[{"name": feature, "value": value}])
            self.page('<meta name="color-scheme" content="light dark">' + SLIDER)
            contrast, fill, _ = self.run_script(self.COLORS)
            self.assertGreaterEqual(contrast, 3, (feature, value))
            seen.append(tuple(fill))
        self.assertEqual(len(set(seen)), 3, "the schemes look the same")

    def test_a_change_of_the_scheme_is_drawn_without_a_script(self):
        self.page('<meta name="color-scheme" content="light dark">' + SLIDER)
        before = self.run_script(self.COLORS)[1]
        self.command("Emulation.setEmulatedMedia", media="",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.wait("getComputedStyle(bar.shadowRoot.querySelector('[part=fill]')).backgroundColor"
                  f" !== 'rgb({before[0]}, {before[1]}, {before[2]})'")

    def test_a_new_margin_for_presses_counts_from_the_next_frame_on(self):
        self.page('<headway-bar id="bar" value="30" max="100"></headway-bar>')
        under = "return document.elementFromPoint(100, bar.getBoundingClientRect().bottom + 25) === bar"
        self.assertFalse(self.run_script(under))
        self.run_script("bar.style.setProperty('--headway-hit-margin-bottom', '30px')")
        self.run_async("await frames2(); await frames2()")
        self.assertTrue(self.run_script(under))

    def test_every_value_of_a_style_can_be_set_alone_and_moves_no_value(self):
        icon = '<b slot="icon">i</b>'
        changes = [
            ("bar-height", "10px"), ("fill-height", "10px"), ("corner-radius", "0px"),
            ("dot-size", "18px"), ("gap", "6px"), ("mark-width", "5px"), ("icon-scale", "0.3"),
            ("track-color", "red"), ("fill-color", "oklch(60% 0.2 150)"), ("dot-color", "green"),
            ("buffered-color", "#123456"), ("mark-color", "rgb(1 2 3 / 50%)"),
        ]
        self.page('<headway-bar id="bar" value="30" max="100" buffered="10-80" marks="20 60">'
                  f"{icon}</headway-bar>")
        look = """
          return Array.from(bar.shadowRoot.querySelectorAll(".shape"), (node) => {
            const box = node.getBoundingClientRect();
            const style = getComputedStyle(node);
            return [node.part.value, box.x, box.width, box.height, style.backgroundColor,
              style.borderRadius];
          });
        """
        plain = self.run_script(look)
        for name, value in changes:
            with self.subTest(name):
                self.run_script("bar.style.setProperty(...arguments)", f"--headway-{name}", value)
                self.run_async("await frames2(); await frames2()")
                seen = self.run_script(look)
                self.assertNotEqual(seen, plain)
                dot = next(shape for shape in seen if shape[0] == "dot")
                fill = next(shape for shape in seen if shape[0] == "fill")
                middle = dot[1] + dot[2] / 2
                self.assertAlmostEqual(middle, 40 + 60, delta=0.01)
                gap = 6 if name == "gap" else 0
                self.assertAlmostEqual(fill[1] + fill[2], middle - gap, delta=0.5)
                self.run_script("bar.style.removeProperty(arguments[0])", f"--headway-{name}")
                self.run_async("await frames2(); await frames2()")
                self.assertEqual(self.run_script(look), plain)

    def test_a_style_that_changes_in_a_glide_is_drawn(self):
        self.page(SLIDER)
        seen = self.run_async("""
          bar.setAttribute("source", "forecast");
          bar.report(65, { rate: 1 });
          await frames2();
          bar.style.setProperty("--headway-fill-color", "rgb(1, 2, 3)");
          bar.style.setProperty("--headway-gap", "5px");
          await frames2(); await frames2();
          const [track, fill, dot] = boxes(bar);
          const node = bar.shadowRoot.querySelector("[part=fill]");
          return [getComputedStyle(node).backgroundColor, dot[1] + dot[3] / 2 - fill[1] - fill[3],
            node.getAnimations().length];
        """)
        self.assertEqual((seen[0], seen[2]), ("rgb(1, 2, 3)", 1))
        self.assertAlmostEqual(seen[1], 5, delta=0.02)

    def test_a_change_of_style_is_animated_and_then_costs_nothing(self):
        self.page(SLIDER, style="headway-bar { --headway-style-duration: 0.4s }")
        heights = self.run_async("""
          bar.style.setProperty("--headway-bar-height", "16px");
          const seen = new Set();
          while (!seen.has(16)) {
            seen.add(Math.round(boxes(bar)[0][4] * 100) / 100);
            await new Promise(requestAnimationFrame);
          }
          return [...seen];
        """)
        self.assertEqual((heights[0], heights[-1]), (4, 16))
        self.assertGreater(len(heights), 3, heights)
        self.assertEqual(heights, sorted(heights))

    def test_the_colour_of_the_text_can_be_that_of_the_track(self):
        self.page('<headway-bar id="bar" value="30" max="100"></headway-bar>', style="headway-bar "
                  "{ color: rgb(1, 2, 3); --headway-track-color: currentColor }")
        self.assertEqual(self.run_script(self.COLORS)[2], [1, 2, 3])

    def test_a_printer_prints_the_bar_and_forced_colours_reach_what_stands_in_it(self):
        self.page('<headway-bar id="bar" value="0.5"><b id="label" at="0.2" style="color: #abc">'
                  'x</b></headway-bar>')
        style = "getComputedStyle(bar.shadowRoot.querySelector('[part=fill]'))"
        self.assertEqual(self.run_script(f"return {style}.printColorAdjust"), "exact")
        self.command("Emulation.setEmulatedMedia", media="",
                     features=[{"name": "forced-colors", "value": "active"}])
        self.wait("matchMedia('(forced-colors: active)').matches")
        self.assertEqual(self.run_script("return getComputedStyle(label).color"), "rgb(0, 0, 0)")

    def test_no_geometry_is_stale_after_resizing_zooming_and_hiding(self):
        self.page('<headway-bar id="bar" value="25" max="100"></headway-bar>')
        middle = "const [, x, , w] = boxes(bar).at(-1); return x + w / 2"
        for style, expected in [("width: 400px", 100), ("width: 333px", 83.25),
                                ("display: none", None), ("width: 300px", 75),
                                ("width: 0px", None), ("width: 1px", 0.25),
                                ("zoom: 2; width: 200px", 100)]:
            self.run_script("bar.style.cssText = arguments[0]", style)
            self.run_async("await frames2()")
            if expected is not None:
                self.assertAlmostEqual(self.run_script(middle), expected, delta=0.02, msg=style)
        self.run_script("bar.style.cssText = ''")
        for ratio in (1, 1.5, 2, 3):
            self.command("Emulation.setDeviceMetricsOverride", width=800, height=600,
                         deviceScaleFactor=ratio, mobile=False)
            self.run_script("bar.setValue(33.3)")
            self.run_async("await frames2()")
            self.assertAlmostEqual(self.run_script(middle), 66.6, delta=0.01)


class Places(BarTest):
    """Where a bar can stand."""

    def test_a_page_does_not_scroll_for_the_room_in_which_it_can_be_pressed(self):
        self.page('<div id="tight" style="overflow: auto; width: 300px">'
                  '<headway-bar id="bar" value="0.5"></headway-bar></div>',
                  style="headway-bar { width: 100%; --headway-hit-margin: 16px }")
        seen = self.run_script("""
          const edge = bar.getBoundingClientRect().bottom;
          const hit = (y) => document.elementFromPoint(100, y) === bar;
          const boxed = [tight.scrollWidth, tight.scrollHeight];
          tight.style.overflow = "visible";
          return [boxed, hit(edge + 15), hit(edge + 17)];
        """)
        self.assertEqual(seen, [[300, 24], True, False])

    def test_it_works_inside_of_a_shadow(self):
        self.page('<div id="host"></div>')
        seen = self.run_async("""
          const root = host.attachShadow({ mode: "open" });
          root.innerHTML = '<style>headway-bar { width: 200px; --headway-dot-size: 8px }</style>'
            + '<headway-bar value=50 max=100></headway-bar>';
          await frames2();
          return boxes(root.querySelector("headway-bar"));
        """)
        self.assertEqual(seen[-1], ["dot", 96, 8, 8, 8])

    def test_a_server_may_draw_the_first_picture_in_a_declarative_shadow(self):
        template = ('<headway-bar id="bar" value="50" max="100"><template shadowrootmode="open">'
                    '<style>:host { display: block }</style><progress value="50" max="100">'
                    "</progress></template></headway-bar>")
        self.site.pages["/plain.html"] = f"<!doctype html>{template}"
        self.driver.get(f"{self.address}/plain.html")
        self.assertEqual(self.run_script(
            "return bar.shadowRoot.querySelector('progress').value"), 50)
        self.page(template)
        self.assertEqual(self.run_script("return boxes(bar)[0].slice(1)"), [0, 10, 200, 4])
        self.assertIsNone(self.run_script("return bar.shadowRoot.querySelector('progress')"))

    def test_without_a_script_what_is_written_inside_is_shown(self):
        inside = '<headway-bar id="bar" value="0.5"><progress id="plain" value="0.5"></progress></headway-bar>'
        self.site.pages["/plain.html"] = f"<!doctype html>{inside}"
        self.driver.get(f"{self.address}/plain.html")
        self.assertGreater(self.run_script("return plain.getBoundingClientRect().width"), 50)
        self.page(inside)
        self.assertEqual(self.run_script("return plain.getBoundingClientRect().width"), 0)

    def test_own_parts_stand_at_values_and_follow_the_shown_one(self):
        self.page('<headway-bar id="bar" value="25" max="100" units-per-second="1">'
                  '<i id="mark" at="50"></i><i id="follow" at="value"></i></headway-bar>')
        seen = self.run_async("""
          const home = bar.getBoundingClientRect().x;
          const x = (node) => node.getBoundingClientRect().x - home;
          const first = [x(mark), x(follow)];
          bar.report(25);
          await frames2();
          const dot = boxes(bar).at(-1);
          return [...first, x(follow) - (dot[1] + dot[3] / 2), x(mark)];
        """)
        for number, wanted in zip(seen, (100, 50, 0, 100)):
            self.assertAlmostEqual(number, wanted, delta=0.02)


class Cost(BarTest):
    """What gliding bars cost a page."""

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
        frames, timers, animations = self.run_async("return rest(4)")
        after = self.metrics()
        self.assertEqual(after["LayoutCount"] - before["LayoutCount"], 0)
        self.assertEqual(frames, 0)
        self.assertLessEqual(timers, 6, "no timer but the one that tells once a second")
        self.assertGreaterEqual(animations, 40)

    def test_many_bars_appear_and_change_their_colours_together(self):
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

    def test_bars_that_are_paused_finished_or_not_seen_ask_for_nothing(self):
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
                self.run_async(f"for (const bar of bars) {{ {script} }}; await frames2();"
                               "await frames2(); await new Promise((done) => later(done, 200))")
                self.assertEqual(self.run_async("return rest(1.5)"), [0, 0, 0])
                self.run_async(f"for (const bar of bars) {{ {undo} }}; await frames2();")

    def test_a_page_that_is_hidden_draws_nothing_and_is_right_in_the_first_frame_after(self):
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
        self.run_async("await new Promise((done) => setTimeout(done, 2500))")
        self.driver.close()
        self.driver.switch_to.window(home)
        self.wait("window.first")
        seen = self.run_script("return [whileHidden, first, bars[0].shown]")
        self.assertEqual(seen[0], [0, 0, 0])
        self.assertAlmostEqual(seen[1][0], seen[1][1], delta=0.2)
        self.assertGreater(seen[2], 6.5)

    def test_the_same_places_at_the_same_times_whatever_the_rate_of_frames(self):
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
