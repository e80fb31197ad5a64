"""Draws docs/web-bar.png: bars in several styles, in light and in dark, as a page shows them.

    Scripts/test-web picture
"""

import base64

from support import ROOT, BarTest

BARS = """
  <p>Position<headway-bar value="65" max="240" units-per-second="1" buffered="0-110 150-180" marks="42 120 200">
    <b at="42">Chorus</b><output at="value">1:05</output></headway-bar></p>
  <p>Copying<headway-bar readonly value="0.46"></headway-bar></p>
  <p>Nobody knows<headway-bar readonly></headway-bar></p>
  <p>Film<headway-bar class="large" value="0.6">
    <svg slot="icon" viewBox="0 0 10 10"><path d="M3 1l6 4-6 4z" fill="white"/></svg></headway-bar></p>
  <p>Level<headway-bar class="round" readonly value="0.3"></headway-bar></p>
  <p dir="rtl">Disabled<headway-bar disabled value="0.3"></headway-bar></p>
"""
STYLE = """
  body { margin: 0; width: 800px; display: flex; font: 13px/1.2 "Liberation Sans", Arial, sans-serif; }
  section { width: 400px; box-sizing: border-box; padding: 14px 28px; }
  .light { color-scheme: light; background: white; color: #1f2937; }
  .dark { color-scheme: dark; background: #11151c; color: #e8eaed; }
  p { margin: 0 0 10px; }
  p:first-child headway-bar { margin: 10px 0 16px; }
  headway-bar { width: 100%; }
  headway-bar b { transform: translate(-50%, 6px); font-weight: normal; }
  headway-bar output { transform: translate(-50%, -25px); }
  .large { height: 32px; --headway-bar-height: 12px; --headway-corner-radius: 6px; --headway-dot-size: 26px;
    --headway-fill-color: oklch(58% 0.17 150); --headway-gap: 17px; --headway-icon-scale: 0.5; }
  .round { --headway-bar-height: 16px; --headway-corner-radius: 8px; --headway-fill-color: #c2410c; }
"""


class Drawing(BarTest):
    """The picture of the documentation."""

    def test_draw(self):
        self.command("Emulation.setDeviceMetricsOverride", width=800, height=500,
                     deviceScaleFactor=2, mobile=False)
        self.page(f'<meta name="color-scheme" content="light dark">'
                  f'<section class="light">{BARS}</section><section class="dark">{BARS}</section>',
                  style=STYLE)
        # What nobody knows wanders with the time; a clock that stands draws the same picture each time.
        self.run_script("HeadwayBar.clock = () => 1.2")
        self.run_async("await frames2()")
        height = self.run_script("return document.querySelector('section').offsetHeight")
        clip = {"x": 0, "y": 0, "width": 800, "height": height, "scale": 1}
        picture = base64.b64decode(self.command("Page.captureScreenshot", clip=clip)["data"])
        self.assertLess(len(picture), 60_000)
        (ROOT / "docs/web-bar.png").write_bytes(picture)
