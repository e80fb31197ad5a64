"""The animations of a glide: a new one begins only if the old one no longer fits."""

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
  const at = (now) => { time = now; document.dispatchEvent(new Event("visibilitychange")); };
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


class Keyframes(BarTest):
    """A bar of 800 pixels and a minute, on a clock that the test sets."""

    def setUp(self):
        self.page('<headway-bar style="width: 800px" max="60" units-per-second="1"></headway-bar>')

    def run_script_at_times(self, script):
        return self.run_async(f"{START} try {{ {script} }} finally {{ "
                              "Element.prototype.animate = animate; HeadwayBar.clock = null; }")

    def test_a_report_of_the_expected_value_keeps_the_animation(self):
        seen = self.run_script_at_times("""
          bar.report(10);
          const first = renewals;
          for (let report = 1; report <= 2; report += 1) {
            time = 10 + report / 4;
            bar.report(time);
          }
          return [first, renewals];""")
        self.assertEqual(seen, [1, 1])

    def test_a_correction_and_the_glide_after_it_are_one_animation(self):
        seen = self.run_script_at_times("""
          bar.report(10);
          time = 11;
          bar.report(11.04);
          const begun = renewals;
          // The error is gone within a second, and the bar goes on at its usual speed.
          const error = strays(11, 2, 8);
          return [begun, renewals, error];""")
        self.assertEqual(seen[:2], [2, 2])
        self.assertLess(seen[2], 0.1)

    def test_a_source_that_falls_silent_is_animated_until_it_rests(self):
        seen = self.run_script_at_times("""
          bar.report(10);
          const error = strays(10, 1.5, 60);
          const rests = document.getAnimations().length
            + bar.shadowRoot.getAnimations().length;
          return [error, renewals, rests, bar.shown > 10.5];""")
        self.assertLess(seen[0], 0.1)
        # One animation at constant speed, and one that decelerates.
        self.assertEqual(seen[1:], [2, 0, True])

    def test_a_source_that_falls_silent_at_its_end_rests_there(self):
        seen = self.run_script_at_times("""
          bar.report(59.2);
          return [strays(10, 1.5, 60), bar.shown];""")
        self.assertLess(seen[0], 0.1)
        self.assertEqual(seen[1], 60)
