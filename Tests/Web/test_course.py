"""What a glide hands to the compositor: one course of animations, and a new one only where the old one is wrong."""

from support import BarTest

START = """
  let time = 10;
  HeadwayBar.clock = () => time;
  const bar = document.querySelector("headway-bar");
  let renewals = 0;
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...words) {
    if (this.part.value === "dot") renewals += 1;
    return animate.apply(this, words);
  };
  const at = (now) => { time = now; bar.refresh(); };
  const middle = () => {
    const home = bar.getBoundingClientRect();
    const box = bar.shadowRoot.querySelector("[part=dot]").getBoundingClientRect();
    return box.x + box.width / 2 - home.x;
  };
  const place = (value) => value / 60 * 800;
"""


class Course(BarTest):
    """On a clock that the test sets, a bar of 800 pixels and a minute."""

    def setUp(self):
        self.page('<headway-bar style="width: 800px" max="60" units-per-second="1"></headway-bar>')

    def run_course(self, script):
        return self.run_async(f"{START} try {{ {script} }} finally {{ "
                              "Element.prototype.animate = animate; HeadwayBar.clock = null; }")

    def test_a_report_that_says_what_was_expected_renews_nothing(self):
        seen = self.run_course("""
          bar.report(10);
          const first = renewals;
          for (let report = 1; report <= 2; report += 1) {
            time = 10 + report / 4;
            bar.report(time);
          }
          return [first, renewals];""")
        self.assertEqual(seen, [1, 1])

    def test_a_correction_and_what_follows_it_are_one_course(self):
        seen = self.run_course("""
          bar.report(10);
          time = 11;
          bar.report(11.04);
          const begun = renewals;
          // The error is gone within a second, and the bar goes on at its usual speed.
          const errors = [];
          for (let step = 1; step <= 8; step += 1) {
            at(11 + step / 4);
            errors.push(Math.abs(middle() - place(bar.shown)));
          }
          return [begun, renewals, Math.max(...errors)];""")
        self.assertEqual(seen[:2], [2, 2])
        self.assertLess(seen[2], 0.1)

    def test_a_source_that_falls_silent_is_drawn_to_its_rest(self):
        seen = self.run_course("""
          bar.report(10);
          const errors = [];
          for (let step = 1; step <= 60; step += 1) {
            at(10 + step / 40);
            errors.push(Math.abs(middle() - place(bar.shown)));
          }
          const rests = document.getAnimations().length
            + bar.shadowRoot.getAnimations().length;
          return [Math.max(...errors), renewals, rests, bar.shown > 10.5];""")
        self.assertLess(seen[0], 0.1)
        # One course at an even speed, one that slows down.
        self.assertEqual(seen[1:], [2, 0, True])

    def test_a_source_that_falls_silent_at_its_end_rests_on_it(self):
        seen = self.run_course("""
          bar.report(59.2);
          const errors = [];
          for (let step = 1; step <= 60; step += 1) {
            at(10 + step / 40);
            errors.push(Math.abs(middle() - place(bar.shown)));
          }
          return [Math.max(...errors), bar.shown];""")
        self.assertLess(seen[0], 0.1)
        self.assertEqual(seen[1], 60)
