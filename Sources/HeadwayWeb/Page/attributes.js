// The attributes of a bar, and the properties that only reflect them, as those of the controls of HTML.

import { HTMLElement } from "./browser.js";
import { OptionBit } from "./codes.js";
import { preferences } from "./page.js";

/// The observed attributes.
export const observed = [
  "value", "min", "max", "playback-rate", "paused", "source", "indeterminate", "readonly",
  "disabled", "vertical", "step", "wheel", "digits", "buffered", "marks", "value-format",
  "no-drag", "name",
];

/// The number in an attribute, or NaN.
export const parsed = (attribute) => attribute?.trim() ? Number(attribute) : NaN;

/// The ranges in an attribute, such as "0-10 20-30"; the numbers may have signs and exponents: "-5--2.5 1e3-2e3".
export function pairs(text) {
  const number = String.raw`([-+]?[\d.]+(?:e[-+]?\d+)?)`;
  const ranges = (text ?? "").matchAll(new RegExp(`(?<![^\\s,])${number}-${number}(?![^\\s,])`, "gi"));
  return Array.from(ranges, ([, low, high]) => [Number(low), Number(high)]);
}

/// The values in an attribute, such as "15 42".
export const list = (text) => (text ?? "").split(/[\s,]+/).filter(Boolean).map(Number);

/// The options that the attributes of a bar choose, for `headway_bar_options`.
export function options(bar) {
  return [
    [bar.getAttribute("source") === "forecast", OptionBit.forecast],
    [bar.readOnly, OptionBit.readOnly],
    [bar.disabled, OptionBit.disabled],
    [preferences.reducedMotion, OptionBit.reducedMotion],
    [bar.hasAttribute("wheel"), OptionBit.wheel],
    [bar.hasAttribute("digits"), OptionBit.digits],
  ].reduce((sum, [isSet, bit]) => sum + (isSet ? bit : 0), 0);
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
}

/// Applies the properties that were set before the element was defined, the range first, so that the value is within it.
export function upgradeProperties(element) {
  const names = Object.keys(element).filter((name) => name in element.constructor.prototype);
  for (const name of new Set([...["min", "max"].filter((end) => names.includes(end)), ...names])) {
    const value = element[name];
    delete element[name];
    element[name] = value;
  }
}
