// The promises that a bar has given: each tells whether an animation came to its end.

/// How long one looks again after that, in milliseconds.
const patience = 250;

/// The longest time that a timer of a page takes, in milliseconds.
const longest = 2 ** 31 - 1;

/// The promises of one bar, by the numbers of their animations.
export class Promises {
  #bar;
  #open = new Map();
  #timer = 0;

  constructor(bar) { this.#bar = bar; }

  /// A promise for an animation.
  make(number) {
    const { promise, resolve } = resolvable();
    this.#open.set(number, resolve);
    return promise;
  }

  /// Keeps a promise.
  keep(number, hasArrived) {
    this.#open.get(number)?.(hasArrived);
    this.#open.delete(number);
  }

  /// Looks after the promises of a bar that nobody sees: what is not drawn tells of no end.
  await(seconds = patience / 1000) {
    clearTimeout(this.#timer);
    if (this.#open.size === 0 || this.#bar.paused) return;
    this.#timer = setTimeout(() => {
      this.#bar.refresh();
      this.await();
    }, Math.min(seconds * 1000, longest) || 0);
  }
}

/// A promise and what ends it.
function resolvable() {
  let resolve;
  const promise = new Promise((end) => { resolve = end; });
  return { promise, resolve };
}
