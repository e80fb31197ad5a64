"""A bar as a control of a page: properties, forms, and what a page may do in any order."""

from support import BarTest


class Properties(BarTest):
    """What a script sets, before the element is known and after."""

    def test_what_was_set_before_the_element_was_known_counts_and_can_be_changed(self):
        self.page("""<headway-bar id="bar"></headway-bar><headway-bar id="other"></headway-bar><script>
            bar.value = 65; bar.max = 240; bar.paused = true; bar.marks = [3]; bar.name = "place";
            bar.valueText = (value) => `at ${value}`; other.indeterminate = true;</script>""")
        self.assertEqual(
            self.run_script("return [bar.value, bar.shown, bar.paused, bar.marks, bar.valueText(1),"
                            " bar.getAttribute('name')]"),
            [65, 65, True, [3], "at 1", "place"])
        self.assertTrue(self.run_script("return other.matches(':state(indeterminate)')"))
        self.assertFalse(self.run_script(
            "other.indeterminate = false; return other.matches(':state(indeterminate)')"))

    def test_a_bar_that_stands_nowhere_yet_takes_value_and_range_in_any_order(self):
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

    def test_ranges_may_be_negative_and_of_any_kind_of_number(self):
        self.page('<headway-bar id="bar" min="-20" max="2000" buffered="-10--5 -2-3.5,1e3-1.5e+3 7 x-9">'
                  "</headway-bar>")
        self.assertEqual(self.run_script("return bar.buffered"), [[-10, -5], [-2, 3.5], [1000, 1500]])

    def test_more_marks_than_there_is_room_for_hide_neither_dot_nor_icon(self):
        self.page('<headway-bar id="bar" max="1000" value="500"><b slot="icon">i</b></headway-bar>')
        seen = self.run_script("""
          bar.marks = Array.from({ length: 400 }, (_, index) => index);
          bar.buffered = bar.marks.map((mark) => [mark, mark + 0.5]);
          return boxes(bar).map(([part]) => part);
        """)
        self.assertEqual((seen[-2:], seen.count("mark"), seen.count("buffered")),
                         (["dot", "icon"], 124, 124))

    def test_words_of_a_page_that_throw_stop_no_event_and_no_drawing(self):
        self.page('<headway-bar id="bar" value="0.2"></headway-bar>')
        seen = self.run_script("""
          const seen = [];
          addEventListener("error", (event) => { seen.push("told"); event.preventDefault(); });
          bar.addEventListener("change", (event) => seen.push(event.detail.value));
          bar.valueText = () => { throw new Error("no words"); };
          bar.dispatchEvent(new KeyboardEvent("keydown", { key: "End" }));
          return seen;
        """)
        self.assertEqual(seen, ["told", 1])

    def test_a_promise_is_kept_where_nobody_sees_the_bar(self):
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
        """Tells whether a page shows the bar, or where it does not work what stands inside."""
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

    def test_a_browser_without_what_it_is_drawn_with_shows_what_stands_inside(self):
        for lacking, works in (("light-dark", False), (":state", False), ("nothing", True)):
            self.degrades(
                "<script>const old = CSS.supports; CSS.supports = (what) =>"
                f" !what.includes('{lacking}') && old.call(CSS, what);</script>", works, lacking)

    def test_a_policy_of_the_page_needs_to_allow_no_more_than_webassembly(self):
        for policy, works in [("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'", True),
                              ("default-src 'self'", False)]:
            self.degrades(
                f'<meta http-equiv="Content-Security-Policy" content="{policy}">', works, policy)


class Forms(BarTest):
    """What a form submits."""

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

    def test_a_form_submits_a_slider_without_a_value_and_none_that_nobody_knows(self):
        self.page('<form id="form"><headway-bar id="bar" name="a" min="5" max="10"></headway-bar>'
                  '<headway-bar id="other" readonly name="b"></headway-bar></form>')
        self.assertEqual(self.run_script(self.DATA), {"a": "5"})
        self.run_script("bar.dispatchEvent(new KeyboardEvent('keydown', {key: 'End'}));"
                        "other.report(0.5)")
        self.assertEqual(self.run_script(self.DATA), {"a": "10", "b": "0.5"})
        self.run_script("form.reset()")
        self.assertEqual(self.run_script(self.DATA), {"a": "5"})

    def test_a_name_counts_from_the_moment_on_when_it_is_given(self):
        self.page('<form id="form"><headway-bar id="bar" value="0.25"></headway-bar></form>')
        self.assertEqual(self.run_script(self.DATA), {})
        self.run_script("bar.name = 'late'")
        self.assertEqual(self.run_script(self.DATA), {"late": "0.25"})

    def test_going_back_to_a_page_restores_what_was_chosen(self):
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
