"""The bar as part of a page: style sheets, sizes, shadow roots and documents."""

from support import BarTest

SLIDER = '<headway-bar id="bar" aria-label="Position" value="65" max="240" units-per-second="1"></headway-bar>'


class Styles(BarTest):
    """Colors, styles and sizes."""

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

    def test_the_fill_has_enough_contrast_in_light_in_dark_and_with_forced_colors(self):
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

    def test_a_change_of_the_color_scheme_needs_no_script(self):
        self.page('<meta name="color-scheme" content="light dark">' + SLIDER)
        before = self.run_script(self.COLORS)[1]
        self.command("Emulation.setEmulatedMedia", media="",
                     features=[{"name": "prefers-color-scheme", "value": "dark"}])
        self.wait("getComputedStyle(bar.shadowRoot.querySelector('[part=fill]')).backgroundColor"
                  f" !== 'rgb({before[0]}, {before[1]}, {before[2]})'")

    def test_a_new_hit_margin_takes_effect_in_the_next_frame(self):
        self.page('<headway-bar id="bar" value="30" max="100"></headway-bar>')
        under = "return document.elementFromPoint(100, bar.getBoundingClientRect().bottom + 25) === bar"
        self.assertFalse(self.run_script(under))
        self.run_script("bar.style.setProperty('--headway-hit-margin-bottom', '30px')")
        self.run_async("await frames2(); await frames2()")
        self.assertTrue(self.run_script(under))

    def test_every_style_property_can_be_set_alone_and_moves_no_value(self):
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

    def test_a_style_change_during_a_glide_is_drawn(self):
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

    def test_the_track_can_use_the_text_color(self):
        self.page('<headway-bar id="bar" value="30" max="100"></headway-bar>', style="headway-bar "
                  "{ color: rgb(1, 2, 3); --headway-track-color: currentColor }")
        self.assertEqual(self.run_script(self.COLORS)[2], [1, 2, 3])

    def test_the_bar_is_printed_and_forced_colors_apply_to_its_children(self):
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


class Placement(BarTest):
    """Placement in a page."""

    def test_the_hit_area_makes_no_page_scroll(self):
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

    def test_it_works_inside_a_shadow_root(self):
        self.page('<div id="host"></div>')
        seen = self.run_async("""
          const root = host.attachShadow({ mode: "open" });
          root.innerHTML = '<style>headway-bar { width: 200px; --headway-dot-size: 8px }</style>'
            + '<headway-bar value=50 max=100></headway-bar>';
          await frames2();
          return boxes(root.querySelector("headway-bar"));
        """)
        self.assertEqual(seen[-1], ["dot", 96, 8, 8, 8])

    def test_a_server_may_render_the_bar_in_a_declarative_shadow_root(self):
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

    def test_it_keeps_its_style_in_another_document(self):
        self.page('<headway-bar id="bar" value="50" max="100"></headway-bar>'
                  '<iframe id="frame"></iframe>')
        seen = self.run_async("""
          const moved = bar;
          const look = async (home) => {
            home.append(moved);
            moved.style.width = "200px";
            await frames2();
            return [moved.getBoundingClientRect().height, ...boxes(moved).at(-1)];
          };
          document.createElement("template").content.append(moved);
          return [await look(frame.contentDocument.body), await look(document.body)];
        """)
        self.assertEqual(seen, [[24, "dot", 94, 6, 12, 12]] * 2)

    def test_without_script_the_fallback_content_is_shown(self):
        inside = '<headway-bar id="bar" value="0.5"><progress id="plain" value="0.5"></progress></headway-bar>'
        self.site.pages["/plain.html"] = f"<!doctype html>{inside}"
        self.driver.get(f"{self.address}/plain.html")
        self.assertGreater(self.run_script("return plain.getBoundingClientRect().width"), 50)
        self.page(inside)
        self.assertEqual(self.run_script("return plain.getBoundingClientRect().width"), 0)

    def test_children_stand_at_values_and_follow_the_shown_one(self):
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
