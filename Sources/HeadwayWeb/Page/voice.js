// What assistive technology and the style sheets of a page are told of a bar.

import { numbers, state, text, wasm } from "./core.js";

/// The voice of one bar.
export class Voice {
  #bar;
  #internals;
  #told = NaN;
  #hasOwnTab = false;
  #states = 0;

  constructor(bar, internals) {
    this.#bar = bar;
    this.#internals = internals;
  }

  /// Lets style sheets know what the bar is doing: `:state(dragging)`, and so on.
  show(bits) {
    if (bits === this.#states) return;
    this.#states = bits;
    for (const [name, bit] of Object.entries(state)) {
      if (bits & bit) this.#internals.states.add(name);
      else this.#internals.states.delete(name);
    }
  }

  /// Whether a value is the one that was told last.
  knows(value) { return this.#told === value; }

  /// Tells what the core wants to be told.
  announce(handle, now) {
    if (!wasm.headway_bar_announce(handle, now)) return;
    const [isSlider, low, high, value, isDisabled, isVertical] = numbers();
    const internals = this.#internals;
    const isKnown = !Number.isNaN(value);
    this.#told = value;
    internals.role = isSlider ? "slider" : "progressbar";
    internals.ariaValueMin = String(low);
    internals.ariaValueMax = String(high);
    // As exact as four digits of the range: nobody wants to hear more.
    const digits = Math.min(Math.max(4 - Math.ceil(Math.log10(high - low)), 0), 20);
    internals.ariaValueNow = isKnown ? String(Number(value.toFixed(digits))) : null;
    internals.ariaValueText = isKnown ? this.#words(value, low, high) : null;
    internals.ariaDisabled = isDisabled ? "true" : null;
    internals.ariaOrientation = isSlider ? (isVertical ? "vertical" : "horizontal") : null;
    this.#takeTab(isSlider !== 0 && !isDisabled);
  }

  /// Lets the keyboard reach the bar, or no more, unless the page has chosen.
  #takeTab(wantsTab) {
    if (wantsTab === this.#hasOwnTab) return;
    // The copy of a bar has the tab that the bar has given itself.
    const own = wantsTab ? "0" : null;
    if (!this.#hasOwnTab && (this.#bar.getAttribute("tabindex") ?? own) !== own) return;
    this.#hasOwnTab = wantsTab;
    if (wantsTab) this.#bar.tabIndex = 0;
    else this.#bar.removeAttribute("tabindex");
  }

  /// A value in words.
  #words(value, low, high) {
    try {
      if (this.#bar.valueText) return this.#bar.valueText(value, low, high);
    } catch (error) {
      // A page that finds no words loses neither its events nor the other bars; the core has some.
      reportError(error);
    }
    const kind = this.#bar.getAttribute("words")
      ?? (this.#bar.hasAttribute("units-per-second") ? "time" : "percent");
    if (kind === "none") return null;
    return text(
      kind === "time"
        ? wasm.headway_bar_words(1, value, high)
        : wasm.headway_bar_words(0, (value - low) / (high - low), 0));
  }
}
