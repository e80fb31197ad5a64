// The attributes of a bar and the properties that are nothing else, as those of the controls of a page.

import { option } from "./core.js";
import { wishes } from "./page.js";

/// What a bar is told of.
export const observed = [
  "value", "min", "max", "playback-rate", "paused", "source", "indeterminate", "readonly",
  "disabled", "vertical", "step", "wheel", "digits", "buffered", "marks", "words", "no-drag", "name",
];

/// A number of an attribute; no number where it is none.
export const parsed = (attribute) => attribute?.trim() ? Number(attribute) : NaN;

/// The ranges of an attribute: "0-10 20-30", with numbers of any kind: "-5--2.5 1e3-2e3".
export function pairs(text) {
  const number = String.raw`([-+]?[\d.]+(?:e[-+]?\d+)?)`;
  const ranges = (text ?? "").matchAll(new RegExp(`(?<![^\\s,])${number}-${number}(?![^\\s,])`, "gi"));
  return Array.from(ranges, ([, low, high]) => [Number(low), Number(high)]);
}

/// The values of an attribute: "15 42".
export const list = (text) => (text ?? "").split(/[\s,]+/).filter(Boolean).map(Number);

/// What the attributes of a bar choose, for `headway_bar_options`.
export function choices(bar) {
  return [
    [bar.getAttribute("source") === "forecast", option.forecast],
    [bar.readOnly, option.readOnly],
    [bar.disabled, option.disabled],
    [wishes.lessMotion, option.lessMotion],
    [bar.hasAttribute("wheel"), option.wheel],
    [bar.hasAttribute("digits"), option.digits],
  ].reduce((sum, [holds, bit]) => sum + (holds ? bit : 0), 0);
}

/// A control of a page.
export class Control extends HTMLElement {
  static formAssociated = true;

  get type() { return this.localName; }

  get name() { return this.getAttribute("name") ?? ""; }
  set name(name) { this.setAttribute("name", name); }

  get disabled() { return this.hasAttribute("disabled"); }
  set disabled(value) { this.toggleAttribute("disabled", Boolean(value)); }

  get readOnly() { return this.hasAttribute("readonly"); }
  set readOnly(value) { this.toggleAttribute("readonly", Boolean(value)); }

  get playbackRate() { return parsed(this.getAttribute("playback-rate") ?? "1"); }
  set playbackRate(rate) { this.setAttribute("playback-rate", rate); }

  /// Takes the properties that were set before the class was known: the range first, so that the value is one of it.
  takeEarly() {
    const names = Object.keys(this).filter((name) => name in this.constructor.prototype);
    for (const name of new Set([...["min", "max"].filter((end) => names.includes(end)), ...names])) {
      const early = this[name];
      delete this[name];
      this[name] = early;
    }
  }
}
