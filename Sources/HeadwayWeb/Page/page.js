// What all bars of a page share: the clock, the frames, the observers, and the preferences of the person.
//
// A bar is represented here by its internals, an object of functions that `headway-bar.js` keeps private.

import { document, IntersectionObserver, matchMedia, ResizeObserver } from "./browser.js";

/// The internals of the bars that are in the document.
export const bars = new Set();

/// The time of the page in seconds, which stops while the machine sleeps.
const performanceClock = () => performance.now() / 1000;

/// The clock of all bars, and whether it is that of the page.
export const clock = {
  read: performanceClock,
  isReal: true,
  set(other) {
    clock.read = other ?? performanceClock;
    clock.isReal = !other;
  },
};

const queries = {
  reducedMotion: matchMedia("(prefers-reduced-motion: reduce)"),
  coarsePointer: matchMedia("(pointer: coarse)"),
};

/// Whether the person prefers reduced motion, and points with fingers.
export const preferences = {
  get reducedMotion() { return queries.reducedMotion.matches; },
  get coarsePointer() { return queries.coarsePointer.matches; },
};

for (const query of Object.values(queries)) {
  query.addEventListener("change", () => bars.forEach((bar) => bar.applyStyle()));
}

document.addEventListener("visibilitychange", () => bars.forEach((bar) => bar.refresh()));

/// The one frame loop, which runs while a bar changes in a way that only the core can draw.
const changing = new Set();
let frame = 0;

function tick() {
  frame = 0;
  for (const bar of [...changing]) bar.refresh();
  if (changing.size > 0 && frame === 0) frame = requestAnimationFrame(tick);
}

/// Begins or ends drawing a bar in each frame.
export function drawEachFrame(bar, isNeeded) {
  if (isNeeded) changing.add(bar);
  else changing.delete(bar);
  if (changing.size > 0 && frame === 0) frame = requestAnimationFrame(tick);
  if (changing.size === 0 && frame !== 0) {
    cancelAnimationFrame(frame);
    frame = 0;
  }
}

/// The one timer, which announces gliding values to assistive technology once a second.
const gliding = new Set();
let timer = 0;

function announce() {
  timer = 0;
  for (const bar of [...gliding]) {
    bar.announce();
    // A bar that still glides stays: the next phase, or the end, removes it.
    if (bar.isAnnounced()) gliding.delete(bar);
  }
  if (gliding.size > 0) timer = setTimeout(announce, 1000);
}

/// Begins or ends announcing a bar once a second.
export function announceEachSecond(bar, isNeeded) {
  if (isNeeded) gliding.add(bar);
  else gliding.delete(bar);
  if (gliding.size > 0 && timer === 0) timer = setTimeout(announce, 1000);
  if (gliding.size === 0 && timer !== 0) {
    clearTimeout(timer);
    timer = 0;
  }
}

/// Reads the style of some bars, all before the first is drawn: drawing in between would make the browser recompute the
/// styles of the page for each of them.
export function readStyles(some) {
  for (const bar of some) bar.readStyle();
  for (const bar of some) bar.applyStyle();
}

/// The bars whose style has changed; it is read in the next frame.
const outdated = new Set();

/// Reads the style of a bar in the next frame, together with those of all others that have changed.
export function readStyleLater(bar) {
  if (outdated.size === 0) {
    requestAnimationFrame(() => {
      const some = [...outdated];
      outdated.clear();
      readStyles(some);
    });
  }
  outdated.add(bar);
}

/// The internals of observed nodes.
const owners = new WeakMap();

/// Observes the size of all bars.
const sizes = new ResizeObserver((entries) => {
  const appeared = [];
  for (const { target, contentRect } of entries) {
    const bar = owners.get(target);
    if (bar.resize(contentRect.width, contentRect.height)) appeared.push(bar);
  }
  readStyles(appeared);
});

/// Observes which bars are on the screen or near it.
const visibility = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) owners.get(target).setVisible(isIntersecting);
}, { rootMargin: "200px" });

/// Begins or ends observing the size of a bar's box.
export function observeSize(node, bar, isNeeded) {
  owners.set(node, bar);
  if (isNeeded) sizes.observe(node);
  else sizes.unobserve(node);
}

/// Begins or ends observing whether a bar is on the screen.
export function observeVisibility(node, bar, isNeeded) {
  owners.set(node, bar);
  if (isNeeded) visibility.observe(node);
  else visibility.unobserve(node);
}
