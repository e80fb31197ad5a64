// Pointer, keyboard and wheel input, passed on to the core.

import { BarPointer, CommandCode, KeyCode, ActivityCode, PointerCode } from "./codes.js";
import { wasm } from "./core.js";
import { clock } from "./page.js";

/// The elements that handle presses themselves.
const controls = "a[href], button, input, select, textarea, label, summary, [tabindex], [contenteditable]";

/// The keys by their names in events.
const keys = {
  ArrowLeft: KeyCode.left, ArrowRight: KeyCode.right, ArrowUp: KeyCode.up, ArrowDown: KeyCode.down,
  PageUp: KeyCode.pageUp, PageDown: KeyCode.pageDown, Home: KeyCode.home, End: KeyCode.end,
  Escape: KeyCode.escape,
};

const handlers = {
  pointerdown: (input, event) => input.pointerDown(event),
  pointermove: (input, event) => input.pointerMoved(event),
  pointerup: (input, event) => input.pointerUp(event),
  pointerleave: (input, event) => input.pointerLeft(event),
  pointercancel: (input, event) => input.pointerLost(event),
  lostpointercapture: (input, event) => input.pointerLost(event),
  keydown: (input, event) => input.keyDown(event),
  focus: (input) => input.setFocus(true),
  blur: (input) => input.setFocus(false),
};

/// The input of one bar.
export class Input {
  /// The internals of the bar.
  #bar;
  #element;
  /// Functions that return the number of the bar in the core, and its size before transforms of the page.
  #handle;
  #size;
  #box;
  #corners = null;
  /// The pointer that is down on the bar.
  #pointer = null;
  #isFocusedByPointer = false;

  constructor(bar, box, handle, size) {
    [this.#bar, this.#element, this.#box] = [bar, bar.element, box];
    [this.#handle, this.#size] = [handle, size];
    for (const [name, handler] of Object.entries(handlers)) {
      this.#element.addEventListener(name, (event) => handler(this, event));
    }
  }

  /// Listens to the wheel only if the bar accepts it, since such a listener delays scrolling.
  applyWheel() {
    if (this.#element.hasAttribute("wheel")) this.#element.addEventListener("wheel", this.#wheel);
    else this.#element.removeEventListener("wheel", this.#wheel);
  }

  /// Releases the pointer of a bar that was removed from the document, where it gets no event of the loss.
  disconnect() {
    this.#releasePointer();
    this.#command(CommandCode.pointerLeft);
    this.#showFocus(false);
  }

  #command(code) { wasm.headway_bar_command(this.#handle(), code, clock.read()); }

  /// Passes a pointer event to the core.
  #passPointer(event, code) {
    const [x, y] = this.#localPoint(event.clientX, event.clientY);
    const isPrimary = event.isPrimary && event.button <= 0;
    return wasm.headway_bar_pointer(
      this.#handle(), code, x, y, BarPointer[event.pointerType] ?? BarPointer.mouse,
      Number(isPrimary), clock.read()) !== 0;
  }

  /// Converts a point of the window to the coordinates of the bar, which the page may have scaled, rotated or mirrored.
  #localPoint(x, y) {
    // Nodes without a size, whose bounding boxes are exact points even if the bar is rotated.
    this.#corners ??= ["top left", "top right", "bottom left"].map((sides) => {
      const node = document.createElement("div");
      node.className = "corner";
      for (const side of sides.split(" ")) node.style[side] = 0;
      this.#box.append(node);
      return node;
    });
    const [origin, right, below] = this.#corners.map((node) => node.getBoundingClientRect());
    const [ax, ay] = [right.x - origin.x, right.y - origin.y];
    const [bx, by] = [below.x - origin.x, below.y - origin.y];
    const [px, py] = [x - origin.x, y - origin.y];
    const area = ax * by - ay * bx;
    if (area === 0) return [px, py];
    const [width, height] = this.#size();
    return [(px * by - py * bx) / area * width, (ax * py - ay * px) / area * height];
  }

  /// Whether more than the value of the bar changes.
  get #isChanging() {
    return wasm.headway_bar_advance(this.#handle(), clock.read()) === ActivityCode.changing;
  }

  pointerDown(event) {
    // A control among the children handles its own presses.
    const control = event.target.closest(controls);
    const isOther = control !== this.#element && this.#element.contains(control);
    if (event.defaultPrevented || isOther) return;
    if (this.#passPointer(event, PointerCode.down)) {
      this.#pointer = event.pointerId;
      this.#element.setPointerCapture(event.pointerId);
      // Only the focus of the keyboard enlarges the dot.
      this.#isFocusedByPointer = true;
      if (event.pointerType === "mouse") {
        this.#element.focus({ preventScroll: true, focusVisible: false });
      }
      this.#isFocusedByPointer = false;
      addEventListener("keydown", this.#escape, true);
    }
    this.#bar.refresh();
  }

  pointerMoved(event) {
    if (this.#pointer !== null && event.pointerId !== this.#pointer) return;
    const follows = this.#passPointer(event, PointerCode.move);
    if (follows || this.#isChanging) this.#bar.refresh();
  }

  pointerUp(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#releasePointer();
    this.#passPointer(event, PointerCode.up);
    this.#bar.refresh();
  }

  pointerLeft(event) {
    if (event.pointerId === this.#pointer) return;
    this.#command(CommandCode.pointerLeft);
    if (this.#isChanging) this.#bar.refresh();
  }

  pointerLost(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#releasePointer();
    this.#element.cancelDrag();
  }

  #releasePointer() {
    removeEventListener("keydown", this.#escape, true);
    this.#pointer = null;
  }

  #escape = (event) => {
    if (event.key === "Escape") this.#passKey(event);
  };

  keyDown(event) {
    // A field among the children has keys of its own.
    if (event.target !== this.#element || !this.#passKey(event)) return;
    // From the first key on, the focus that a press has set is that of the keyboard.
    if (this.#element.matches(":focus")) this.#showFocus(true);
  }

  /// Passes a key to the core, and returns whether the bar handled it.
  #passKey(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
    const digit = /^[0-9]$/.test(event.key) ? KeyCode.digit0 + Number(event.key) : undefined;
    const code = keys[event.key] ?? digit;
    if (code === undefined) return false;
    if (!wasm.headway_bar_key(this.#handle(), code, clock.read())) return false;
    event.preventDefault();
    event.stopPropagation();
    this.#bar.refresh();
    return true;
  }

  #wheel = (event) => {
    // With Control the wheel zooms the page.
    if (event.ctrlKey) return;
    const steps = -Math.sign(event.deltaY || event.deltaX);
    if (!wasm.headway_bar_wheel(this.#handle(), steps, clock.read())) return;
    event.preventDefault();
    this.#bar.refresh();
  };

  setFocus(hasFocus) {
    const isVisible = hasFocus && !this.#isFocusedByPointer
      && this.#element.matches(":focus-visible");
    this.#showFocus(isVisible);
  }

  /// Shows or hides the ring around the dot, and enlarges the dot.
  #showFocus(isVisible) {
    this.#box.classList.toggle("focused", isVisible);
    this.#command(isVisible ? CommandCode.focus : CommandCode.blur);
    this.#bar.refresh();
  }
}
