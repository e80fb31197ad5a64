"""The pictures of Tests/BarCases/cases.json, as a page draws them."""

from support import CASES, BarTest

PLAY = """
  const one = args[0];
  document.body.replaceChildren();
  const at = (time) => { HeadwayBar.clock = () => time; };
  at(0);
  const bar = document.createElement("headway-bar");
  bar.setPointerCapture = () => {};
  bar.style.width = `${one.width}px`;
  bar.style.height = `${one.height}px`;
  bar.setAttribute("min", one.range[0]);
  bar.setAttribute("max", one.range[1]);
  if (one.unitsPerSecond) bar.setAttribute("units-per-second", one.unitsPerSecond);
  if (one.source) bar.setAttribute("source", one.source);
  if (one.direction === "rightToLeft") bar.dir = "rtl";
  if (one.direction === "upwards") bar.setAttribute("vertical", "");
  if (one.flags?.includes("isReadOnly")) bar.setAttribute("readonly", "");
  if (one.flags?.includes("isDisabled")) bar.setAttribute("disabled", "");
  if (one.flags?.includes("isIndeterminate")) bar.setAttribute("indeterminate", "");
  const setStyle = (name, value) => {
    const property = {
      barHeight: "bar-height", fillHeight: "fill-height", cornerRadius: "corner-radius",
      dotSize: "dot-size", hoverDotSize: "hover-dot-size", dragDotSize: "drag-dot-size",
      gap: "gap", markWidth: "mark-width",
    }[name];
    if (property) bar.style.setProperty(`--headway-${property}`, `${value}px`);
    else if (name === "iconScale") bar.style.setProperty("--headway-icon-scale", value);
    else if (name === "icon") bar.insertAdjacentHTML("beforeend", "<b slot=icon>x</b>");
    else if (name.endsWith("Color")) {
      const color = { defaultColor: "track", inProgressColor: "fill", dragColor: "drag", dotColor: "dot" };
      bar.style.setProperty(`--headway-${color[name]}-color`, value);
    } else if (name === "marks") bar.marks = value;
    else if (name === "bufferedRanges") bar.buffered = value;
    else throw new Error(`no value of a style is called ${name}`);
  };
  // Without this property the filled part is as high as the bar; the table has a height of its own.
  bar.style.setProperty("--headway-fill-height", "4px");
  for (const [name, value] of Object.entries(one.style ?? {})) setStyle(name, value);
  document.body.append(bar);
  await frames2();
  HeadwayBar.refresh();
  const point = (kind, x, y) => {
    const home = bar.getBoundingClientRect();
    bar.dispatchEvent(new PointerEvent(kind, {
      clientX: home.x + x, clientY: home.y + y, pointerId: 1, pointerType: "mouse",
      isPrimary: true, button: kind === "pointermove" ? -1 : 0, bubbles: true, composed: true }));
  };
  for (const [name, ...rest] of one.steps) {
    const now = rest.pop();
    at(now);
    const [a, b] = rest;
    switch (name) {
      case "setRange": bar.min = a; bar.max = b; break;
      case "setValue": bar.setValue(a); break;
      case "animate": bar.animate(a, b); break;
      case "report": bar.report(a); break;
      case "reportRate": bar.report(a, { rate: b }); break;
      case "setPlaybackRate": bar.playbackRate = a; break;
      case "pointerDown": point("pointerdown", a, b); break;
      case "pointerMoved": point("pointermove", a, b); break;
      case "pointerUp": point("pointerup", a, b); break;
      case "press":
        bar.dispatchEvent(new KeyboardEvent("keydown", { key: a === "end" ? "End" : "ArrowRight" }));
        break;
      case "changeStyle": {
        const duration = rest[2];
        bar.style.setProperty("--headway-style-duration", `${duration}s`);
        setStyle(rest[0], rest[1]);
        HeadwayBar.refresh();
        break;
      }
      default: bar[name](...rest);
    }
  }
  at(one.time);
  await frames2();
  const looks = Array.from(bar.shadowRoot.querySelectorAll(".shape"), (node) => {
    const [style, frame] = [getComputedStyle(node), node.parentNode.className === "frame"];
    return [style.backgroundColor, style.borderRadius,
      frame ? getComputedStyle(node.parentNode).borderRadius : null,
      style.willChange === "translate"];
  });
  return { shown: bar.shown, shapes: boxes(bar), looks };
"""


def expected(case):
    """The shapes of a case: the part and four numbers."""
    return [(line.split()[0], [float(word) for word in line.split()[1:]]) for line in case["shapes"]]


def looked(line):
    """The appearance of a shape: its color, its radius, that of its frame, and whether it moves."""
    words = line.split()
    red, green, blue, opacity = bytes.fromhex(words[0][1:])
    color = f"rgb({red}, {green}, {blue})" if opacity == 255 else "rgba(0, 0, 0, 0)"
    frame = f"{words[words.index('in') + 5]}px" if "in" in words else None
    return [color, f"{words[1]}px", frame, words[-1] == "moves"]


class Pictures(BarTest):
    """Every picture, drawn in a page on a clock that the test sets."""

    def seen(self, case):
        lessens = "reducesMotion" in case.get("flags", [])
        self.command("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-reduced-motion", "value": "reduce" if lessens else "no-preference"}])
        return self.run_async(PLAY, case)

    def test_each_picture_is_drawn_as_in_the_table(self):
        self.page("")
        self.assertGreater(len(CASES), 20)
        for case in CASES:
            with self.subTest(case["name"]):
                seen = self.seen(case)
                self.assertAlmostEqual(seen["shown"], case["shown"], places=5)
                wanted = expected(case)
                self.assertEqual([name for name, *_ in seen["shapes"]], [name for name, _ in wanted])
                for (name, *numbers), (_, exact) in zip(seen["shapes"], wanted):
                    for number, right in zip(numbers, exact):
                        self.assertAlmostEqual(number, right, delta=0.02, msg=f"{name} {numbers}")
                if "looks" in case:
                    self.assertEqual(seen["looks"], [looked(line) for line in case["looks"]])

    def test_a_core_that_is_off_by_ten_pixels_is_detected(self):
        self.page("", script="/offset.js")
        for case in CASES:
            with self.subTest(case["name"]):
                seen = self.seen(case)
                axis = 2 if case.get("direction") == "upwards" else 1
                sign = 1 if "direction" not in case else -1
                dots = [shape for shape in seen["shapes"] if shape[0] in ("dot", "fill")]
                wanted = [shape for shape in expected(case) if shape[0] in ("dot", "fill")]
                self.assertEqual(len(dots), len(wanted))
                for shape, (_, exact) in zip(dots, wanted):
                    if shape[0] == "fill" and not exact[2]:
                        continue
                    # A press is handled where the dot is drawn, so the offset may count twice.
                    self.assertGreater(sign * (shape[axis] - exact[axis - 1]), 9.98)
