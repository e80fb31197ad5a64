"""The accessibility properties of a bar."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import PATIENCE, ROOT, BarTest

SLIDER = '<headway-bar id="bar" aria-label="Position" value="65" max="240" units-per-second="1"></headway-bar>'

# The driver exposes every accessibility property except the value text, so the script records it.
LISTEN = """<script>
  window.said = [];
  const words = Object.getOwnPropertyDescriptor(ElementInternals.prototype, "ariaValueText");
  Object.defineProperty(ElementInternals.prototype, "ariaValueText", {
    ...words, set(text) { said.push(text); words.set.call(this, text); } });
</script>"""


class Accessibility(BarTest):
    """Roles, values and announcements."""

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

    def test_the_tree_of_the_page_has_the_bar_and_no_picture_of_its_parts(self):
        self.page(SLIDER + '<headway-bar readonly value="0.46" aria-label="Copy"></headway-bar>')
        tree = self.command("Accessibility.getFullAXTree")["nodes"]
        seen = [(node["role"]["value"], node.get("name", {}).get("value"), node.get("value", {}).get("value"))
                for node in tree if not node["ignored"]]
        # The other nodes have no role and no name, so that nobody meets them.
        bars = [node for node in seen if node[0] not in ("RootWebArea", "generic")]
        self.assertEqual([(role, name) for role, name, _ in bars],
                         [("slider", "Position"), ("progressbar", "Copy")])
        self.assertEqual([round(float(value), 6) for _, _, value in bars], [65, 0.46])

    def test_a_read_only_bar_is_a_progress_bar_in_percent(self):
        self.page(
            LISTEN + '<headway-bar id="bar" readonly value="0.46" aria-label="Copy"></headway-bar>')
        told = self.node()
        self.assertEqual((told["role"], self.said()), ("progressbar", "46 percent"))
        self.assertNotIn("focusable", told)

    def test_the_precision_of_the_value_follows_from_the_range(self):
        for value, high, told in ((5e-6, 1e-5, 5e-6), (1 / 3, 1, 0.3333), (100 / 3, 100, 33.33),
                                  (1e9 / 3, 1e9, 333333333), (0, 0, 0)):
            self.page(f'<headway-bar id="bar" value="{value}" max="{high}"></headway-bar>')
            node = self.node()
            self.assertAlmostEqual(float(node["value"]), told, delta=abs(told) * 1e-6)
            self.assertAlmostEqual(float(node["valuemax"]), high, delta=high * 1e-6)

    def test_an_indeterminate_bar_has_no_value(self):
        self.page('<headway-bar id="bar" readonly></headway-bar>')
        told = self.node()
        self.assertEqual((told["role"], told["value"] or ""), ("progressbar", ""))

    def test_a_clone_is_focusable_while_it_can_be_changed(self):
        self.page(SLIDER + '<headway-bar id="mine" readonly tabindex="0" value="0"></headway-bar>')
        seen = self.run_script("""
          const copy = bar.cloneNode(true);
          document.body.append(copy);
          const tabs = [copy.tabIndex];
          copy.readOnly = true;
          tabs.push(copy.tabIndex);
          copy.readOnly = false;
          return [...tabs, copy.tabIndex, mine.tabIndex];
        """)
        self.assertEqual(seen, [0, -1, 0, 0])

    def test_positions_that_differ_are_said_differently(self):
        for low, high, values, last in (
                (-30, 0, (-30, -12, -1, 0), "0 seconds"), (0, 0.3, (0, 0.1, 0.15, 0.3), "0.3 seconds of 0.3 seconds"),
                (0, 4, (0.2, 1, 1.5, 4), "4 seconds of 4 seconds")):
            self.page(LISTEN + f'<headway-bar id="bar" min="{low}" max="{high}" value="{high}" '
                      'units-per-second="1"></headway-bar>')
            # A value that a page sets is said a second after the last one.
            said = self.run_script("""
              let time = 1000;
              HeadwayBar.clock = () => time;
              said.length = 0;
              for (const value of arguments[0]) {
                time += 2;
                bar.setValue(value);
                HeadwayBar.refresh();
              }
              HeadwayBar.clock = null;
              return said;
            """, values)
            self.assertEqual((len(set(said)), said[-1]), (len(values), last))

    def test_a_new_format_is_said_at_once(self):
        self.page(LISTEN + '<headway-bar id="bar" value="65" max="240"></headway-bar>')
        for change, said in (("", "27 percent"), ("bar.unitsPerSecond = 1", "1 minute 5 seconds of 4 minutes"),
                             ("bar.valueFormat = 'percent'", "27 percent"),
                             ("bar.setAttribute('value-format', 'none')", None),
                             ("bar.valueFormatter = (value) => `${value} s`", "65 s")):
            self.run_script(change)
            self.assertEqual(self.said(), said, change)

    def test_the_tree_says_the_chosen_value_as_the_property_does(self):
        self.page(SLIDER)
        self.run_script("bar.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' })); bar.report(66)")
        self.assertEqual((float(self.node()["value"]), self.run_script("return bar.value")), (240, 240))

    def test_a_label_names_the_bar_and_a_page_may_format_the_value(self):
        self.page(LISTEN + '<label for="bar">Volume</label>'
                  '<headway-bar id="bar" value="0.5"></headway-bar>')
        self.assertEqual(self.node()["name"], "Volume")
        self.run_script("bar.valueFormatter = (value, low, high) => `${value} von ${high}`;"
                        "bar.dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }))")
        self.assertEqual(self.said(), "1 von 1")

    def test_a_glide_writes_no_attribute_and_announces_at_most_once_a_second(self):
        self.page(SLIDER)
        seen = self.run_async("""
          let mutations = 0;
          new MutationObserver((list) => { mutations += list.length; })
            .observe(bar, { attributes: true, subtree: true });
          let tells = 0;
          bar.valueFormatter = () => { tells += 1; return "x"; };
          const began = performance.now();
          let value = 65;
          while (performance.now() - began < 2500 || tells < 2) {
            bar.report(value += 0.05);
            await new Promise((done) => setTimeout(done, 50));
          }
          const glide = tells, seconds = (performance.now() - began) / 1000;
          bar.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
          return { mutations, glide, seconds, after: tells };
        """)
        self.assertEqual(seen["mutations"], 0)
        self.assertLessEqual(seen["glide"], seen["seconds"] + 2)
        self.assertEqual(seen["after"], seen["glide"] + 1, "a person's change is told at once")

    def test_with_reduced_motion_reports_are_shown_and_an_indeterminate_bar_still_moves(self):
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

    def test_a_later_preference_for_reduced_motion_takes_effect(self):
        self.page(SLIDER)
        self.command("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.wait("matchMedia('(prefers-reduced-motion: reduce)').matches")
        self.run_async("await frames2()")
        self.assertEqual(self.run_async(
            "bar.report(100); const first = bar.shown; await frames2(); return [first, bar.shown]"),
            [100, 100])


@unittest.skipUnless(all(map(shutil.which, ["firefox-esr", "dbus-run-session", "xvfb-run"])),
                     "needs Firefox, a session bus and Xvfb: Scripts/install-packages web gtk")
class Firefox(BarTest):
    """What another process finds on the accessibility bus of the desktop (AT-SPI), where Firefox shows its tree."""

    # Each process ends with the command.
    COMMAND = """
      firefox-esr --no-remote --profile "$1" "$2" > "$1/log" 2>&1 & browser=$!
      trap 'kill $browser; wait $browser' EXIT
      for role in slider "progress bar"; do /usr/bin/python3 -B "$0" $browser "$role"; done
    """
    SETTINGS = """
      user_pref("accessibility.force_disabled", -1);
      user_pref("browser.shell.checkDefaultBrowser", false);
      user_pref("datareporting.policy.dataSubmissionEnabled", false);
    """

    def test_role_name_value_range_and_text_are_on_the_accessibility_bus(self):
        self.site.pages["/bars.html"] = (
            '<!doctype html><script type="module" src="headway-bar.js"></script>' + SLIDER
            + '<headway-bar readonly value="0.46" aria-label="Copy"></headway-bar>')
        with tempfile.TemporaryDirectory() as profile:
            pathlib.Path(profile, "user.js").write_text(self.SETTINGS)
            run = subprocess.run(
                ["dbus-run-session", "--", "xvfb-run", "--auto-servernum", "env", "-u", "WAYLAND_DISPLAY",
                 "GDK_BACKEND=x11", "GNOME_ACCESSIBILITY=1", "bash", "-c", self.COMMAND,
                 str(ROOT / "Tests/Accessibility/atspi.py"), profile, f"{self.address}/bars.html"],
                # The socket of the bus is in the runtime directory, apart from that of another session.
                env={**os.environ, "XDG_RUNTIME_DIR": profile}, capture_output=True, text=True,
                timeout=2 * PATIENCE)
        # The bus writes messages in between.
        found = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        self.assertEqual(len(found), 2, run.stdout + run.stderr)
        for bar in found:
            self.assertIn("Value", bar["interfaces"])
        facts = [[bar[key] for key in ("role", "name", "value", "minimum", "maximum", "text")]
                 for bar in found]
        self.assertEqual(facts, [["slider", "Position", 65, 0, 240, "1 minute 5 seconds of 4 minutes"],
                                 ["progress bar", "Copy", 0.46, 0, 1, "46 percent"]])
