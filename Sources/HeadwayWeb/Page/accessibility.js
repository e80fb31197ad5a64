// The accessibility properties of a bar, and its states for style sheets.

import { StateBit, TextCode } from "./codes.js";
import { numbers, text, wasm } from "./core.js";
import { kebab } from "./style.js";

/// The accessibility of one bar.
export class Accessibility {
  #element;
  #internals;
  /// The numbers that were announced last.
  #latest = null;
  /// Whether this class has set the tab index.
  #hasOwnTabIndex = false;
  #states = 0;

  constructor(element, internals) {
    this.#element = element;
    this.#internals = internals;
  }

  /// Sets the custom states of the element, such as `:state(dragging)`.
  showStates(bits) {
    if (bits === this.#states) return;
    this.#states = bits;
    for (const [name, bit] of Object.entries(StateBit)) {
      if (bits & bit) this.#internals.states.add(kebab(name));
      else this.#internals.states.delete(kebab(name));
    }
  }

  /// Whether a value is the one that was announced last.
  hasAnnounced(value) { return this.#latest?.[3] === value; }

  /// Updates the accessibility properties if the core has an announcement.
  announce(handle, now) {
    if (!wasm.headway_bar_announce(handle, now)) return;
    this.#latest = numbers().slice(0, 6);
    this.update();
  }

  /// Sets the accessibility properties of the latest announcement, in words that may have changed.
  update() {
    if (this.#latest === null) return;
    const [isSlider, low, high, value, isDisabled, isVertical] = this.#latest;
    const internals = this.#internals;
    const isKnown = !Number.isNaN(value);
    internals.role = isSlider ? "slider" : "progressbar";
    internals.ariaValueMin = String(low);
    internals.ariaValueMax = String(high);
    // Four significant digits of the range; nobody wants to hear more.
    const digits = Math.min(Math.max(4 - Math.ceil(Math.log10(high - low)), 0), 20);
    internals.ariaValueNow = isKnown ? String(Number(value.toFixed(digits))) : null;
    internals.ariaValueText = isKnown ? this.#valueText(value, low, high) : null;
    internals.ariaDisabled = isDisabled ? "true" : null;
    internals.ariaOrientation = isSlider ? (isVertical ? "vertical" : "horizontal") : null;
    this.#setFocusable(isSlider !== 0 && !isDisabled);
  }

  /// Sets or removes the tab index, unless the page has set it.
  #setFocusable(isFocusable) {
    if (isFocusable === this.#hasOwnTabIndex) return;
    // A clone of a bar has a tab index that its original has set itself.
    const own = isFocusable ? "0" : null;
    if (!this.#hasOwnTabIndex && (this.#element.getAttribute("tabindex") ?? own) !== own) return;
    this.#hasOwnTabIndex = isFocusable;
    if (isFocusable) this.#element.tabIndex = 0;
    else this.#element.removeAttribute("tabindex");
  }

  #valueText(value, low, high) {
    try {
      if (this.#element.valueFormatter) return this.#element.valueFormatter(value, low, high);
    } catch (error) {
      // An error in the page's function must not stop events or other bars; use the built-in text.
      reportError(error);
    }
    const format = this.#element.valueFormat
      || (this.#element.unitsPerSecond === null ? "percent" : "time");
    if (format === "none") return null;
    return text(
      format === "time"
        ? wasm.headway_bar_text(TextCode.time, value, high, high - low)
        : wasm.headway_bar_text(TextCode.percent, (value - low) / (high - low), 0, 0));
  }
}
