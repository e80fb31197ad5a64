// What a bar wears: its nodes, the style sheets of the page, its size, its ranges and marks, and what stands at values.

import { parsed } from "./attributes.js";
import { limit, numbers, wasm } from "./core.js";
import { look, sheetsFor } from "./look.js";
import { clock, readLookLater, sizes, wishes } from "./page.js";

/// How many ranges and how many marks are drawn: half of the shapes for which the core has room, but for its own.
const most = Math.floor(limit / 16 / 2) - 4;

/// The names of the elements of a drawing.
const drawing = "http://www.w3.org/2000/svg";

/// A node that a script of the page need not see.
function part(name, node = document.createElement("div")) {
  node.setAttribute("class", name);
  return node;
}

/// The dress of one bar.
export class Dress {
  #bar;
  /// The number of the bar in the core.
  #handle;
  /// Its nodes.
  #picture;
  /// The node that is as large as the bar, and the node of its shapes.
  box = part("box");
  shapes = part("shapes");
  /// The place of what the page puts in the dot, and that of all else.
  icon = document.createElement("slot");
  #others = document.createElement("slot");
  /// The node whose properties are the values of the style.
  #probe = part("probe");
  /// Where it can be pressed. Not a box but a drawing: what that reaches beyond its element is pressed too, and lets no
  /// page scroll there.
  #area = part("area", document.createElementNS(drawing, "svg"));
  #reach = document.createElementNS(drawing, "rect");
  /// Sees what stands at values, and where the icon comes and goes.
  #watcher = new MutationObserver(() => this.placeChildren());
  #look = null;
  #isLookNew = false;
  #hasIcon = false;
  /// The size in the bar's own pixels.
  size = [0, 0];
  buffered = [];
  marks = [];

  constructor(bar, handle, picture) {
    [this.#bar, this.#handle, this.#picture] = [bar, handle, picture];
    this.icon.name = "icon";
    this.box.part = "bar";
    this.box.bar = bar;
    this.#area.append(this.#reach);
    this.box.append(this.#area, this.shapes, this.#others);
    this.#probe.addEventListener("transitionrun", () => readLookLater(bar));
    this.#others.addEventListener("slotchange", () => this.placeChildren());
  }

  /// Puts the nodes in their place.
  putOn(root) {
    root.adoptedStyleSheets = sheetsFor(this.#bar.ownerDocument);
    root.replaceChildren(this.#probe, this.box);
  }

  /// Takes in sizes and children from now on. The style sheets are read with the first size: when all bars are in their
  /// places, and before the first frame.
  watch() {
    sizes.observe(this.box);
    this.#watcher.observe(this.#bar, {
      childList: true, subtree: true, attributes: true, attributeFilter: ["at", "slot"],
    });
  }

  /// Takes nothing in any more.
  rest() {
    sizes.unobserve(this.box);
    this.#watcher.disconnect();
    this.size = [0, 0];
  }

  /// Tells the core where the bar stands, and learns where it can be pressed.
  applyLayout() {
    if (!this.#look) return;
    const { margins, isRightToLeft } = this.#look;
    const direction = this.#bar.hasAttribute("vertical") ? 2 : Number(isRightToLeft);
    wasm.headway_bar_layout(
      this.#handle(), ...this.size, direction + (wishes.coarse ? 4 : 0), ...margins);
    const [x, y, width, height] = numbers();
    for (const [name, value] of Object.entries({ x, y, width, height })) {
      this.#reach.setAttribute(name, value);
    }
    this.placeChildren();
  }

  /// Tells the core how the bar looks.
  apply() {
    if (!this.#look) return this.#bar.refresh();
    const ranges = this.buffered.slice(0, most);
    const marks = this.marks.slice(0, most);
    const handle = this.#handle();
    numbers().set([
      ...this.#look.numbers, Number(this.#isIconThere), Number(!this.#bar.hasAttribute("no-drag")),
      ...this.#look.colors, ranges.length, marks.length,
      ...ranges.flat(), ...marks,
    ]);
    wasm.headway_bar_style(handle, this.#look.duration, clock.read());
    this.#picture().renew();
    this.#bar.refresh();
  }

  /// Reads the style sheets of the page, and changes nothing in it.
  read() {
    if (!this.#bar.isConnected) return;
    const old = JSON.stringify(this.#look);
    this.#look = look(this.#probe);
    this.#isLookNew ||= JSON.stringify(this.#look) !== old;
  }

  /// Draws what `read` has read.
  take() {
    this.applyLayout();
    if (this.#isLookNew) this.apply();
    else this.#bar.refresh();
    this.#isLookNew = false;
  }

  /// Takes a new size, and tells whether the style sheets are to be read: a bar that is not displayed has no size.
  resize(width, height) {
    const wasShown = this.size[0] > 0 && this.size[1] > 0;
    this.size = [width, height];
    if (!wasShown) return true;
    this.applyLayout();
    this.#bar.refresh();
    return false;
  }

  /// Whether the page has put something in the dot.
  get #isIconThere() { return this.#bar.querySelector(":scope > [slot=icon]") !== null; }

  /// Puts the children that stand at values in their places.
  placeChildren() {
    const handle = this.#handle();
    const children = [...this.#bar.children].filter((child) => child.hasAttribute("at"));
    this.#picture().place(
      children.map((node) => ({ node, value: parsed(node.getAttribute("at")) })), clock.read());
    if (this.#isIconThere !== this.#hasIcon) {
      this.#hasIcon = !this.#hasIcon;
      this.apply();
    } else {
      this.#bar.refresh();
    }
  }
}
