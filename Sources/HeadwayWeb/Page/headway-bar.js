// <headway-bar>: a progress bar and slider. What it does is in the core; this file carries numbers to and fro.
// docs/web-bar.md tells how it is used.

import { choices, Control, list, observed, pairs, parsed } from "./attributes.js";
import { command, numbers, option, shown, state, wasm, way } from "./core.js";
import { Dress } from "./dress.js";
import { Hands } from "./hands.js";
import { bars, clock, drawEachFrame, readLooks, sights, tellEachSecond } from "./page.js";
import { Picture } from "./picture.js";
import { Promises } from "./promises.js";
import { Voice } from "./voice.js";

/// Bars of the core whose elements are gone.
const abandoned = new FinalizationRegistry((handle) => wasm.headway_bar_free(handle));

export class HeadwayBar extends Control {
  static observedAttributes = observed;

  /// The clock of all bars, in seconds; null for that of the page. Tests set their own.
  static get clock() { return clock.read; }
  static set clock(other) {
    clock.set(other);
    HeadwayBar.refresh();
  }

  /// Reads all styles and draws all bars of the document at once.
  static refresh() { readLooks([...bars]); }

  #internals = this.attachInternals();
  #core = 0;
  #picture = null;
  #dress = new Dress(this, () => this.#handle, () => this.#picture);
  #hands = new Hands(this, this.#dress.box, () => this.#handle, () => this.#size);
  #promises = new Promises(this);
  #voice = new Voice(this, this.#internals);
  #isSeen = true;
  #isFormDisabled = false;
  #range = [0, 1];
  #hasValue = false;
  #asked = NaN;
  #valueText = null;
  #isGuessed = false;

  constructor() {
    super();
    if (!this.#internals.shadowRoot) this.attachShadow({ mode: "open" });
    this.adoptedCallback();
  }

  // MARK: Life

  /// The number of the bar in the core, which learns of the attributes when it is first needed.
  get #handle() {
    if (this.#core !== 0) return this.#core;
    const now = clock.read();
    const units = parsed(this.getAttribute("units-per-second"));
    // Without a range the first one is not glided to.
    this.#core = wasm.headway_bar_create(0, 0, units);
    abandoned.register(this, this.#core);
    this.#picture = new Picture(this.#core, this.#dress.shapes, this.#dress.icon);
    this.#applyRange(now);
    this.#applyOptions(this.hasAttribute("indeterminate") || undefined);
    for (const name of ["playback-rate", "value", "buffered", "marks", "paused"]) {
      if (this.hasAttribute(name)) this.attributeChangedCallback(name, null, this.getAttribute(name));
    }
    return this.#core;
  }

  connectedCallback() {
    this.takeEarly();
    this.#asked = NaN;
    this.#isSeen = true;
    sights.observe(this);
    this.#dress.watch();
    this.#applyOptions();
    bars.add(this);
    this.#dress.placeChildren();
    this.#submit();
  }

  disconnectedCallback() {
    bars.delete(this);
    sights.unobserve(this);
    this.cancelDrag();
    this.#hands.leave();
    this.#dress.rest();
  }

  adoptedCallback() { this.#dress.putOn(this.#internals.shadowRoot); }

  attributeChangedCallback(name, old, text) {
    if (old === text || this.#core === 0) return;
    const now = clock.read();
    switch (name) {
      case "value": this.#takeValue(text, now); break;
      case "min": case "max": this.#applyRange(now); break;
      case "playback-rate":
        wasm.headway_bar_value(this.#handle, way.playbackRate, parsed(text ?? "1"), 0, 0, now);
        break;
      case "paused":
        wasm.headway_bar_do(this.#handle, text === null ? command.resume : command.pause, now);
        this.#promises.await();
        break;
      case "buffered":
        this.buffered = pairs(text);
        return;
      case "marks":
        this.marks = list(text);
        return;
      case "indeterminate": this.#applyOptions(text !== null); break;
      case "vertical": this.#dress.applyLayout(); break;
      case "no-drag": this.#dress.apply(); break;
      case "name": this.#submit(); break;
      default: this.#applyOptions();
    }
    this.refresh();
  }

  formDisabledCallback(isDisabled) {
    this.#isFormDisabled = isDisabled;
    this.#applyOptions();
    this.refresh();
  }

  formResetCallback() {
    wasm.headway_bar_do(this.#handle, command.reset, clock.read());
    this.#hasValue = false;
    this.#takeValue(this.getAttribute("value"), clock.read());
    this.refresh();
    this.#submit();
  }

  formStateRestoreCallback(text) { this.setValue(Number(text)); }

  // MARK: The source

  /// Takes a report of the source: where it is, and for forecasts by how much it will grow in a second.
  report(value, { rate = NaN } = {}) { this.#say(way.report, value, rate); }

  /// Shows a value at once; with a duration and the time of the source it is a report of where the source will be.
  setValue(value, { duration, time } = {}) {
    if (duration === undefined) return this.#say(way.set, value);
    if (time === undefined) return void this.animate(value, duration);
    this.#say(way.media, value, duration, time);
  }

  /// Moves evenly to a value in a number of seconds; the promise tells whether it came to its end.
  animate(value, duration) {
    this.#hasValue = true;
    this.#asked = NaN;
    if (this.#isGuessed) this.#applyOptions(false);
    const number = wasm.headway_bar_value(
      this.#handle, way.animate, Number(value), Number(duration), 0, clock.read());
    const promise = this.#promises.make(number);
    this.refresh();
    this.#submit();
    this.#promises.await(duration);
    return promise;
  }

  /// Goes to a value and on from there: what the source was told to seek.
  seek(value) { this.#say(way.seek, value); }

  /// Slows to a stop: the source waits for data.
  stall() { this.#do(command.stall); }

  /// Stops the value where it is seen.
  pause() { this.#do(command.pause); }

  /// Goes on from where it was paused.
  resume() {
    this.#do(command.resume);
    this.#promises.await();
  }

  /// Stays at the value that is shown, and forgets where it was going.
  removeAnimation() { this.#do(command.removeAnimation); }

  /// Goes to the beginning, and forgets what was reported, paused, dragged or held.
  reset() {
    this.#do(command.reset);
    this.#submit();
  }

  /// Calls a drag off.
  cancelDrag() { this.#do(command.cancelDrag); }

  // MARK: Values

  /// The value that the source said last.
  get reported() { return wasm.headway_bar_reported(this.#handle); }

  /// The value that is seen now.
  get shown() { return shown(this.#handle, clock.read()); }

  /// The value of the control: what a person drags it to, what they have chosen, what the source said.
  get value() { return this.dragging ? this.shown : this.reported; }
  set value(value) { this.#takeValue(value === null ? null : String(value), clock.read(), true); }

  get min() { return this.#range[0]; }
  set min(value) { this.setAttribute("min", value); }

  get max() { return this.#range[1]; }
  set max(value) { this.setAttribute("max", value); }

  /// The ranges that are buffered: pairs of values, or the `TimeRanges` of a player.
  get buffered() { return this.#dress.buffered; }
  set buffered(ranges) {
    const all = typeof ranges?.start === "function"
      ? Array.from(ranges, (_, index) => [ranges.start(index), ranges.end(index)])
      : [...(ranges ?? [])];
    this.#dress.buffered = all.filter(([low, high]) => low <= high);
    this.#dress.apply();
  }

  /// The values that are marked.
  get marks() { return this.#dress.marks; }
  set marks(values) {
    this.#dress.marks = [...(values ?? [])].map(Number).filter(Number.isFinite);
    this.#dress.apply();
  }

  /// Says a value in words, instead of the words of the core: takes the value, the beginning and the end of the range.
  get valueText() { return this.#valueText; }
  set valueText(words) { this.#valueText = words; }

  get paused() { return this.#is(state.paused); }
  set paused(value) { if (value) this.pause(); else this.resume(); }

  get indeterminate() { return this.#is(state.indeterminate); }
  set indeterminate(value) {
    this.#applyOptions(Boolean(value));
    this.refresh();
  }

  get dragging() { return this.#is(state.dragging); }
  get held() { return this.#is(state.held); }
  get adjustable() { return this.#is(state.adjustable); }
  get form() { return this.#internals.form; }
  get labels() { return this.#internals.labels; }

  // MARK: Talking to the core

  /// Tells the core a value in one of its ways.
  #say(how, value, second = NaN, third = NaN) {
    this.#hasValue = true;
    this.#asked = NaN;
    if (this.#isGuessed) this.#applyOptions(false);
    wasm.headway_bar_value(this.#handle, how, Number(value), second, third, clock.read());
    this.refresh();
    this.#submit();
  }

  /// Gives the core a command.
  #do(what) {
    wasm.headway_bar_do(this.#handle, what, clock.read());
    this.refresh();
  }

  /// Whether the core is in a state.
  #is(bit) { return (wasm.headway_bar_state(this.#handle) & bit) !== 0; }

  /// Takes the value of the attribute or the property: the first is shown at once, later ones are reports.
  #takeValue(text, now, isNew = false) {
    const value = parsed(text);
    if (Number.isNaN(value)) {
      this.#hasValue = false;
      this.#asked = NaN;
      this.#applyOptions();
      return;
    }
    this.#applyRange(now);
    this.#applyOptions(false);
    const isFirst = !this.#hasValue || !this.isConnected || isNew;
    wasm.headway_bar_value(
      this.#handle, isFirst ? way.set : way.report, value, NaN, NaN, now);
    this.#hasValue = true;
    this.#asked = this.isConnected ? NaN : value;
    this.#submit();
    if (isNew) this.refresh();
  }

  /// Tells the core the range.
  #applyRange(now) {
    const low = parsed(this.getAttribute("min"));
    const high = parsed(this.getAttribute("max"));
    this.#range = [Number.isNaN(low) ? 0 : low, Number.isNaN(high) ? 1 : high];
    wasm.headway_bar_value(this.#handle, way.range, ...this.#range, 0, now);
    // A bar that stands nowhere yet is told its value and its range in any order.
    if (!this.isConnected) wasm.headway_bar_value(this.#handle, way.set, this.#asked, 0, 0, now);
    this.#dress.placeChildren();
  }

  /// Tells the core what is chosen; what is not told of indeterminacy stays as it is.
  #applyOptions(indeterminate) {
    const handle = this.#handle;
    const isKnown = this.#hasValue || this.hasAttribute("value");
    // Like <progress>: what only shows and was told nothing does not know.
    this.#isGuessed = indeterminate === undefined && this.readOnly && !isKnown
      && !this.hasAttribute("indeterminate");
    const isIndeterminate = indeterminate ?? (this.#is(state.indeterminate) || this.#isGuessed);
    const bits = choices(this) | (isIndeterminate ? option.indeterminate : 0)
      | (this.#isFormDisabled ? option.disabled : 0);
    wasm.headway_bar_options(handle, bits, parsed(this.getAttribute("step")));
    this.#hands.applyWheel();
  }

  // MARK: What the page tells all bars

  get #size() { return this.#dress.size; }

  /// Takes a new size, and tells whether the style sheets are to be read.
  resize(width, height) { return this.#dress.resize(width, height); }

  /// Reads the style sheets of the page, and changes nothing in it.
  readLook() { this.#dress.read(); }

  /// Draws what `readLook` has read.
  takeLook() {
    this.#applyOptions();
    this.#dress.take();
  }

  /// Takes in whether the bar is on the screen.
  see(isSeen) {
    if (this.#isSeen === isSeen) return;
    this.#isSeen = isSeen;
    this.refresh();
  }

  // MARK: Drawing

  /// Draws what is seen now, and sees to it that it stays right; tells of what happened.
  refresh() {
    const now = clock.read();
    const activity = wasm.headway_bar_advance(this.#handle, now);
    const isDrawn = this.isConnected && !document.hidden && this.#isSeen
      && this.#size[0] > 0 && this.#size[1] > 0;
    let needsFrames = isDrawn && activity === 2;
    if (isDrawn && activity === 1) {
      needsFrames = !this.#picture.glide(now, clock.isReal, () => this.refresh());
    }
    if (activity !== 1 || !isDrawn || needsFrames) this.#picture.draw(now);
    drawEachFrame(this, needsFrames);
    if (bars.has(this) && !document.hidden) this.announce(now);
    tellEachSecond(this, isDrawn && (activity === 1 || !this.isTold));
    this.#showState();
    this.#dispatch();
  }

  /// Lets style sheets know what the bar is doing: `:state(dragging)`, and so on.
  #showState() { this.#voice.show(wasm.headway_bar_state(this.#handle)); }

  /// Whether assistive technology knows the value that is seen.
  get isTold() { return this.indeterminate || this.#voice.knows(this.shown); }

  /// Tells assistive technology what the core wants to be told.
  announce(now = clock.read()) { this.#voice.announce(this.#handle, now); }

  /// Tells the page what happened.
  #dispatch() {
    const count = wasm.headway_bar_events(this.#handle);
    const told = numbers().slice(0, 2 * count);
    for (let index = 0; index < count; index += 1) {
      const [kind, value] = told.subarray(2 * index);
      switch (kind) {
        case 0: this.#event("dragbegin"); break;
        case 1: this.#event("input", value); break;
        case 2:
          this.#submit();
          this.#event("change", value);
          break;
        case 3: this.#event("cancel"); break;
        default: this.#promises.keep(value, kind === 5);
      }
    }
  }

  /// Sends an event to the page.
  #event(name, value) {
    this.dispatchEvent(
      new CustomEvent(name, { bubbles: name !== "cancel", composed: true, detail: { value } }));
  }

  /// Tells the form what is submitted.
  #submit() {
    if (!this.hasAttribute("name")) return;
    this.#internals.setFormValue(this.indeterminate ? null : String(this.reported));
  }
}

// A page that loads this file from two addresses has the first one's bars.
if (!customElements.get("headway-bar")) customElements.define("headway-bar", HeadwayBar);
