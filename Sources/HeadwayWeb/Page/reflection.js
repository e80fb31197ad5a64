// What the core of a bar knows, in the places where a page finds it: attributes, and the value that a form submits.

/// Writes the state of one bar to its attributes and its form.
export class Reflection {
  #element;
  #internals;
  /// The value that the form submits.
  #formValue = null;
  /// Whether the core has all attributes; until then, it does not know better.
  isComplete = false;

  constructor(element, internals) {
    this.#element = element;
    this.#internals = internals;
  }

  update() {
    if (!this.isComplete) return;
    const element = this.#element;
    element.toggleAttribute("paused", element.paused);
    if (!element.indeterminate) element.removeAttribute("indeterminate");
    const isSubmitted = element.name !== "" && !element.indeterminate;
    const value = isSubmitted ? String(element.value) : null;
    if (value === this.#formValue) return;
    this.#formValue = value;
    this.#internals.setFormValue(value);
  }
}
