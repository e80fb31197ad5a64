// How a bar looks, read from the style sheets of the page; and the style sheet of the bar itself.

/// The lengths of a style in the order of the core: a property of the page, what it is without one, and where it is read.
///
/// They are read where they take no room, and where a browser tells them without a layout of the page.
const lengths = [
  ["--headway-bar-height", "4px", "columnGap"],
  ["--headway-fill-height", "var(--headway-bar-height, 4px)", "rowGap"],
  ["--headway-corner-radius", "2px", "strokeWidth"],
  ["--headway-dot-size", "12px", "strokeDashoffset"],
  ["--headway-hover-dot-size", "16px", "borderTopLeftRadius"],
  ["--headway-drag-dot-size", "20px", "borderTopRightRadius"],
  ["--headway-gap", "0px", "borderBottomRightRadius"],
  ["--headway-mark-width", "2px", "borderBottomLeftRadius"],
];

/// The colours in the order of the core: in light, in dark, with forced colours, and where they are read.
const colors = [
  ["--headway-track-color", "#c9ced6", "#3d4554", "Canvas", "backgroundColor"],
  ["--headway-fill-color", "#0b57d0", "#8ab4f8", "Highlight", "outlineColor"],
  ["--headway-drag-color", "#0842a0", "#aecbfa", "Highlight", "borderTopColor"],
  ["--headway-dot-color", "var(--fill)", "var(--fill)", "ButtonText", "borderRightColor"],
  ["--headway-buffered-color", "#8fa3c0", "#5f6f8c", "GrayText", "borderBottomColor"],
  ["--headway-mark-color", "#1f2937", "#e8eaed", "CanvasText", "borderLeftColor"],
];

/// A property as it is written in a style sheet.
const kebab = (name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/// The name that a colour of the page has inside of the bar.
const inner = (name) => `--${name.split("-")[3]}`;

/// The margins around the bar in the order of the core: a side, and where it is read.
const margins = [["top", "y"], ["right", "x"], ["bottom", "cy"], ["left", "cx"]];

/// The style sheet of all bars.
const rules = `
:host {
  display: inline-block; position: relative; box-sizing: border-box; vertical-align: middle;
  width: 20rem; max-width: 100%; height: 24px; cursor: pointer; outline: none;
  touch-action: pan-y; user-select: none; -webkit-user-select: none;
  -webkit-tap-highlight-color: transparent;
  ${colors.map(([name, light, dark]) =>
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
/* Printers leave out backgrounds, of which the bar consists. */
.shape, .frame { position: absolute; left: 0; top: 0; print-color-adjust: exact; }
.frame { overflow: hidden; }
[part~="icon"] { display: grid; place-items: center; }
[part~="icon"] ::slotted(*) { max-width: 100%; max-height: 100%; }
:host(:focus-visible) [part~="dot"] { outline: 2px solid var(--fill); outline-offset: 2px; }
slot:not([name])::slotted(*) { position: absolute; left: 0; top: 0; }
slot:not([name])::slotted(:not([at])) { display: none; }
::slotted(*) { forced-color-adjust: auto; }
.probe {
  position: absolute; width: 0; height: 0; visibility: hidden; contain: strict;
  border: 0 none; transition: all 1ms step-start;
  ${lengths.map(([name, value, place]) => `${kebab(place)}: var(${name}, ${value});`).join("\n  ")}
  ${colors.map(([name, , , , place]) => `${kebab(place)}: var(${inner(name)});`).join("\n  ")}
  ${margins.map(([side, place]) =>
    `${place}: var(--headway-hit-margin-${side}, var(--headway-hit-margin, 10px));`).join("\n  ")}
  opacity: var(--headway-icon-scale, 0.7);
  animation: none;
  animation-duration: var(--headway-emphasis-duration, 0.12s), var(--headway-style-duration, 0s);
}
:host(:dir(rtl)) .probe { order: 1; }
@media (forced-colors: active) {
  :host {
    forced-color-adjust: none;
    ${colors.map(([name, , , forced]) => `${inner(name)}: ${forced};`).join("\n    ")}
  }
  .shapes > :first-child { outline: 1px solid CanvasText; }
  :host(:disabled) { opacity: 1; --fill: GrayText; --dot: GrayText; }
}
`;

/// The style sheet of all bars of a document: one document takes none of another.
const sheets = new WeakMap();

/// The style sheets of a bar in a document; none where the document is not shown.
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

/// Reads the style of a bar from its probe: a node that is not seen and whose properties are the values of the style.
export function look(probe) {
  const style = getComputedStyle(probe);
  const number = (text) => Number.parseFloat(text) || 0;
  const [emphasis, change] = style.animationDuration.split(",").map(number);
  return {
    numbers: [
      ...lengths.map(([, , place]) => number(style[place])), emphasis, number(style.opacity),
    ],
    colors: colors.map(([, , , , place]) => color(style[place])),
    margins: margins.map(([, place]) => number(style[place])),
    isRightToLeft: style.direction === "rtl",
    duration: change,
  };
}

let canvas;

/// A computed colour as the core takes it: red, green, blue and opacity as the bytes of a number.
function color(text) {
  const plain = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
  let bytes = plain && [plain[1], plain[2], plain[3], Math.round((plain[4] ?? 1) * 255)];
  if (!bytes) {
    // Other spaces of colours, such as oklch: drawn once, and read back.
    canvas ??= new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    bytes = canvas.getImageData(0, 0, 1, 1).data;
  }
  return ((bytes[0] << 24) | (bytes[1] << 16) | (bytes[2] << 8) | bytes[3]) >>> 0;
}
