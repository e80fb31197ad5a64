// What the files use as they load and only a browser has, with stand-ins, so that a server which renders pages may import
// the element. No bar is created there: its page shows the fallback content, or a declarative shadow root.

/// Whether this is a browser, in which the element is defined.
export const isBrowser = typeof globalThis.CSS?.supports === "function";

export const {
  HTMLElement = class {},
  ResizeObserver = class {},
  IntersectionObserver = class {},
  document = new EventTarget(),
  matchMedia = () => new EventTarget(),
} = globalThis;
