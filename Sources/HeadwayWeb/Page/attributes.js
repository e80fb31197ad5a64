// The attributes of a bar, and the properties that only reflect them, as those of the controls of HTML.

import { HTMLElement } from "./browser.js";
import { OptionBit } from "./codes.js";
import { preferences } from "./page.js";
import { kebab } from "./style.js";

/// The observed attributes.
export const observed = [
  "value", "min", "max", "playback-rate", "paused", "source", "indeterminate", "readonly",
  "disabled", "vertical", "step", "wheel", "digits", "buffered", "marks", "value-format",
  "no-drag", "name", "units-per-second",
];

/// The number in an attribute, or NaN.
export const parsed = (attribute) => attribute?.trim() ? Number(attribute) : NaN;

/// The ranges in a text, such as "0-10 20-30"; the numbers may have signs and exponents: "-5--2.5 1e3-2e3".
function pairs(text) {
  const number = String.raw`([-+]?[\d.]+(?:e[-+]?\d+)?)`;
  const found = text.matchAll(new RegExp(`(?<![^\\s,])${number}-${number}(?![^\\s,])`, "gi"));
  return Array.from(found, ([, low, high]) => [low, high]);
}

/// The ranges in any form: the text of the attribute, pairs of values, or the `TimeRanges` of a player.
export function rangesIn(source) {
  let all = typeof source === "string" ? pairs(source) : source ?? [];
  if (typeof all.start === "function") {
    all = Array.from(all, (_, index) => [source.start(index), source.end(index)]);
  }
  return Array.from(all, (range) => Array.from(range, Number)).filter(([low, high]) => low <= high);
}

/// The values in any form: the text of the attribute, such as "15 42", or a list.
export function valuesIn(source) {
  const all = typeof source === "string" ? source.split(/[\s,]+/).filter(Boolean) : source ?? [];
  return Array.from(all, Number).filter(Number.isFinite);
}

/// The options that the attributes of a bar choose, for `headway_bar_options`.
export function options(bar) {
  return [
    [bar.source === "forecast", OptionBit.forecast],
    [bar.readOnly, OptionBit.readOnly],
    [bar.disabled, OptionBit.disabled],
    [preferences.reducedMotion, OptionBit.reducedMotion],
    [bar.wheel, OptionBit.wheel],
    [bar.digits, OptionBit.digits],
  ].reduce((sum, [isSet, bit]) => sum + (isSet ? bit : 0), 0);
}

/// The properties that only reflect an attribute: those that are there or not, texts, and numbers with their defaults.
const flags = ["disabled", "readOnly", "vertical", "wheel", "digits", "noDrag"];
const texts = ["name", "source", "valueFormat"];
const defaults = { min: 0, max: 1, step: null, unitsPerSecond: null, playbackRate: 1 };

/// Defines a property of all bars that reflects an attribute.
function reflect(name, read, write) {
  const attribute = name === "readOnly" ? "readonly" : kebab(name);
  Object.defineProperty(Control.prototype, name, {
    configurable: true, enumerable: true,
    get() { return read(this, attribute); },
    set(value) { write(this, attribute, value); },
  });
}

/// Sets an attribute to a value, or removes it: frameworks pass null or undefined for what is not there.
function setAttribute(element, attribute, value) {
  if (value === null || value === undefined) element.removeAttribute(attribute);
  else element.setAttribute(attribute, value);
}

/// A control of a page.
export class Control extends HTMLElement {
  static formAssociated = true;

  get type() { return this.localName; }
}

for (const name of flags) {
  reflect(name, (element, attribute) => element.hasAttribute(attribute),
    (element, attribute, value) => element.toggleAttribute(attribute, Boolean(value)));
}
for (const name of texts) {
  reflect(name, (element, attribute) => element.getAttribute(attribute) ?? "", setAttribute);
}
for (const [name, value] of Object.entries(defaults)) {
  reflect(name, (element, attribute) => {
    const number = parsed(element.getAttribute(attribute));
    return Number.isFinite(number) ? number : value;
  }, setAttribute);
}

/// Applies the properties that were set before the element was defined.
export function upgradeProperties(element) {
  for (const name of Object.keys(element).filter((name) => name in element.constructor.prototype)) {
    const value = element[name];
    delete element[name];
    element[name] = value;
  }
}
