// <headway-bar>: a progress bar and slider whose behavior is in the core. docs/web-bar.md describes its use.

import { Accessibility } from "./accessibility.js";
import { Appearance } from "./appearance.js";
import { Control, observed, options, parsed, rangesIn, upgradeProperties, valuesIn } from "./attributes.js";
import { isBrowser } from "./browser.js";
import { ActivityCode, CommandCode, EventCode, OptionBit, StateBit, ValueCode } from "./codes.js";
import { numbers, shown, wasm } from "./core.js";
import { Drawing } from "./drawing.js";
import { Input } from "./input.js";
import { announceEachSecond, bars, clock, drawEachFrame, observeVisibility, readStyles } from "./page.js";
import { Reflection } from "./reflection.js";
import { Transitions } from "./transitions.js";

/// Frees the bars of the core whose elements were garbage collected.
const collected = new FinalizationRegistry((handle) => wasm.headway_bar_free(handle));

export class HeadwayBar extends Control {
  static observedAttributes = observed;

  /// The clock of all bars in seconds, or null for that of the page; for tests.
  static get clock() { return clock.read; }
  static set clock(other) {
    clock.set(other);
    HeadwayBar.refresh();
  }

  /// Reads all styles and draws all bars of the document at once.
  static refresh() { readStyles([...bars]); }

  #internals = this.attachInternals();
  /// What the other files may call, and a page may not.
  #bar = {
    element: this,
    refresh: () => this.#refresh(),
    announce: () => this.#announce(clock.read()),
    isAnnounced: () => this.#isAnnounced,
    readStyle: () => this.#appearance.read(),
    applyStyle: () => {
      this.#applyOptions();
      this.#appearance.applyRead();
    },
    resize: (width, height) => this.#appearance.resize(width, height),
    setVisible: (isVisible) => {
      if (this.#isVisible === isVisible) return;
      this.#isVisible = isVisible;
      this.#refresh();
    },
  };
  /// The number of the bar in the core, or 0 before it is needed.
  #core = 0;
  #drawing = null;
  #appearance = new Appearance(this.#bar, () => this.#handle, () => this.#drawing);
  #input = new Input(
    this.#bar, this.#appearance.box, () => this.#handle, () => this.#appearance.size);
  #transitions = new Transitions(this.#bar);
  #accessibility = new Accessibility(this, this.#internals);
  #reflection = new Reflection(this, this.#internals);
  #isVisible = true;
  #isFormDisabled = false;
  #range = [NaN, NaN];
  #hasValue = false;
  /// Whether a drag has changed the value since the last `change` or `cancel`.
  #hasInput = false;
  /// The value that the page wants, as long as nothing else has changed it, and the `ValueCode` with which it was passed:
  /// a range that is set later may include it.
  #wanted = null;
  #valueFormatter = null;
  /// Whether the bar is indeterminate only because it has no value.
  #isIndeterminateByDefault = false;

  constructor() {
    super();
    if (!this.#internals.shadowRoot) this.attachShadow({ mode: "open" });
    this.adoptedCallback();
  }

  // MARK: Lifecycle

  /// The number of the bar in the core, which is created when it is first needed.
  get #handle() {
    if (this.#core !== 0) return this.#core;
    this.#core = wasm.headway_bar_create();
    collected.register(this, this.#core);
    this.#drawing = new Drawing(this.#core, this.#appearance.shapes, this.#appearance.icon);
    this.#applyRange(clock.read());
    this.#applyAttributes("playback-rate", "value", "buffered", "marks", "paused");
    return this.#core;
  }

  /// Passes `indeterminate` and other attributes to a core that has its initial state.
  #applyAttributes(...names) {
    this.#reflection.isComplete = false;
    this.#applyOptions(this.hasAttribute("indeterminate") || undefined);
    for (const name of names) {
      if (this.hasAttribute(name)) this.attributeChangedCallback(name, null, this.getAttribute(name));
    }
    this.#reflection.isComplete = true;
  }

  connectedCallback() {
    upgradeProperties(this);
    this.#isVisible = true;
    observeVisibility(this, this.#bar, true);
    this.#appearance.observe();
    this.#applyOptions();
    bars.add(this.#bar);
    this.#appearance.placeChildren();
  }

  disconnectedCallback() {
    bars.delete(this.#bar);
    observeVisibility(this, this.#bar, false);
    this.cancelDrag();
    this.#input.disconnect();
    this.#appearance.stopObserving();
  }

  adoptedCallback() { this.#appearance.attach(this.#internals.shadowRoot); }

  attributeChangedCallback(name, _, text) {
    if (this.#core === 0) return;
    const now = clock.read();
    const isThere = text !== null;
    switch (name) {
      case "value": this.#applyValue(text, now); break;
      case "min": case "max": this.#applyRange(now); break;
      case "playback-rate":
        wasm.headway_bar_value(this.#handle, ValueCode.playbackRate, this.playbackRate, 0, 0, now);
        break;
      case "paused":
        // The core may have changed it.
        if (isThere === this.paused) return;
        wasm.headway_bar_command(this.#handle, isThere ? CommandCode.pause : CommandCode.resume, now);
        this.#transitions.checkAfter();
        break;
      case "indeterminate":
        if (!isThere && !this.indeterminate) return;
        this.#applyOptions(isThere);
        break;
      case "buffered":
        this.buffered = text;
        return;
      case "marks":
        this.marks = text;
        return;
      case "vertical": this.#appearance.applyLayout(); break;
      case "no-drag": this.#appearance.apply(); break;
      case "units-per-second": case "value-format":
        this.#applyOptions();
        this.#accessibility.update();
        break;
      default: this.#applyOptions();
    }
    this.#refresh();
  }

  formDisabledCallback(isDisabled) {
    this.#isFormDisabled = isDisabled;
    this.#applyOptions();
    this.#refresh();
  }

  formResetCallback() {
    wasm.headway_bar_command(this.#handle, CommandCode.reset, clock.read());
    [this.#hasValue, this.#wanted] = [false, null];
    // A form has values; what the source does is not one of them.
    this.#applyAttributes("playback-rate", "value", "paused");
    this.#refresh();
  }

  formStateRestoreCallback(text) { this.setValue(Number(text)); }

  // MARK: The source

  /// Reports the value of the source; for forecasts, `rate` is the expected growth per second. With `duration` and `time`,
  /// the source will reach the value in `duration` seconds, and `time` is its own time of the report.
  report(value, { rate = NaN, duration, time = NaN } = {}) {
    if (duration === undefined) this.#passValue(ValueCode.report, value, rate);
    else this.#passValue(ValueCode.expect, value, duration, time);
  }

  /// Shows a value at once.
  setValue(value) { this.#passValue(ValueCode.set, value); }

  /// Moves to a value at constant speed; returns a promise of whether it got there without interruption.
  animate(value, duration) {
    this.#becomeKnown();
    const number = wasm.headway_bar_value(
      this.#handle, ValueCode.animate, Number(value), Number(duration), 0, clock.read());
    const promise = this.#transitions.promise(number);
    this.#refresh();
    this.#transitions.checkAfter(duration);
    return promise;
  }

  /// Jumps to a value and moves on from there, because the source was sent there.
  seek(value) { this.#passValue(ValueCode.seek, value); }

  /// Slows to a stop because the source waits for data.
  stall() { this.#passCommand(CommandCode.stall); }

  /// Stops at the shown value.
  pause() { this.#passCommand(CommandCode.pause); }

  /// Continues from where it was paused.
  resume() {
    this.#passCommand(CommandCode.resume);
    this.#transitions.checkAfter();
  }

  /// Stops at the shown value and clears the target.
  removeAnimation() { this.#passCommand(CommandCode.removeAnimation); }

  /// Goes to the beginning of the range and clears all reports, pauses, drags and pending seeks.
  reset() {
    this.#wanted = null;
    this.#passCommand(CommandCode.reset);
    this.removeAttribute("playback-rate");
  }

  /// Cancels a drag.
  cancelDrag() { this.#passCommand(CommandCode.cancelDrag); }

  // MARK: Values

  /// The value that was reported last.
  get reported() { return wasm.headway_bar_reported(this.#handle); }

  /// The value that is shown now.
  get shown() { return shown(this.#handle, clock.read()); }

  /// The value of the control: the dragged, chosen or reported one. Setting it is the same as setting the attribute.
  get value() { return this.dragging || this.seekPending ? this.shown : this.reported; }
  set value(value) {
    this.#applyValue(value === null ? null : String(value), clock.read());
    this.#refresh();
  }

  /// The buffered ranges: pairs of values, the `TimeRanges` of a player, or the text of the attribute.
  get buffered() { return this.#appearance.buffered; }
  set buffered(ranges) {
    this.#appearance.buffered = rangesIn(ranges);
    this.#appearance.apply();
  }

  /// The marked values, or the text of the attribute.
  get marks() { return this.#appearance.marks; }
  set marks(values) {
    this.#appearance.marks = valuesIn(values);
    this.#appearance.apply();
  }

  /// A function of the value and the ends of the range that returns the value text for assistive technology.
  get valueFormatter() { return this.#valueFormatter; }
  set valueFormatter(formatter) {
    this.#valueFormatter = formatter;
    this.#accessibility.update();
  }

  get paused() { return this.#is(StateBit.paused); }
  set paused(value) { if (value) this.pause(); else this.resume(); }

  get indeterminate() { return this.#is(StateBit.indeterminate); }
  set indeterminate(value) {
    this.toggleAttribute("indeterminate", Boolean(value));
    this.#applyOptions(Boolean(value));
    this.#refresh();
  }

  get dragging() { return this.#is(StateBit.dragging); }
  get seekPending() { return this.#is(StateBit.seekPending); }
  get adjustable() { return this.#is(StateBit.adjustable); }
  get form() { return this.#internals.form; }
  get labels() { return this.#internals.labels; }

  // MARK: Calls of the core

  #passValue(code, value, second = NaN, third = NaN) {
    const number = Number(value);
    if (!Number.isFinite(number)) return;
    this.#becomeKnown();
    wasm.headway_bar_value(this.#handle, code, number, second, third, clock.read());
    this.#refresh();
  }

  /// Prepares for a value that does not come from the attribute or the property.
  #becomeKnown() {
    this.#hasValue = true;
    this.#wanted = null;
    if (this.#isIndeterminateByDefault) this.#applyOptions(false);
  }

  #passCommand(code) {
    wasm.headway_bar_command(this.#handle, code, clock.read());
    this.#refresh();
  }

  #is(bit) { return (wasm.headway_bar_state(this.#handle) & bit) !== 0; }

  /// Applies the value of the attribute or the property: the first is shown at once, later ones are reports.
  #applyValue(text, now) {
    const value = parsed(text);
    if (Number.isNaN(value)) {
      this.#hasValue = false;
      this.#wanted = null;
      this.#applyOptions();
      return;
    }
    this.#applyOptions(false);
    // A property that was set before the definition comes before the first drawing, too.
    const isFirst = !this.#hasValue || !bars.has(this.#bar);
    // A choice of a person waits for a source that moves. Without one, as for a volume, the page has the last word.
    const isReplaced = this.seekPending && this.unitsPerSecond === null;
    this.#hasValue = true;
    this.#wanted = { value, code: isFirst || isReplaced ? ValueCode.set : ValueCode.report };
    this.#passWanted(now);
  }

  #passWanted(now) {
    const { value, code } = this.#wanted;
    wasm.headway_bar_value(this.#handle, code, value, NaN, NaN, now);
  }

  #applyRange(now) {
    const [low, high] = this.#range;
    this.#range = [this.min, this.max];
    wasm.headway_bar_value(this.#handle, ValueCode.range, ...this.#range, 0, now);
    // Value and range may be set in any order.
    if (this.#wanted?.value < low || this.#wanted?.value > high) this.#passWanted(now);
    this.#appearance.placeChildren();
  }

  /// Applies the options; without an argument, the bar stays as determinate as it is.
  #applyOptions(indeterminate) {
    const handle = this.#handle;
    const isKnown = this.#hasValue || this.hasAttribute("value");
    const wasByDefault = this.#isIndeterminateByDefault;
    // Like <progress>, a read-only bar without a value is indeterminate.
    this.#isIndeterminateByDefault = indeterminate === undefined && this.readOnly && !isKnown
      && !this.hasAttribute("indeterminate");
    const isIndeterminate = indeterminate
      ?? (this.#isIndeterminateByDefault || (this.indeterminate && !wasByDefault));
    const bits = options(this) | (isIndeterminate ? OptionBit.indeterminate : 0)
      | (this.#isFormDisabled ? OptionBit.disabled : 0);
    wasm.headway_bar_options(
      handle, bits, this.step ?? NaN, this.unitsPerSecond ?? NaN);
    this.#input.applyWheel();
  }

  // MARK: Drawing and events

  /// Draws the bar, arranges for further drawing and announcements, and dispatches pending events.
  #refresh() {
    const now = clock.read();
    const activity = wasm.headway_bar_advance(this.#handle, now);
    const [width, height] = this.#appearance.size;
    const isDrawn =
      this.isConnected && !document.hidden && this.#isVisible && width > 0 && height > 0;
    const isGliding = activity === ActivityCode.gliding;
    let needsFrames = isDrawn && activity === ActivityCode.changing;
    if (isDrawn && isGliding) {
      needsFrames = !this.#drawing.glide(now, clock.isReal, () => this.#refresh());
    } else if (isDrawn && activity === ActivityCode.sweeping) {
      this.#drawing.sweep(now, clock.isReal);
    } else {
      this.#drawing.draw(now);
    }
    if (needsFrames) this.#drawing.draw(now);
    drawEachFrame(this.#bar, needsFrames);
    if (bars.has(this.#bar) && !document.hidden) this.#announce(now);
    announceEachSecond(this.#bar, isDrawn && (isGliding || !this.#isAnnounced));
    this.#accessibility.showStates(wasm.headway_bar_state(this.#handle));
    this.#reflection.update();
    this.#dispatchEvents();
  }

  /// Whether the shown value was announced to assistive technology.
  get #isAnnounced() { return this.indeterminate || this.#accessibility.hasAnnounced(this.shown); }

  #announce(now) { this.#accessibility.announce(this.#handle, now); }

  #dispatchEvents() {
    const count = wasm.headway_bar_events(this.#handle);
    const events = numbers().slice(0, 2 * count);
    for (let index = 0; index < count; index += 1) {
      const [code, value] = events.subarray(2 * index);
      switch (code) {
        case EventCode.dragBegan: this.#dispatch("dragbegin"); break;
        case EventCode.dragged:
          this.#hasInput = true;
          this.#dispatch("input", value);
          break;
        case EventCode.committed:
          this.#wanted = null;
          // As with the controls of HTML, there is an `input` before each `change`, also after a key.
          if (!this.#hasInput) this.#dispatch("input", value);
          this.#hasInput = false;
          this.#dispatch("change", value);
          break;
        case EventCode.dragCancelled:
          this.#hasInput = false;
          this.#dispatch("cancel");
          break;
        default: this.#transitions.resolve(value, code === EventCode.transitionFinished);
      }
    }
  }

  #dispatch(name, value) {
    this.dispatchEvent(
      new CustomEvent(name, { bubbles: name !== "cancel", composed: true, detail: { value } }));
  }
}

// If a page loads this file from two addresses, the first one defines the element.
if (isBrowser && !customElements.get("headway-bar")) customElements.define("headway-bar", HeadwayBar);
