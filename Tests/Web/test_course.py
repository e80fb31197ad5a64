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
  // How far the dot is from where the core has it, at worst of as many times as there are steps.
  const strays = (begin, seconds, steps) => {
    const errors = Array.from({ length: steps }, (_, step) => {
      at(begin + (step + 1) * seconds / steps);
      return Math.abs(middle() - bar.shown / 60 * 800);
    });
    return Math.max(...errors);
  };
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
          const error = strays(11, 2, 8);
          return [begun, renewals, error];""")
        self.assertEqual(seen[:2], [2, 2])
        self.assertLess(seen[2], 0.1)

    def test_a_source_that_falls_silent_is_drawn_to_its_rest(self):
        seen = self.run_course("""
          bar.report(10);
          const error = strays(10, 1.5, 60);
          const rests = document.getAnimations().length
            + bar.shadowRoot.getAnimations().length;
          return [error, renewals, rests, bar.shown > 10.5];""")
        self.assertLess(seen[0], 0.1)
        # One course at an even speed, one that slows down.
        self.assertEqual(seen[1:], [2, 0, True])

    def test_a_source_that_falls_silent_at_its_end_rests_on_it(self):
        seen = self.run_course("""
          bar.report(59.2);
          return [strays(10, 1.5, 60), bar.shown];""")
        self.assertLess(seen[0], 0.1)
        self.assertEqual(seen[1], 60)
