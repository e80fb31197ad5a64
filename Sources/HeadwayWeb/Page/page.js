// What all bars of a page share: the clock, the frames, who is seen, and what the person has asked for.

/// The bars that are in the document.
export const bars = new Set();

/// The clock of the page, in seconds; it stands still while the machine sleeps.
const performanceClock = () => performance.now() / 1000;

/// The clock that tells the time to all bars, and whether it is that of the page.
export const clock = {
  read: performanceClock,
  isReal: true,
  set(other) {
    clock.read = other ?? performanceClock;
    clock.isReal = !other;
  },
};

/// What the person has asked for, and how exactly they point.
const media = {
  lessMotion: matchMedia("(prefers-reduced-motion: reduce)"),
  coarse: matchMedia("(pointer: coarse)"),
};

/// Whether a wish holds.
export const wishes = {
  get lessMotion() { return media.lessMotion.matches; },
  get coarse() { return media.coarse.matches; },
};

for (const query of Object.values(media)) {
  query.addEventListener("change", () => bars.forEach((bar) => bar.takeLook()));
}

document.addEventListener("visibilitychange", () => bars.forEach((bar) => bar.refresh()));

/// The one loop of frames: it runs while a bar changes in a way that only the core can draw.
const changing = new Set();
let frame = 0;

function tick() {
  frame = 0;
  for (const bar of [...changing]) bar.refresh();
  if (changing.size > 0 && frame === 0) frame = requestAnimationFrame(tick);
}

/// Draws a bar in each frame, or no more.
export function drawEachFrame(bar, does) {
  if (does) changing.add(bar);
  else changing.delete(bar);
  if (changing.size > 0 && frame === 0) frame = requestAnimationFrame(tick);
  if (changing.size === 0 && frame !== 0) {
    cancelAnimationFrame(frame);
    frame = 0;
  }
}

/// The one timer: it tells assistive technology of values that glide, once a second.
const gliding = new Set();
let timer = 0;

function tell() {
  timer = 0;
  for (const bar of [...gliding]) {
    bar.announce();
    // One that glides stays: the next phase, or the end, takes it out.
    if (bar.isTold) gliding.delete(bar);
  }
  if (gliding.size > 0) timer = setTimeout(tell, 1000);
}

/// Tells of a bar once a second, or no more.
export function tellEachSecond(bar, does) {
  if (does) gliding.add(bar);
  else gliding.delete(bar);
  if (gliding.size > 0 && timer === 0) timer = setTimeout(tell, 1000);
  if (gliding.size === 0 && timer !== 0) {
    clearTimeout(timer);
    timer = 0;
  }
}

/// Reads the style sheets for some bars. All are read before one is drawn: a drawing between would make the browser
/// compute the styles of the page anew for each of them.
export function readLooks(some) {
  for (const bar of some) bar.readLook();
  for (const bar of some) bar.takeLook();
}

/// The bars whose style sheets have changed: they are read in the frame that tells of it.
const outdated = new Set();

/// Reads the style sheets for a bar, together with those of all others that have changed.
export function readLookLater(bar) {
  if (outdated.size === 0) {
    requestAnimationFrame(() => {
      const some = [...outdated];
      outdated.clear();
      readLooks(some);
    });
  }
  outdated.add(bar);
}

/// The sizes of all bars.
export const sizes = new ResizeObserver((entries) => {
  const appeared = [];
  for (const { target, contentRect } of entries) {
    if (target.bar.resize(contentRect.width, contentRect.height)) appeared.push(target.bar);
  }
  readLooks(appeared);
});

/// Which bars are on the screen, or soon will be.
export const sights = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) target.see(isIntersecting);
}, { rootMargin: "200px" });
