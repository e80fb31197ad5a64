// The style of a bar, read from the style sheets of the page, and the style sheet of the bar itself.

import { StyleIndex } from "./codes.js";

/// The lengths of a style by their names in the core: a custom property, its default, and the property of the probe that
/// computes it. These properties of the probe take no space, and reading them needs no layout of the page.
const lengths = {
  barHeight: ["--headway-bar-height", "4px", "columnGap"],
  fillHeight: ["--headway-fill-height", "var(--headway-bar-height, 4px)", "rowGap"],
  cornerRadius: ["--headway-corner-radius", "2px", "strokeWidth"],
  dotSize: ["--headway-dot-size", "12px", "strokeDashoffset"],
  hoverDotSize: ["--headway-hover-dot-size", "16px", "borderTopLeftRadius"],
  dragDotSize: ["--headway-drag-dot-size", "20px", "borderTopRightRadius"],
  gap: ["--headway-gap", "0px", "borderBottomRightRadius"],
  markWidth: ["--headway-mark-width", "2px", "borderBottomLeftRadius"],
};

/// The colors of a style by their names in the core: a custom property, the colors in light, in dark and with forced
/// colors, and the property of the probe that computes it.
const colors = {
  trackColor: ["--headway-track-color", "#c9ced6", "#3d4554", "Canvas", "backgroundColor"],
  fillColor: ["--headway-fill-color", "#0b57d0", "#8ab4f8", "Highlight", "outlineColor"],
  dragColor: ["--headway-drag-color", "#0842a0", "#aecbfa", "Highlight", "borderTopColor"],
  dotColor: ["--headway-dot-color", "var(--fill)", "var(--fill)", "ButtonText", "borderRightColor"],
  bufferedColor: ["--headway-buffered-color", "#8fa3c0", "#5f6f8c", "GrayText", "borderBottomColor"],
  markColor: ["--headway-mark-color", "#1f2937", "#e8eaed", "CanvasText", "borderLeftColor"],
};

/// A name in kebab case, as CSS has it.
export const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/// The name of a color inside the bar.
const inner = (name) => `--${name.split("-")[3]}`;

/// The margins around the bar, in the order of the core: a side, and the property of the probe that computes it.
const margins = [["top", "y"], ["right", "x"], ["bottom", "cy"], ["left", "cx"]];

/// The style sheet of all bars.
const rules = `
:host {
  display: inline-block; position: relative; box-sizing: border-box; vertical-align: middle;
  width: 20rem; max-width: 100%; height: 24px; cursor: pointer; outline: none;
  touch-action: pan-y; user-select: none; -webkit-user-select: none;
  -webkit-tap-highlight-color: transparent;
  ${Object.values(colors).map(([name, light, dark]) =>
    `${inner(name)}: var(${name}, ${light === dark ? light : `light-dark(${light}, ${dark})`});`)
    .join("\n  ")}
}
:host([vertical]) { width: 24px; height: 12rem; max-width: none; touch-action: pan-x; }
:host([readonly]), :host(:disabled) { cursor: default; touch-action: auto; }
:host(:disabled) { opacity: 0.5; }
:host([hidden]) { display: none; }
.box, .shapes, .area { position: absolute; inset: 0; }
.corner { position: absolute; }
.shapes { pointer-events: none; }
.area { width: 100%; height: 100%; overflow: visible; fill: transparent; }
:host([readonly]) .area { display: none; }
/* The bar consists of backgrounds, which are not printed otherwise. */
.shape, .frame { position: absolute; left: 0; top: 0; print-color-adjust: exact; }
.frame { overflow: hidden; }
[part~="icon"] { display: grid; place-items: center; }
[part~="icon"] ::slotted(*) { max-width: 100%; max-height: 100%; }
.focused [part~="dot"] { outline: 2px solid var(--fill); outline-offset: 2px; }
slot:not([name])::slotted(*) { position: absolute; left: 0; top: 0; }
slot:not([name])::slotted(:not([at])) { display: none; }
::slotted(*) { forced-color-adjust: auto; }
.probe {
  position: absolute; width: 0; height: 0; visibility: hidden; contain: strict;
  border: 0 none; transition: all 1ms step-start;
  ${Object.values(lengths).map(([name, value, property]) => `${kebab(property)}: var(${name}, ${value});`).join("\n  ")}
  ${Object.values(colors).map(([name, , , , property]) => `${kebab(property)}: var(${inner(name)});`).join("\n  ")}
  ${margins.map(([side, property]) =>
    `${property}: var(--headway-hit-margin-${side}, var(--headway-hit-margin, 10px));`).join("\n  ")}
  opacity: var(--headway-icon-scale, 0.7);
  animation: none;
  animation-duration: var(--headway-emphasis-duration, 0.12s), var(--headway-style-duration, 0s);
}
:host(:dir(rtl)) .probe { order: 1; }
@media (forced-colors: active) {
  :host {
    forced-color-adjust: none;
    ${Object.values(colors).map(([name, , , forced]) => `${inner(name)}: ${forced};`).join("\n    ")}
  }
  .shapes > :first-child { outline: 1px solid CanvasText; }
  :host(:disabled) { opacity: 1; --fill: GrayText; --dot: GrayText; }
}
`;

/// The style sheet of all bars of each document, since a document cannot adopt that of another.
const sheets = new WeakMap();

/// The style sheets of a bar in a document; none if the document has no window.
export function sheetsFor(document) {
  if (document.defaultView === null) return [];
  let sheet = sheets.get(document);
  if (!sheet) {
    sheet = new document.defaultView.CSSStyleSheet();
    sheet.replaceSync(rules);
    sheets.set(document, sheet);
  }
  return [sheet];
}

/// Reads the style of a bar from its probe, an invisible node whose computed properties are the values of the style.
export function readStyle(probe) {
  const style = getComputedStyle(probe);
  const number = (text) => Number.parseFloat(text) || 0;
  const [emphasis, change] = style.animationDuration.split(",").map(number);
  return {
    values: {
      ...mapped(lengths, ([, , property]) => number(style[property])),
      emphasisDuration: emphasis,
      iconScale: number(style.opacity),
      ...mapped(colors, ([, , , , property]) => color(style[property])),
    },
    margins: margins.map(([, property]) => number(style[property])),
    isRightToLeft: style.direction === "rtl",
    duration: change,
  };
}

/// An object with the same names and other values.
const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

/// The numbers of a style, for `headway_bar_style`: values by name, then ranges and marks.
export function styleNumbers(values, ranges, marks) {
  const list = new Array(StyleIndex.lists).fill(0);
  const all = { ...values, rangeCount: ranges.length, markCount: marks.length };
  for (const [name, value] of Object.entries(all)) list[StyleIndex[name]] = Number(value);
  return [...list, ...ranges.flat(), ...marks];
}

let canvas;

/// A computed color as a number for the core, with the bytes red, green, blue and opacity.
function color(text) {
  const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
  let bytes = plain && [plain[1], plain[2], plain[3], Math.round((plain[4] ?? 1) * 255)];
  if (!bytes) {
    // A color in another color space, such as oklch, is drawn and read back.
    canvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    bytes = canvas.getImageData(0, 0, 1, 1).data;
  }
  return ((bytes[0] << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3]) >>> 0;
}
