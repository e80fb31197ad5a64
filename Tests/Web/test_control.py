"""The bar as a control: properties, forms, and the order of calls."""

import subprocess

from support import BUILT, PATIENCE, BarTest


class Properties(BarTest):
    """Properties that are set before and after the element is defined."""

    def test_properties_that_were_set_before_the_definition_apply_and_can_be_changed(self):
        self.page("""<headway-bar id="bar"></headway-bar><headway-bar id="other"></headway-bar><script>
            bar.value = 65; bar.max = 240; bar.paused = true; bar.marks = [3]; bar.name = "place";
            bar.valueFormatter = (value) => `at ${value}`; other.indeterminate = true;</script>""")
        self.assertEqual(
            self.run_script("return [bar.value, bar.shown, bar.paused, bar.marks, bar.valueFormatter(1),"
                            " bar.getAttribute('name')]"),
            [65, 65, True, [3], "at 1", "place"])
        self.assertTrue(self.run_script("return other.matches(':state(indeterminate)')"))
        self.assertFalse(self.run_script(
            "other.indeterminate = false; return other.matches(':state(indeterminate)')"))

    def test_before_insertion_value_and_range_may_be_set_in_any_order(self):
        self.page("")
        seen = self.run_script("""
          const bar = document.createElement("headway-bar");
          bar.value = 65;
          bar.max = 240;
          const other = document.createElement("headway-bar");
          other.setAttribute("value", 30);
          other.value = 40;
          other.report(50);
          other.max = 100;
          document.body.append(bar, other);
          bar.max = 300;
          return [bar.value, bar.shown, other.value];
        """)
        self.assertEqual(seen, [65, 65, 1], "a report is of the range that holds when it comes")

    def test_a_value_that_is_set_glides_like_a_report_and_set_value_jumps(self):
        for kind, code in [("property", "bar.value = next"), ("report", "bar.report(next)"),
                           ("attribute", "bar.setAttribute('value', next)")]:
            self.page('<headway-bar id="bar" readonly value="0" max="60"></headway-bar>')
            seen = self.run_async(f"""
              const places = [];
              let next = 0;
              const reporting = setInterval(() => {{ next += 0.25; {code}; }}, 250);
              await new Promise((done) => setTimeout(done, 1000));
              const began = performance.now();
              while (performance.now() - began < 1500) {{
                await new Promise(requestAnimationFrame);
                places.push(bar.shown);
              }}
              clearInterval(reporting);
              const first = bar.value === next;
              bar.setValue(50);
              return [first, bar.shown, places];
            """)
            still = sum(a == b for a, b in zip(seen[2], seen[2][1:]))
            self.assertEqual(seen[:2], [True, 50], kind)
            # With a value only at each report, more than nine of ten frames would.
            self.assertLess(still, 0.7 * len(seen[2]), f"{kind}: {still} of {len(seen[2])} stand still")

    def test_the_first_value_is_shown_at_once_and_null_removes_it(self):
        self.page('<headway-bar id="bar" readonly max="100"></headway-bar>')
        self.assertEqual(self.run_script("""
          bar.value = 40;
          const seen = [bar.shown, bar.indeterminate];
          bar.value = null;
          seen.push(bar.indeterminate);
          bar.value = 70;
          return [...seen, bar.shown, bar.indeterminate];
        """), [40, False, True, 70, False])

    def test_a_page_may_replace_a_choice_but_an_old_position_of_a_source_does_not(self):
        for speed, expected in (("", [100, 20, True]), ('units-per-second="1"', [100, 100, True])):
            self.page(f'<headway-bar id="bar" value="50" max="100" {speed}></headway-bar>')
            self.assertEqual(self.run_script("""
              bar.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
              const seen = [bar.shown];
              bar.value = 20;
              seen.push(bar.shown);
              bar.setValue(30);
              return [...seen, bar.shown === 30];
            """), expected)

    def test_in_a_document_value_and_range_may_be_set_in_any_order(self):
        for first, second, value in (("bar.value = 200", "bar.max = 240", 200),
                                     ("bar.setAttribute('value', 200)", "bar.setAttribute('max', 240)", 200),
                                     ("bar.value = -5", "bar.min = -10", -5),
                                     ("bar.value = 200", "bar.max = 150; bar.max = 240", 200),
                                     ("bar.value = 60", "bar.max = 50; bar.max = 100", 60)):
            for page in ('<headway-bar id="bar" max="100" value="20"></headway-bar>',
                         '<headway-bar id="bar" max="100"></headway-bar>',
                         '<headway-bar id="bar" max="100" value="20" units-per-second="1"></headway-bar>'):
                self.page(page)
                seen = self.run_script(f"{first}; {second}; return [bar.value, bar.shown];")
                self.assertEqual(seen[0], value, (first, second, page))
                if "20" not in page:
                    self.assertEqual(seen[1], value, "the first value does not glide")

    def test_a_range_brings_back_no_value_that_was_replaced(self):
        for other in ("bar.report(30)", "bar.setValue(30)", "bar.seek(30)", "bar.animate(30, 0)",
                      "bar.reset(); bar.setValue(30)", "bar.value = 30",
                      "bar.setValue(31); bar.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown' }))"):
            self.page('<headway-bar id="bar" max="100"></headway-bar>')
            self.assertEqual(self.run_script(
                f"bar.value = 200; {other}; bar.max = 240; return bar.value;"), 30, other)

    def test_what_the_core_knows_the_attributes_say(self):
        self.page('<headway-bar id="bar" value="10" max="60" units-per-second="1"></headway-bar>')
        for change in ("bar.pause()", "bar.resume()", "bar.paused = true", "bar.reset()",
                       "bar.setAttribute('paused', '')", "bar.resume()", "bar.setAttribute('paused', '')", "bar.removeAttribute('paused')",
                       "bar.indeterminate = true", "bar.report(3)", "bar.setAttribute('indeterminate', '')",
                       "bar.setValue(4)", "bar.setAttribute('indeterminate', '')", "bar.indeterminate = false",
                       "bar.playbackRate = 2", "bar.reset()", "bar.setAttribute('playback-rate', '3')",
                       "bar.playbackRate = null", "bar.setAttribute('playback-rate', 'fast')"):
            seen = self.run_script(f"""{change};
              return [bar.paused, bar.hasAttribute("paused"), bar.matches(":state(paused)"),
                      bar.indeterminate, bar.hasAttribute("indeterminate"), bar.matches(":state(indeterminate)"),
                      bar.playbackRate, Number(bar.getAttribute("playback-rate") ?? 1) || 1];""")
            for index in (0, 3):
                self.assertEqual(len(set(seen[index:index + 3])), 1, (change, seen))
            self.assertEqual(seen[6], seen[7], change)

    def test_what_is_set_again_after_a_reset_takes_effect(self):
        self.page('<headway-bar id="bar" value="10" max="60" units-per-second="1"></headway-bar>')
        seen = self.run_script("""
          let time = 100;
          HeadwayBar.clock = () => time;
          const speed = () => {
            bar.setValue(10);
            bar.report(10.5);
            time += 0.25;
            bar.report(10.5 + bar.playbackRate / 4);
            const before = bar.shown;
            time += 0.01;
            return Math.round((bar.shown - before) * 100);
          };
          const seen = [];
          for (const change of [() => { bar.playbackRate = 4; }, () => bar.setAttribute("playback-rate", 4)]) {
            change();
            seen.push(speed());
            bar.reset();
            seen.push(speed());
            change();
            seen.push(speed());
          }
          HeadwayBar.clock = null;
          return seen;
        """)
        self.assertEqual(seen, [4, 1, 4] * 2)

    def test_a_speed_that_is_set_later_takes_effect(self):
        for change in ("bar.unitsPerSecond = 2", "bar.setAttribute('units-per-second', 2)"):
            self.page('<headway-bar id="bar" value="0" max="60"></headway-bar>')
            seen = self.run_script(f"""
              let time = 100;
              HeadwayBar.clock = () => time;
              {change};
              bar.report(5);
              time += 0.25;
              const shown = bar.shown;
              HeadwayBar.clock = null;
              return shown;
            """)
            self.assertAlmostEqual(seen, 5.5, msg=change)

    def test_properties_accept_the_text_of_their_attributes(self):
        self.page('<headway-bar id="bar"></headway-bar>')
        seen = self.run_script("""
          Object.assign(bar, { min: "-5", max: "100", value: "42", step: "2", playbackRate: "1.5",
            marks: "15 42", buffered: "0-60 80-90" });
          const text = [bar.min, bar.max, bar.value, bar.step, bar.playbackRate, bar.marks, bar.buffered];
          bar.marks = ["7", 8];
          bar.buffered = [["9", "60"], [70, 80]];
          text.push(bar.marks, bar.buffered);
          bar.marks = bar.buffered = "";
          text.push(bar.marks, bar.buffered);
          return text;
        """)
        self.assertEqual(seen, [-5, 100, 42, 2, 1.5, [15, 42], [[0, 60], [80, 90]], [7, 8], [[9, 60], [70, 80]],
                                [], []])

    def test_every_attribute_is_a_property_too(self):
        self.page('<headway-bar id="bar"></headway-bar>')
        for name, attribute, value in (
                ("step", "step", 2), ("unitsPerSecond", "units-per-second", 1), ("min", "min", -1), ("max", "max", 9),
                ("playbackRate", "playback-rate", 2), ("vertical", "vertical", True), ("wheel", "wheel", True),
                ("digits", "digits", True), ("noDrag", "no-drag", True), ("readOnly", "readonly", True),
                ("disabled", "disabled", True), ("paused", "paused", True), ("indeterminate", "indeterminate", True),
                ("source", "source", "forecast"), ("valueFormat", "value-format", "none"), ("name", "name", "a")):
            seen = self.run_script("""
              const [name, attribute, value] = arguments;
              const before = bar[name];
              bar[name] = value;
              const set = [bar.getAttribute(attribute), bar[name]];
              bar[name] = typeof value === "boolean" ? false : null;
              return [...set, bar.hasAttribute(attribute), bar[name] === before];
            """, name, attribute, value)
            self.assertEqual(seen, ["" if value is True else str(value), value, False, True], name)

    def test_an_attribute_that_is_no_number_is_as_if_it_were_not_there(self):
        self.page('<headway-bar id="bar" min="-1" max="5" step="2" units-per-second="1" playback-rate="2"></headway-bar>')
        for odd in ("fast", "Infinity", "NaN", ""):
            seen = self.run_script("""
              for (const name of ["min", "max", "step", "units-per-second", "playback-rate"]) {
                bar.setAttribute(name, arguments[0]);
              }
              bar.setValue(7);
              const high = bar.value;
              bar.setValue(-7);
              return [bar.min, bar.value, bar.max, high, bar.step, bar.unitsPerSecond, bar.playbackRate];
            """, odd)
            self.assertEqual(seen, [0, 0, 1, 1, None, None, 1], odd)

    def test_values_that_are_not_finite_change_nothing(self):
        self.page('<headway-bar id="bar" value="30" max="100"></headway-bar>')
        for odd in ("Infinity", "-Infinity", "NaN", "undefined"):
            self.assertEqual(self.run_async(
                f"bar.report({odd}); bar.setValue({odd}); bar.seek({odd}); await frames2();"
                "return [bar.shown, bar.reported]"), [30, 30], odd)
        self.page('<headway-bar id="bar" readonly></headway-bar>')
        self.assertTrue(self.run_script("bar.report(NaN); bar.setValue(Infinity); return bar.indeterminate"))

    def test_a_server_may_import_the_element(self):
        for name in ("headway-bar.js", "player.js"):
            # A server that renders pages has no document, no style sheets and no observers.
            run = subprocess.run(
                ["node", "--input-type=module", "-e",
                 f"const all = await import({str(BUILT / name)!r}); console.log(Object.keys(all).join())"],
                capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((run.stdout.strip(), run.stderr),
                             ("HeadwayBar" if name == "headway-bar.js" else "connect", ""), name)

    def test_disabled_read_only_and_name_are_properties(self):
        self.page('<headway-bar id="bar"></headway-bar>')
        seen = self.run_script("""
          const before = [bar.name, bar.disabled, bar.readOnly, bar.adjustable];
          bar.disabled = true;
          const disabled = [bar.matches(":disabled"), bar.adjustable];
          bar.disabled = false;
          bar.readOnly = true;
          return [before, disabled, [bar.hasAttribute("readonly"), bar.adjustable]];
        """)
        self.assertEqual(seen, [["", False, False, True], [True, False], [True, False]])

    def test_ranges_may_have_signs_and_exponents(self):
        self.page('<headway-bar id="bar" min="-20" max="2000" buffered="-10--5 -2-3.5,1e3-1.5e+3 7 x-9">'
                  "</headway-bar>")
        self.assertEqual(self.run_script("return bar.buffered"), [[-10, -5], [-2, 3.5], [1000, 1500]])

    def test_too_many_marks_hide_neither_dot_nor_icon(self):
        self.page('<headway-bar id="bar" max="1000" value="500"><b slot="icon">i</b></headway-bar>')
        seen = self.run_script("""
          bar.marks = Array.from({ length: 400 }, (_, index) => index);
          bar.buffered = bar.marks.map((mark) => [mark, mark + 0.5]);
          return boxes(bar).map(([part]) => part);
        """)
        self.assertEqual((seen[-2:], seen.count("mark"), seen.count("buffered")),
                         (["dot", "icon"], 124, 124))

    def test_a_formatter_that_throws_stops_no_event_and_no_drawing(self):
        self.page('<headway-bar id="bar" value="0.2"></headway-bar>')
        seen = self.run_script("""
          const seen = [];
          addEventListener("error", (event) => { seen.push("told"); event.preventDefault(); });
          bar.addEventListener("change", (event) => seen.push(event.detail.value));
          bar.valueFormatter = () => { throw new Error("no words"); };
          bar.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
          return seen;
        """)
        self.assertEqual(seen, ["told", "told", 1], "for the value that it finds, and for that of the key")

    def test_a_promise_of_a_hidden_bar_is_resolved(self):
        self.page('<div style="height: 5000px"></div><headway-bar id="bar" value="0"></headway-bar>')
        self.assertTrue(self.run_async("return bar.animate(0.5, 0.2)"))
        self.assertTrue(self.run_async(
            "return document.createElement('headway-bar').animate(0.5, 0.2)"))
        self.assertTrue(self.run_async("""
          bar.pause();
          const promise = bar.animate(1, 0.2);
          await new Promise((done) => setTimeout(done, 300));
          bar.resume();
          return promise;
        """))

    def test_a_page_may_load_the_script_from_two_addresses(self):
        self.page('<headway-bar id="bar" value="0.5"></headway-bar>')
        self.assertEqual(
            self.run_async("await import('/headway-bar.js?again'); return bar.value"), 0.5)

    def degrades(self, head, works, message):
        """Returns whether a page shows the bar and the fallback content."""
        self.site.pages["/after.js"] = "document.documentElement.id = 'after';"
        self.site.pages["/old.html"] = (
            f'<!doctype html>{head}<headway-bar id="bar" value="0.5"><progress id="plain" value="0.5">'
            '</progress></headway-bar><script type="module" src="/headway-bar.js"></script>'
            '<script type="module" src="/after.js"></script>')
        self.driver.get(f"{self.address}/old.html")
        self.wait("document.documentElement.id === 'after'")
        self.run_async("await new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        self.assertEqual(
            self.run_script("return [bar.shadowRoot !== null, plain.offsetWidth > 50]"),
            [works, not works], message)

    def test_a_browser_without_the_needed_features_shows_the_fallback_content(self):
        for lacking, works in (("light-dark", False), (":state", False), ("nothing", True)):
            self.degrades(
                "<script>const old = CSS.supports; CSS.supports = (what) =>"
                f" !what.includes('{lacking}') && old.call(CSS, what);</script>", works, lacking)

    def test_a_content_security_policy_needs_to_allow_only_webassembly(self):
        for policy, works in [("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'", True),
                              ("default-src 'self'", False)]:
            self.degrades(
                f'<meta http-equiv="Content-Security-Policy" content="{policy}">', works, policy)


class Forms(BarTest):
    """Forms."""

    FORM = ('<form id="form"><fieldset id="set"><headway-bar id="bar" name="volume" value="30" '
            'max="100"></headway-bar></fieldset></form>')
    DATA = "return Object.fromEntries(new FormData(form))"

    def test_a_form_submits_and_resets_it(self):
        self.page(self.FORM)
        data = "return new FormData(form).get('volume')"
        self.assertEqual(self.run_script(data), "30")
        self.run_script("bar.setValue(55)")
        self.assertEqual(self.run_script(data), "55")
        self.run_script("bar.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}))")
        self.assertEqual(self.run_script(data), "100")
        self.run_script("form.reset()")
        self.assertEqual(self.run_script(data + ", bar.value"), 30)
        self.assertEqual(self.run_script(data), "30")
        self.run_script("set.disabled = true")
        self.assertIsNone(self.run_script(data))
        self.assertFalse(self.run_script("return bar.adjustable"))

    def test_a_form_submits_a_slider_without_a_value_but_no_indeterminate_bar(self):
        self.page('<form id="form"><headway-bar id="bar" name="a" min="5" max="10"></headway-bar>'
                  '<headway-bar id="other" readonly name="b"></headway-bar></form>')
        self.assertEqual(self.run_script(self.DATA), {"a": "5"})
        self.run_script("bar.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}));"
                        "other.report(0.5)")
        self.assertEqual(self.run_script(self.DATA), {"a": "10", "b": "0.5"})
        self.run_script("form.reset()")
        self.assertEqual(self.run_script(self.DATA), {"a": "5"})

    def test_a_name_that_is_set_later_takes_effect(self):
        self.page('<form id="form"><headway-bar id="bar" value="0.25"></headway-bar></form>')
        self.assertEqual(self.run_script(self.DATA), {})
        self.run_script("bar.name = 'late'")
        self.assertEqual(self.run_script(self.DATA), {"late": "0.25"})

    def test_going_back_to_a_page_restores_the_chosen_value(self):
        self.page(self.FORM)
        self.run_script("bar.setValue(70)")
        self.site.pages["/next.html"] = "<!doctype html>"
        # A page with a listener of this kind is not kept alive, so that it is built anew.
        self.run_script("addEventListener('unload', () => {})")
        self.driver.get(f"{self.address}/next.html")
        self.driver.back()
        self.wait("window.isReady")
        self.assertEqual(self.run_script("return [bar.value, bar.shown]"), [70, 70])
        self.assertEqual(self.run_script(self.DATA), {"volume": "70"})

    def test_a_form_submits_what_the_bar_says(self):
        self.page(self.FORM)
        for change, value in (
                ("bar.report(40)", "40"), ("bar.max = 35", "35"), ("bar.max = 100; bar.value = 120", "100"),
                ("bar.max = 200", "120"), ("bar.indeterminate = true", None), ("bar.indeterminate = false", "120"),
                ("bar.name = ''", None), ("bar.name = 'volume'", "120"), ("bar.reset()", "0")):
            self.assertEqual(self.run_script(f"{change}; return new FormData(form).get('volume')"), value, change)

    def test_a_chosen_value_is_the_value_and_submitted_until_the_source_has_reached_it(self):
        self.page(self.FORM.replace("max=", 'units-per-second="1" max='))
        place = self.place()
        x, y = place["x"] + 100, place["y"] + 12
        state = "return [bar.value, bar.shown, Number(new FormData(form).get('volume'))]"
        self.mouse("Pressed", x, y)
        self.mouse("Moved", x + 20, y)
        self.run_script("bar.report(20)")
        self.assertEqual(self.run_script(state), [60] * 3)
        self.mouse("Released", x, y, buttons=0)
        self.assertEqual(self.run_script("bar.report(20.25);" + state), [50] * 3)
        self.assertEqual(self.run_script("return [bar.reported, bar.seekPending]"), [20.25, True])
        self.assertEqual(self.run_script("bar.report(50.1); bar.setValue(51);" + state), [51] * 3)

    def test_the_reset_of_a_form_changes_values_and_nothing_else(self):
        for attributes in ("", 'paused playback-rate="2"', "indeterminate"):
            self.page(f'<form id="form"><headway-bar id="bar" name="a" max="9" {attributes}></headway-bar></form>')
            state = "return [bar.paused, bar.playbackRate, bar.indeterminate, bar.value, bar.outerHTML]"
            before = self.run_script(state)
            self.assertEqual(self.run_script("bar.value = 5; form.reset();" + state)[3:4], [0])
            if attributes != "indeterminate":
                self.assertEqual(self.run_script(state), before)
