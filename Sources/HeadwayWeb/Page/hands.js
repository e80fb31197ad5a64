// What a person does with a bar: pointers, keys and the wheel, as the browser tells of them.

import { command, keys, pointer, wasm } from "./core.js";
import { clock } from "./page.js";

/// What a person presses for itself.
const controls = "a[href], button, input, select, textarea, label, summary, [tabindex], [contenteditable]";

/// What the element listens to.
const handlers = {
  pointerdown: (hands, event) => hands.pressed(event),
  pointermove: (hands, event) => hands.moved(event),
  pointerup: (hands, event) => hands.lifted(event),
  pointerleave: (hands, event) => hands.left(event),
  pointercancel: (hands, event) => hands.lost(event),
  lostpointercapture: (hands, event) => hands.lost(event),
  keydown: (hands, event) => hands.keyed(event),
  focus: (hands) => hands.focused(true),
  blur: (hands) => hands.focused(false),
};

/// The hands on one bar.
export class Hands {
  #bar;
  /// The number of the bar in the core.
  #handle;
  /// Its size in its own pixels.
  #size;
  #box;
  #corners = null;
  /// The pointer that is down on the bar.
  #pointer = null;
  #isPointed = false;

  constructor(bar, box, handle, size) {
    [this.#bar, this.#box, this.#handle, this.#size] = [bar, box, handle, size];
    for (const [name, handler] of Object.entries(handlers)) {
      bar.addEventListener(name, (event) => handler(this, event));
    }
  }

  /// Listens to the wheel where the page asks for it: a browser that must ask a listener first scrolls late.
  applyWheel() {
    if (this.#bar.hasAttribute("wheel")) this.#bar.addEventListener("wheel", this.#turned);
    else this.#bar.removeEventListener("wheel", this.#turned);
  }

  /// Forgets the pointer of a bar that is gone: what has held it is told of its loss only while it is in the document.
  leave() {
    this.#letGo();
    this.#tell(command.pointerLeft);
  }

  /// Gives the core a command.
  #tell(what) { wasm.headway_bar_do(this.#handle(), what, clock.read()); }

  /// Tells the core where a pointer is and what it does.
  #point(event, what) {
    const [x, y] = this.#inside(event.clientX, event.clientY);
    const isPrimary = event.isPrimary && event.button <= 0;
    return wasm.headway_bar_pointer(
      this.#handle(), what, x, y, pointer[event.pointerType] ?? pointer.mouse, Number(isPrimary),
      clock.read()) !== 0;
  }

  /// Where a point of the window is in the bar, which the page may have zoomed, turned or mirrored.
  #inside(x, y) {
    // Nodes without a size, of which the browser tells where they are and not only what surrounds them.
    this.#corners ??= ["top left", "top right", "bottom left"].map((sides) => {
      const node = document.createElement("div");
      node.className = "corner";
      for (const side of sides.split(" ")) node.style[side] = 0;
      this.#box.append(node);
      return node;
    });
    const [home, right, below] = this.#corners.map((node) => node.getBoundingClientRect());
    const [ax, ay] = [right.x - home.x, right.y - home.y];
    const [bx, by] = [below.x - home.x, below.y - home.y];
    const [px, py] = [x - home.x, y - home.y];
    const area = ax * by - ay * bx;
    if (area === 0) return [px, py];
    const [width, height] = this.#size();
    return [(px * by - py * bx) / area * width, (ax * py - ay * px) / area * height];
  }

  /// Whether the bar changes in more than its value.
  get #isChanging() { return wasm.headway_bar_advance(this.#handle(), clock.read()) === 2; }

  pressed(event) {
    // A button that stands at a value is pressed itself.
    const control = event.target.closest(controls);
    const isOther = control !== this.#bar && this.#bar.contains(control);
    if (event.defaultPrevented || isOther) return;
    if (this.#point(event, pointer.down)) {
      this.#pointer = event.pointerId;
      this.#bar.setPointerCapture(event.pointerId);
      // The dot stands out for the keyboard; a pointer that is gone leaves it as it was.
      this.#isPointed = true;
      if (event.pointerType === "mouse") this.#bar.focus({ preventScroll: true });
      this.#isPointed = false;
      addEventListener("keydown", this.#escape, true);
    }
    this.#bar.refresh();
  }

  moved(event) {
    if (this.#pointer !== null && event.pointerId !== this.#pointer) return;
    const follows = this.#point(event, pointer.move);
    if (follows || this.#isChanging) this.#bar.refresh();
  }

  lifted(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#letGo();
    this.#point(event, pointer.up);
    this.#bar.refresh();
  }

  left(event) {
    if (event.pointerId === this.#pointer) return;
    this.#tell(command.pointerLeft);
    if (this.#isChanging) this.#bar.refresh();
  }

  lost(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#letGo();
    this.#bar.cancelDrag();
  }

  #letGo() {
    removeEventListener("keydown", this.#escape, true);
    this.#pointer = null;
  }

  #escape = (event) => {
    if (event.key === "Escape") this.#typed(event);
  };

  keyed(event) {
    // A field that stands at a value has keys of its own.
    if (event.target === this.#bar) this.#typed(event);
  }

  #typed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = keys[event.key] ?? (/^[0-9]$/.test(event.key) ? 16 + Number(event.key) : undefined);
    if (key === undefined) return;
    const meant = wasm.headway_bar_key(this.#handle(), key, clock.read()) !== 0;
    if (!meant) return;
    event.preventDefault();
    event.stopPropagation();
    this.#bar.refresh();
  }

  #turned = (event) => {
    // With Control the wheel zooms the page.
    if (event.ctrlKey) return;
    const steps = -Math.sign(event.deltaY || event.deltaX);
    if (!wasm.headway_bar_wheel(this.#handle(), steps, clock.read())) return;
    event.preventDefault();
    this.#bar.refresh();
  };

  focused(hasFocus) {
    const standsOut = hasFocus && !this.#isPointed && this.#bar.matches(":focus-visible");
    this.#tell(standsOut ? command.focus : command.blur);
    this.#bar.refresh();
  }
}
