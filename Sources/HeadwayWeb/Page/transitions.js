// The promises that `animate` has returned: each resolves to whether its transition reached the target.

/// The interval between checks after the expected end, in milliseconds.
const interval = 250;

/// The longest delay of a timer, in milliseconds.
const longest = 2 ** 31 - 1;

/// The promises of one bar, by the numbers of their transitions.
export class Transitions {
  #bar;
  #open = new Map();
  #timer = 0;

  constructor(bar) { this.#bar = bar; }

  /// A promise for a transition.
  promise(number) {
    return new Promise((resolve) => { this.#open.set(number, resolve); });
  }

  resolve(number, isFinished) {
    this.#open.get(number)?.(isFinished);
    this.#open.delete(number);
  }

  /// Checks for the end of transitions after a time: a bar that is not drawn has no frame that finds it.
  checkAfter(seconds = interval / 1000) {
    clearTimeout(this.#timer);
    if (this.#open.size === 0 || this.#bar.element.paused) return;
    this.#timer = setTimeout(() => {
      this.#bar.refresh();
      this.checkAfter();
    }, Math.min(seconds * 1000, longest) || 0);
  }
}
