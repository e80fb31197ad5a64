// The appearance of a bar: its nodes, style, size, ranges and marks, and the children that stand at values.

import { parsed } from "./attributes.js";
import { LayoutBit, Direction, ShapeIndex } from "./codes.js";
import { limit, numbers, wasm } from "./core.js";
import { clock, observeSize, preferences, readStyleLater } from "./page.js";
import { readStyle, sheetsFor, styleNumbers } from "./style.js";

/// The number of ranges and of marks that are drawn: half of the shapes that fit, less those of the bar itself.
const most = Math.floor(limit / ShapeIndex.count / 2) - 4;

const svg = "http://www.w3.org/2000/svg";

/// A node of the bar with a class.
function part(name, node = document.createElement("div")) {
  node.setAttribute("class", name);
  return node;
}

/// The appearance of one bar.
export class Appearance {
  /// The internals of the bar.
  #bar;
  #element;
  /// Functions that return the number of the bar in the core, and its drawing.
  #handle;
  #drawing;
  /// The node that is as large as the bar, and the node of its shapes.
  box = part("box");
  shapes = part("shapes");
  /// The slot of the icon in the dot, and that of all other children.
  icon = document.createElement("slot");
  #others = document.createElement("slot");
  /// The node whose computed properties are the values of the style.
  #probe = part("probe");
  /// The hit area. It is an SVG rectangle, since the part of it outside the element also receives presses, but does not
  /// make the page scroll as that of a box would.
  #area = part("area", document.createElementNS(svg, "svg"));
  #hitArea = document.createElementNS(svg, "rect");
  /// Observes children that stand at values, and the icon.
  #watcher = new MutationObserver(() => this.placeChildren());
  #style = null;
  #isStyleNew = false;
  #hasIcon = false;
  /// The size in CSS pixels, before transforms of the page.
  size = [0, 0];
  buffered = [];
  marks = [];

  constructor(bar, handle, drawing) {
    [this.#bar, this.#element, this.#handle, this.#drawing] = [bar, bar.element, handle, drawing];
    this.icon.name = "icon";
    this.box.part = "bar";
    this.#area.append(this.#hitArea);
    this.#area.ariaHidden = "true";
    this.box.append(this.#area, this.shapes, this.#others);
    this.#probe.addEventListener("transitionrun", () => readStyleLater(bar));
    this.#others.addEventListener("slotchange", () => this.placeChildren());
  }

  /// Puts the nodes into the shadow root.
  attach(root) {
    root.adoptedStyleSheets = sheetsFor(this.#element.ownerDocument);
    root.replaceChildren(this.#probe, this.box);
  }

  /// Begins to observe size and children. The style is read with the first size, when all bars are in their places and
  /// before the first frame.
  observe() {
    observeSize(this.box, this.#bar, true);
    this.#watcher.observe(this.#element, {
      childList: true, subtree: true, attributes: true, attributeFilter: ["at", "slot"],
    });
  }

  stopObserving() {
    observeSize(this.box, this.#bar, false);
    this.#watcher.disconnect();
    this.size = [0, 0];
  }

  /// Passes the layout to the core, and sizes the hit area.
  applyLayout() {
    if (!this.#style) return;
    const { margins, isRightToLeft } = this.#style;
    const direction = this.#element.hasAttribute("vertical")
      ? Direction.upwards : (isRightToLeft ? Direction.rightToLeft : Direction.leftToRight);
    const bits = direction + (preferences.coarsePointer ? LayoutBit.coarse : 0);
    wasm.headway_bar_layout(this.#handle(), ...this.size, bits, ...margins);
    const [x, y, width, height] = numbers();
    for (const [name, value] of Object.entries({ x, y, width, height })) {
      this.#hitArea.setAttribute(name, value);
    }
    this.placeChildren();
  }

  /// Passes the style to the core.
  apply() {
    if (!this.#style) return this.#bar.refresh();
    const values = {
      ...this.#style.values, icon: this.#isIconPresent,
      isDraggable: !this.#element.hasAttribute("no-drag"),
    };
    const handle = this.#handle();
    numbers().set(styleNumbers(values, this.buffered.slice(0, most), this.marks.slice(0, most)));
    wasm.headway_bar_style(handle, this.#style.duration, clock.read());
    this.#drawing().invalidate();
    this.#bar.refresh();
  }

  /// Reads the style from the style sheets of the page, and changes nothing in it.
  read() {
    if (!this.#element.isConnected) return;
    const old = JSON.stringify(this.#style);
    this.#style = readStyle(this.#probe);
    this.#isStyleNew ||= JSON.stringify(this.#style) !== old;
  }

  /// Applies the style that `read` has read.
  applyRead() {
    this.applyLayout();
    if (this.#isStyleNew) this.apply();
    else this.#bar.refresh();
    this.#isStyleNew = false;
  }

  /// Sets the size, and returns whether the style has to be read: a bar that is not displayed has no size.
  resize(width, height) {
    const wasShown = this.size[0] > 0 && this.size[1] > 0;
    this.size = [width, height];
    if (!wasShown) return true;
    this.applyLayout();
    this.#bar.refresh();
    return false;
  }

  /// Whether the page has put an icon into the dot.
  get #isIconPresent() { return this.#element.querySelector(":scope > [slot=icon]") !== null; }

  /// Positions the children with `at`.
  placeChildren() {
    const handle = this.#handle();
    const children = [...this.#element.children].filter((child) => child.hasAttribute("at"));
    this.#drawing().placeChildren(
      children.map((node) => ({ node, value: parsed(node.getAttribute("at")) })), clock.read());
    if (this.#isIconPresent !== this.#hasIcon) {
      this.#hasIcon = !this.#hasIcon;
      this.apply();
    } else {
      this.#bar.refresh();
    }
  }
}
