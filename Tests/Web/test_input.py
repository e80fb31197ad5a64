"""Input: mouse, finger, pen, keys and wheel."""

from support import BarTest

BAR = '<headway-bar id="bar" value="25" max="100"></headway-bar>'
RECORD = """
  window.told = [];
  for (const name of ["dragbegin", "input", "change", "cancel"]) {
    bar.addEventListener(name, (event) => told.push([name, event.detail.value ?? null]));
  }
"""


class Input(BarTest):
    """Gestures."""

    def open(self, body=BAR, **more):
        self.page(body, **more)
        self.run_script(RECORD)
        place = self.place()
        self.x, self.y = place["x"], place["y"] + place["height"] / 2

    def told(self, name):
        return self.run_script("return told.filter(([n]) => n === arguments[0])", name)

    def value(self):
        return self.run_script("return [bar.shown, bar.reported, bar.dragging]")

    def test_a_report_during_a_drag_moves_nothing_and_the_release_commits_once(self):
        self.open()
        self.mouse("Pressed", self.x + 100, self.y)
        self.mouse("Moved", self.x + 150, self.y)
        self.run_script("bar.report(30)")
        self.assertEqual(self.value()[0], 75)
        self.mouse("Released", self.x + 150, self.y, buttons=0)
        self.assertEqual(self.told("change"), [["change", 75]])
        self.run_script("bar.report(31); bar.report(32)")
        self.assertEqual(self.value()[0], 75, "the source had not agreed")
        self.run_script("bar.report(75)")
        self.run_script("bar.setValue(80)")
        self.assertEqual(self.value()[0], 80)

    def test_a_press_counts_within_24_pixels_and_44_for_fingers(self):
        for coarse, reach in ((False, 12), (True, 22)):
            if coarse:
                self.command("Emulation.setTouchEmulationEnabled", enabled=True)
            self.open(style="headway-bar { height: 4px; --headway-hit-margin: 0px; "
                            "margin: 60px 0; }")
            drawn = self.run_script("return boxes(bar)[0]")
            self.assertEqual(drawn[2:], [0, 200, 4])
            self.assertEqual(self.run_script("return matchMedia('(pointer: coarse)').matches"), coarse)
            under = "return document.elementFromPoint(arguments[0], arguments[1]) === bar"
            for inside in (reach - 1, -(reach - 1)):
                self.assertTrue(self.run_script(under, self.x + 150, self.y + inside), inside)
            for outside in (reach + 2, -(reach + 2)):
                self.assertFalse(self.run_script(under, self.x + 150, self.y + outside), outside)
            if not coarse:
                self.mouse("Pressed", self.x + 150, self.y + 11)
                self.mouse("Released", self.x + 150, self.y + 11, buttons=0)
                self.assertEqual(self.told("change"), [["change", 75]])

    def test_the_first_and_the_last_pixel_are_the_ends(self):
        self.open()
        for x, value in ((0.5, 0), (199.5, 100)):
            self.mouse("Pressed", self.x + x, self.y)
            self.mouse("Released", self.x + x, self.y, buttons=0)
            self.assertEqual(self.told("change")[-1], ["change", value])

    def test_a_drag_continues_outside_and_escape_cancels_it(self):
        self.open()
        self.mouse("Pressed", self.x + 100, self.y)
        self.mouse("Moved", self.x + 180, self.y + 300)
        self.assertEqual(self.value()[0], 90)
        self.mouse("Moved", 5, 5)
        self.assertEqual(self.value()[0], 0)
        self.key("Escape", 27)
        self.assertEqual(self.value(), [25, 25, False])
        self.mouse("Moved", self.x + 180, self.y)
        self.mouse("Released", self.x + 180, self.y, buttons=0)
        self.assertEqual(self.told("change"), [])
        self.assertEqual(len(self.told("cancel")), 1)

    def test_the_right_button_and_a_hovering_pen_do_not_drag(self):
        self.open()
        self.mouse("Pressed", self.x + 100, self.y, button="right", buttons=2)
        self.mouse("Moved", self.x + 150, self.y, button="right", buttons=2)
        self.mouse("Released", self.x + 150, self.y, button="right", buttons=0)
        self.mouse("Moved", self.x + 120, self.y, button="none", buttons=0, pointerType="pen")
        self.mouse("Moved", self.x + 170, self.y, button="none", buttons=0, pointerType="pen")
        self.assertEqual(self.value(), [25, 25, False])
        self.assertEqual(self.run_script("return told"), [])

    def test_a_second_finger_cancels_a_drag(self):
        self.command("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.open()
        self.touch("Start", (self.x + 100, self.y))
        self.touch("Move", (self.x + 130, self.y))
        self.assertTrue(self.value()[2])
        self.touch("Start", (self.x + 130, self.y), (self.x + 60, self.y))
        self.assertEqual(self.value(), [25, 25, False])
        self.touch("End")
        self.assertEqual(self.told("change"), [])

    def test_the_wheel_works_only_with_its_attribute(self):
        self.open(BAR + '<div style="height: 3000px"></div>')
        self.mouse("Wheel", self.x + 100, self.y, button="none", buttons=0, deltaX=0, deltaY=120)
        self.wait("scrollY > 0")
        self.assertEqual(self.value()[0], 25)
        self.run_script("scrollTo(0, 0); bar.setAttribute('wheel', '')")
        self.wait("scrollY === 0")
        self.mouse("Wheel", self.x + 100, self.y, button="none", buttons=0, deltaX=0, deltaY=-120)
        self.wait("bar.value === 26")
        self.assertEqual(self.run_script("return scrollY"), 0)

    def test_a_swipe_across_the_bar_scrolls_the_page(self):
        self.command("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.open('<div style="height: 300px"></div>' + BAR + '<div style="height: 3000px"></div>')
        self.assertEqual(self.run_script("return getComputedStyle(bar).touchAction"), "pan-y")
        self.touch("Start", (self.x + 100, self.y))
        for step in range(1, 13):
            self.touch("Move", (self.x + 100 + step % 2, self.y - 10 * step))
        self.touch("End")
        self.wait("scrollY > 50")
        self.assertEqual(self.value(), [25, 25, False])
        self.assertEqual(self.told("change"), [])

    def test_a_swipe_along_the_bar_seeks_and_a_tap_jumps(self):
        self.command("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.open(BAR + '<div style="height: 3000px"></div>')
        self.touch("Start", (self.x + 100, self.y))
        self.touch("Move", (self.x + 120, self.y))
        self.touch("Move", (self.x + 150, self.y + 5))
        self.touch("End")
        self.assertEqual(self.told("change"), [["change", 75]])
        self.assertEqual(self.run_script("return scrollY"), 0)
        self.touch("Start", (self.x + 20, self.y))
        self.touch("End")
        self.assertEqual(self.told("change"), [["change", 75], ["change", 10]])

    def test_there_is_an_input_before_each_change_as_with_the_controls_of_html(self):
        self.open(BAR + '<input id="native" type="range" min="0" max="100" value="25">')
        self.run_script("""
          bar.setAttribute("wheel", "");
          window.native.told = [];
          for (const name of ["input", "change"]) {
            native.addEventListener(name, () => native.told.push([name, Number(native.value)]));
          }
        """)
        for target in ("bar", "native"):
            self.run_script(f"{target}.focus()")
            for key, code in [("ArrowRight", 39), ("ArrowLeft", 37), ("End", 35)]:
                self.key(key, code)
        expected = [[name, value] for value in (26, 25, 100) for name in ("input", "change")]
        self.assertEqual(self.run_script("return native.told"), expected)
        self.assertEqual(self.run_script("return told"), expected)
        self.run_script("told.length = 0")
        self.mouse("Wheel", self.x + 100, self.y, button="none", buttons=0, deltaX=0, deltaY=120)
        self.wait("told.length > 1")
        self.assertEqual(self.run_script("return told"), [["input", 99], ["change", 99]])
        # A drag has fired its inputs, also one that a person has cancelled.
        self.run_script("told.length = 0")
        self.mouse("Pressed", self.x + 100, self.y)
        self.mouse("Released", self.x + 100, self.y, buttons=0)
        self.mouse("Pressed", self.x + 150, self.y)
        self.key("Escape", 27)
        self.mouse("Released", self.x + 150, self.y, buttons=0)
        self.run_script("bar.focus()")
        self.key("Home", 36)
        self.assertEqual(self.run_script("return told.map(([name]) => name)"),
                         ["dragbegin", "input", "change", "dragbegin", "input", "cancel", "input", "change"])

    def test_what_changes_nothing_sends_no_event_as_with_the_controls_of_html(self):
        self.open('<headway-bar id="bar" value="100" max="100" wheel></headway-bar>'
                  '<input id="native" type="range" min="0" max="100" value="100">')
        self.run_script("native.oninput = native.onchange = () => told.push(['native'])")
        for target in ("bar", "native"):
            self.run_script(f"{target}.focus()")
            for key, code in [("ArrowRight", 39), ("ArrowUp", 38), ("PageUp", 33), ("End", 35)]:
                self.key(key, code)
        self.assertFalse(self.run_script("""
          const event = new WheelEvent("wheel", { deltaY: -100, cancelable: true });
          return bar.dispatchEvent(event);"""), "the page does not scroll at the end of a bar")
        self.assertEqual(self.run_script("return told"), [])
        for value, offset in ((50, 0), (33.3, 2), (0.2, 0), (99.9, -3)):
            self.run_script("told.length = 0; bar.setValue(arguments[0])", value)
            x = self.x + 2 * value + offset
            self.mouse("Pressed", x, self.y)
            self.mouse("Moved", x, self.y + 5)
            self.mouse("Released", x, self.y, buttons=0)
            self.assertEqual(self.run_script("return told"), [["dragbegin", None], ["cancel", None]], value)
            self.assertEqual(self.value(), [value, value, False])

    def test_what_a_person_chooses_is_on_a_step_as_with_the_controls_of_html(self):
        for step, high, value in ((1, 10, 5), (0.1, 1, 0.5), (0.1, 10, 0.1), (5, 100, 50)):
            self.open(f'<headway-bar id="bar" value="{value}" max="{high}" step="{step}"></headway-bar>'
                      f'<input id="native" type="range" value="{value}" max="{high}" step="{step}">')
            values = []
            for target in ("bar", "native"):
                self.run_script(f"{target}.focus()")
                values.append([])
                for key, code in 3 * [("ArrowRight", 39)] + 4 * [("ArrowLeft", 37)]:
                    self.key(key, code)
                    values[-1].append(self.run_script(f"return Number({target}.value)"))
            self.assertEqual(*values)
            self.run_script("told.length = 0")
            for x in (23, 73.4, 121, 150):
                self.mouse("Pressed", self.x + x, self.y)
                self.mouse("Moved", self.x + x + 7, self.y)
                self.mouse("Released", self.x + x + 7, self.y, buttons=0)
            told = self.run_script("return told.filter(([, value]) => value !== null).map(([, value]) => value)")
            self.assertGreater(len(told), 4)
            self.assertEqual(told, self.run_script("""
              return arguments[0].map((value) => {
                native.value = value;
                return Number(native.value);
              });""", told))

    def test_a_video_may_be_sought_between_the_steps_of_its_keys(self):
        self.open('<headway-bar id="bar" value="7.25" max="100" step="5" units-per-second="1"></headway-bar>')
        self.run_script("bar.focus()")
        self.key("ArrowRight", 39)
        self.mouse("Pressed", self.x + 73, self.y)
        self.mouse("Released", self.x + 73, self.y, buttons=0)
        self.assertEqual(self.told("change"), [["change", 12.25], ["change", 36.5]])

    def test_the_ring_of_the_focus_comes_with_keys_and_not_with_a_press(self):
        ring = "return getComputedStyle(bar.shadowRoot.querySelector('[part=dot]')).outlineStyle"
        self.open(BAR + '<button id="other">Other</button>')
        for first in ("", "other.focus()"):
            self.run_script(first + "; bar.blur()")
            self.mouse("Pressed", self.x + 60, self.y)
            self.assertEqual(self.run_script(ring), "none")
            self.mouse("Released", self.x + 60, self.y, buttons=0)
            self.assertEqual(self.run_script(ring), "none")
            self.assertFalse(self.run_script("return bar.matches(':focus-visible')"))
            self.key("ArrowRight", 39)
            self.assertEqual(self.run_script(ring), "solid")
            self.assertEqual(self.run_script("bar.blur();" + ring), "none")
            self.assertEqual(self.run_script("bar.focus();" + ring), "solid")
            self.run_script("window.removed = bar; bar.remove(); document.body.prepend(removed)")
            self.assertEqual(self.run_script(ring), "none")

    def test_keys(self):
        self.open()
        self.run_script("bar.focus()")
        for key, code, value in [
                ("ArrowRight", 39, 26), ("ArrowUp", 38, 27), ("ArrowLeft", 37, 26),
                ("ArrowDown", 40, 25), ("PageUp", 33, 35), ("PageDown", 34, 25), ("End", 35, 100),
                ("Home", 36, 0)]:
            self.key(key, code)
            self.assertEqual(self.told("change")[-1], ["change", value], key)
        self.key("5", 53)
        self.assertEqual(self.value()[0], 0, "digits were not asked for")
        self.run_script("bar.setAttribute('digits', ''); bar.setAttribute('step', '5')")
        self.key("5", 53)
        self.key("ArrowRight", 39)
        self.assertEqual(self.told("change")[-2:], [["change", 50], ["change", 55]])
        self.run_script("bar.dir = 'rtl'")
        self.run_async("await frames2(); await frames2()")
        self.key("ArrowLeft", 37)
        self.assertEqual(self.told("change")[-1], ["change", 60])
        count = len(self.told("change"))
        self.run_script("bar.setAttribute('disabled', '')")
        self.key("ArrowLeft", 37)
        self.run_script("bar.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home'}))")
        self.assertEqual(len(self.told("change")), count)

    def test_a_vertical_bar_is_dragged_upwards(self):
        self.open('<headway-bar id="bar" vertical value="25" max="100" '
                  'style="width: 24px; height: 200px"></headway-bar>')
        place = self.place()
        self.assertEqual(self.run_script("return getComputedStyle(bar).touchAction"), "pan-x")
        self.mouse("Pressed", place["x"] + 12, place["y"] + 100)
        self.mouse("Moved", place["x"] + 12, place["y"] + 40)
        self.mouse("Released", place["x"] + 12, place["y"] + 40, buttons=0)
        self.assertEqual(self.told("change"), [["change", 80]])

    def test_a_bar_that_is_removed_during_a_drag_stops_listening_and_can_be_dragged_again(self):
        self.open("""<script>
          window.listening = 0;
          for (const [name, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {
            const old = window[name];
            window[name] = (type, ...rest) => {
              listening += type === "keydown" ? step : 0;
              return old.call(window, type, ...rest);
            };
          }</script>""" + BAR)
        self.mouse("Pressed", self.x + 100, self.y)
        self.mouse("Moved", self.x + 150, self.y)
        self.assertEqual(self.run_script("return listening"), 1)
        self.run_script("window.removed = bar; bar.remove()")
        self.assertEqual(self.run_script("return [listening, removed.value, removed.dragging]"),
                         [0, 25, False])
        self.mouse("Released", self.x + 150, self.y, buttons=0)
        self.assertEqual(self.told("change"), [])
        self.run_script("document.body.append(removed)")
        self.run_async("await frames2()")
        self.mouse("Moved", self.x + 100, self.y, button="none", buttons=0)
        self.wait("boxes(bar).at(-1)[3] === 16")
        self.mouse("Moved", self.x + 100, self.y + 200, button="none", buttons=0)
        self.wait("boxes(bar).at(-1)[3] === 12")
        self.mouse("Pressed", self.x + 100, self.y)
        self.mouse("Released", self.x + 100, self.y, buttons=0)
        self.assertEqual(self.told("change"), [["change", 50]])

    def test_a_press_hits_the_visible_dot_on_a_scaled_rotated_or_mirrored_bar(self):
        self.open(style="headway-bar { margin: 200px }")
        for style in ("transform: scale(2)", "transform: scale(0.5, 3)", "transform: scaleX(-1)",
                      "transform: rotate(90deg)", "rotate: 30deg", "transform: skewX(20deg)", "zoom: 2"):
            with self.subTest(style):
                x, y = self.run_async("""
                  bar.style.cssText = args[0];
                  bar.setValue(75);
                  await frames2();
                  const dot = bar.shadowRoot.querySelector("[part=dot]").getBoundingClientRect();
                  bar.setValue(0);
                  return [dot.x + dot.width / 2, dot.y + dot.height / 2];
                """, style)
                self.mouse("Pressed", x, y)
                self.mouse("Released", x, y, buttons=0)
                self.assertAlmostEqual(self.told("change")[-1][1], 75, delta=0.1)

    def test_a_button_and_a_field_in_the_bar_keep_their_presses_and_keys(self):
        self.open('<headway-bar id="bar" value="25" max="100"><button id="chapter" at="60" '
                  'style="transform: translate(-50%, -50%)">2</button>'
                  '<input id="field" at="90" value="abc"></headway-bar>')
        self.run_script("window.clicks = 0; chapter.onclick = () => clicks++")
        self.mouse("Pressed", self.x + 120, self.y)
        self.mouse("Released", self.x + 120, self.y, buttons=0)
        self.assertEqual(self.run_script("return clicks"), 1)
        self.run_script("field.focus(); field.setSelectionRange(3, 3)")
        self.key("Home", 36)
        self.assertEqual(self.run_script("return field.selectionStart"), 0)
        self.assertEqual(self.run_script("return [told, bar.value]"), [[], 25])

    def test_without_the_wheel_attribute_nothing_delays_scrolling(self):
        self.open()
        listening = []
        for change in ("", "bar.setAttribute('wheel', '')", "bar.removeAttribute('wheel')"):
            self.run_script(change)
            bar = self.command("Runtime.evaluate", expression="bar")["result"]["objectId"]
            all = self.command("DOMDebugger.getEventListeners", objectId=bar)["listeners"]
            self.assertIn("keydown", [one["type"] for one in all])
            listening.append([one["type"] for one in all].count("wheel"))
        self.assertEqual(listening, [0, 1, 0])

    def test_the_wheel_with_control_zooms_the_page(self):
        self.open('<headway-bar id="bar" wheel value="25" max="100"></headway-bar>')
        seen = self.run_script("""
          return [true, false].map((ctrlKey) => {
            const event = new WheelEvent("wheel", { deltaY: -100, ctrlKey, cancelable: true });
            bar.dispatchEvent(event);
            return [event.defaultPrevented, bar.value];
          });
        """)
        self.assertEqual(seen, [[False, 25], [True, 26]])
