// <headway-bar>: a progress bar and slider. What it does is in the core; this file carries numbers to and fro.
// docs/web-bar.md tells how it is used.

import {
  command, keys, limit, numbers, option, pointer, shown, state, text, wasm, way,
} from "./core.js";
import { look, sheet } from "./look.js";
import {
  bars, clock, drawEachFrame, readLookLater, readLooks, sights, sizes, tellEachSecond, wishes,
} from "./page.js";
import { Picture } from "./picture.js";

/// Bars of the core whose elements are gone.
const abandoned = new FinalizationRegistry((handle) => wasm.headway_bar_free(handle));

/// A number of an attribute; no number where it is none.
const parsed = (attribute) => attribute?.trim() ? Number(attribute) : NaN;

/// How many ranges and how many marks are drawn: half of the shapes for which the core has room, but for its own.
const most = Math.floor(limit / 16 / 2) - 4;

/// How long a promise waits before it looks again, and the longest time that a timer of a page takes, in milliseconds.
const [patience, longest] = [250, 2 ** 31 - 1];

/// What a person presses for itself.
const controls = "a[href], button, input, select, textarea, label, summary, [tabindex], [contenteditable]";

/// The names of the elements of a drawing.
const drawing = "http://www.w3.org/2000/svg";

/// A part of the page that a script need not see.
function part(name, node = document.createElement("div")) {
  node.className = name;
  return node;
}

export class HeadwayBar extends HTMLElement {
  static formAssociated = true;

  static observedAttributes = [
    "value", "min", "max", "playback-rate", "paused", "source", "indeterminate", "readonly",
    "disabled", "vertical", "step", "wheel", "digits", "buffered", "marks", "words",
    "no-drag", "name",
  ];

  /// The clock of all bars, in seconds; null for that of the page. Tests set their own.
  static get clock() { return clock.read; }
  static set clock(other) {
    clock.set(other);
    HeadwayBar.refresh();
  }

  /// Reads all styles and draws all bars of the document at once.
  static refresh() { readLooks([...bars]); }

  #isPointed = false;
  #internals = this.attachInternals();
  #core = 0;
  #picture = null;
  #shapes;
  #probe = part("probe");
  #box = part("box");
  // Not a box but a drawing: what a drawing reaches beyond its element is pressed too, and lets no page scroll there.
  #area = document.createElementNS(drawing, "svg");
  #reach = document.createElementNS(drawing, "rect");
  #slot = document.createElement("slot");
  #size = [0, 0];
  #look = null;
  #isSeen = true;
  #isFormDisabled = false;
  #range = [0, 1];
  #buffered = [];
  #marks = [];
  #hasValue = false;
  #asked = NaN;
  #valueText = null;
  #isGuessed = false;
  #pointer = null;
  #corners = null;
  #promises = new Map();
  #awaiting = 0;
  #isLookNew = false;
  #hasOwnTab = false;
  #watcher = null;

  constructor() {
    super();
    const root = this.#internals.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [sheet];
    const shapes = part("shapes");
    const icon = document.createElement("slot");
    icon.name = "icon";
    this.#box.part = "bar";
    this.#box.bar = this;
    this.#area.setAttribute("class", "area");
    this.#area.append(this.#reach);
    this.#box.append(this.#area, shapes, this.#slot);
    root.replaceChildren(this.#probe, this.#box);
    this.#shapes = [shapes, icon];
    this.#probe.addEventListener("transitionrun", () => readLookLater(this));
    this.#slot.addEventListener("slotchange", () => this.#placeChildren());
    for (const name of Object.keys(handlers)) this.addEventListener(name, handlers[name]);
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
    this.#picture = new Picture(this.#core, ...this.#shapes);
    this.#applyRange(now);
    this.#applyOptions(this.hasAttribute("indeterminate") || undefined);
    for (const name of ["playback-rate", "value", "buffered", "marks", "paused"]) {
      if (this.hasAttribute(name)) this.attributeChangedCallback(name, null, this.getAttribute(name));
    }
    return this.#core;
  }

  connectedCallback() {
    this.#takeEarly();
    this.#asked = NaN;
    this.#isSeen = true;
    sizes.observe(this.#box);
    sights.observe(this);
    this.#watcher ??= new MutationObserver(() => this.#placeChildren());
    this.#watcher.observe(this, {
      childList: true, subtree: true, attributes: true, attributeFilter: ["at", "slot"],
    });
    this.#applyOptions();
    bars.add(this);
    // The style sheets are read with the first size: when all bars are in their places, and before the first frame.
    this.#placeChildren();
    this.#submit();
  }

  /// Takes the properties that were set before this class was known: the range first, so that the value is one of it.
  #takeEarly() {
    const names = Object.keys(this).filter((name) => name in HeadwayBar.prototype);
    for (const name of new Set([...["min", "max"].filter((end) => names.includes(end)), ...names])) {
      const early = this[name];
      delete this[name];
      this[name] = early;
    }
  }

  disconnectedCallback() {
    bars.delete(this);
    sizes.unobserve(this.#box);
    sights.unobserve(this);
    this.#watcher.disconnect();
    this.cancelDrag();
    // What has held the pointer is told of its loss only while it is in the document.
    this.#letGo();
    wasm.headway_bar_do(this.#handle, command.pointerLeft, clock.read());
    this.#size = [0, 0];
  }

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
        this.#await(patience);
        break;
      case "buffered":
        this.buffered = pairs(text);
        return;
      case "marks":
        this.marks = (text ?? "").split(/[\s,]+/).filter(Boolean).map(Number);
        return;
      case "indeterminate": this.#applyOptions(text !== null); break;
      case "vertical": this.#applyLayout(); break;
      case "no-drag": this.#applyLook(); break;
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
    const { promise, resolve } = resolvable();
    this.#promises.set(number, resolve);
    this.refresh();
    this.#submit();
    this.#await(Math.min(duration * 1000, longest) || 0);
    return promise;
  }

  /// Looks after the promises of a bar that nobody sees: what is not drawn tells of no end.
  #await(milliseconds) {
    clearTimeout(this.#awaiting);
    if (this.#promises.size === 0 || this.paused) return;
    this.#awaiting = setTimeout(() => {
      this.refresh();
      this.#await(patience);
    }, milliseconds);
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
    this.#await(patience);
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

  get playbackRate() { return parsed(this.getAttribute("playback-rate") ?? "1"); }
  set playbackRate(rate) { this.setAttribute("playback-rate", rate); }

  /// The ranges that are buffered: pairs of values, or the `TimeRanges` of a player.
  get buffered() { return this.#buffered; }
  set buffered(ranges) {
    const list = typeof ranges?.start === "function"
      ? Array.from(ranges, (_, index) => [ranges.start(index), ranges.end(index)])
      : [...(ranges ?? [])];
    this.#buffered = list.filter(([low, high]) => low <= high);
    this.#applyLook();
  }

  /// The values that are marked.
  get marks() { return this.#marks; }
  set marks(values) {
    this.#marks = [...(values ?? [])].map(Number).filter(Number.isFinite);
    this.#applyLook();
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
  get name() { return this.getAttribute("name") ?? ""; }
  set name(name) { this.setAttribute("name", name); }

  get disabled() { return this.hasAttribute("disabled"); }
  set disabled(value) { this.toggleAttribute("disabled", Boolean(value)); }

  get readOnly() { return this.hasAttribute("readonly"); }
  set readOnly(value) { this.toggleAttribute("readonly", Boolean(value)); }

  get form() { return this.#internals.form; }
  get labels() { return this.#internals.labels; }
  get type() { return "headway-bar"; }

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
    this.#placeChildren();
  }

  /// Tells the core what is chosen; what is not told of indeterminacy stays as it is.
  #applyOptions(indeterminate) {
    const handle = this.#handle;
    const has = (name) => this.hasAttribute(name);
    const isKnown = this.#hasValue || has("value");
    // Like <progress>: what only shows and was told nothing does not know.
    this.#isGuessed = indeterminate === undefined && has("readonly") && !isKnown
      && !has("indeterminate");
    const isIndeterminate = indeterminate ?? (this.#is(state.indeterminate) || this.#isGuessed);
    const bits = [
      [this.getAttribute("source") === "forecast", option.forecast],
      [has("readonly"), option.readOnly],
      [has("disabled") || this.#isFormDisabled, option.disabled],
      [isIndeterminate, option.indeterminate],
      [wishes.lessMotion, option.lessMotion],
      [has("wheel"), option.wheel],
      [has("digits"), option.digits],
    ].reduce((sum, [holds, bit]) => sum + (holds ? bit : 0), 0);
    wasm.headway_bar_options(handle, bits, parsed(this.getAttribute("step")));
  }

  /// Tells the core where the bar stands, and learns where it can be pressed.
  #applyLayout() {
    if (!this.#look) return;
    const { margins, isRightToLeft } = this.#look;
    const handle = this.#handle;
    const direction = this.hasAttribute("vertical") ? 2 : Number(isRightToLeft);
    wasm.headway_bar_layout(
      handle, ...this.#size, direction + (wishes.coarse ? 4 : 0), ...margins);
    const [x, y, width, height] = numbers();
    for (const [name, value] of Object.entries({ x, y, width, height })) {
      this.#reach.setAttribute(name, value);
    }
    this.#placeChildren();
  }

  /// Tells the core how the bar looks.
  #applyLook() {
    if (!this.#look) return this.refresh();
    const ranges = this.#buffered.slice(0, most);
    const marks = this.#marks.slice(0, most);
    const hasIcon = this.querySelector(":scope > [slot=icon]") !== null;
    const handle = this.#handle;
    numbers().set([
      ...this.#look.numbers, Number(hasIcon), Number(!this.hasAttribute("no-drag")),
      ...this.#look.colors, ranges.length, marks.length,
      ...ranges.flat(), ...marks,
    ]);
    wasm.headway_bar_style(handle, this.#look.duration, clock.read());
    this.#picture.renew();
    this.refresh();
  }

  /// Reads the style sheets of the page, and changes nothing in it.
  readLook() {
    if (!this.isConnected) return;
    const old = JSON.stringify(this.#look);
    this.#look = look(this.#probe);
    this.#isLookNew ||= JSON.stringify(this.#look) !== old;
  }

  /// Draws what `readLook` has read.
  takeLook() {
    this.#applyOptions();
    this.#applyLayout();
    if (this.#isLookNew) this.#applyLook();
    else this.refresh();
    this.#isLookNew = false;
  }

  /// Puts the children that stand at values in their places.
  #placeChildren() {
    const children = [...this.children].filter((child) => child.hasAttribute("at"));
    this.#picture.place(
      children.map((node) => ({ node, value: parsed(node.getAttribute("at")) })), clock.read());
    const hasIcon = this.querySelector(":scope > [slot=icon]") !== null;
    if (hasIcon !== this.#hasIcon) {
      this.#hasIcon = hasIcon;
      this.#applyLook();
    } else {
      this.refresh();
    }
  }
  #hasIcon = false;

  /// Takes a new size, and tells whether the style sheets are to be read: a bar that is not displayed has no size.
  resize(width, height) {
    const wasShown = this.#size[0] > 0 && this.#size[1] > 0;
    this.#size = [width, height];
    if (!wasShown) return true;
    this.#applyLayout();
    this.refresh();
    return false;
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
    const [start, end, from, to, isBraking] = numbers();
    const isDrawn = this.isConnected && !document.hidden && this.#isSeen
      && this.#size[0] > 0 && this.#size[1] > 0;
    let needsFrames = isDrawn && activity === 2;
    if (isDrawn && activity === 1) {
      const phase = { start, end, from, to, isBraking: isBraking !== 0 };
      needsFrames = !this.#picture.glide(phase, now, clock.isReal, () => this.refresh());
    }
    if (activity !== 1 || !isDrawn || needsFrames) this.#picture.draw(now);
    drawEachFrame(this, needsFrames);
    if (bars.has(this) && !document.hidden) this.announce(now);
    tellEachSecond(this, isDrawn && (activity === 1 || !this.isTold));
    this.#showState();
    this.#dispatch();
  }

  /// Lets style sheets know what the bar is doing: `:state(dragging)`, and so on.
  #showState() {
    const bits = wasm.headway_bar_state(this.#handle);
    if (bits === this.#shownState) return;
    this.#shownState = bits;
    for (const [name, bit] of Object.entries(state)) {
      if (bits & bit) this.#internals.states.add(name);
      else this.#internals.states.delete(name);
    }
  }
  #shownState = 0;

  /// Whether assistive technology knows the value that is seen.
  get isTold() { return this.indeterminate || this.#told === this.shown; }
  #told = NaN;

  /// Tells assistive technology what the core wants to be told.
  announce(now = clock.read()) {
    if (!wasm.headway_bar_announce(this.#handle, now)) return;
    const [isSlider, low, high, value, isDisabled, isVertical] = numbers();
    const internals = this.#internals;
    const isKnown = !Number.isNaN(value);
    this.#told = value;
    internals.role = isSlider ? "slider" : "progressbar";
    internals.ariaValueMin = String(low);
    internals.ariaValueMax = String(high);
    // As exact as four digits of the range: nobody wants to hear more.
    const digits = Math.min(Math.max(4 - Math.ceil(Math.log10(high - low)), 0), 20);
    internals.ariaValueNow = isKnown ? String(Number(value.toFixed(digits))) : null;
    internals.ariaValueText = isKnown ? this.#words(value, low, high) : null;
    internals.ariaDisabled = isDisabled ? "true" : null;
    internals.ariaOrientation = isSlider ? (isVertical ? "vertical" : "horizontal") : null;
    const wantsTab = isSlider !== 0 && !isDisabled;
    if (wantsTab !== this.#hasOwnTab && (this.#hasOwnTab || !this.hasAttribute("tabindex"))) {
      this.#hasOwnTab = wantsTab;
      if (wantsTab) this.tabIndex = 0;
      else this.removeAttribute("tabindex");
    }
  }

  /// A value in words.
  #words(value, low, high) {
    try {
      if (this.#valueText) return this.#valueText(value, low, high);
    } catch (error) {
      // A page that finds no words loses neither its events nor the other bars; the core has some.
      reportError(error);
    }
    const kind = this.getAttribute("words")
      ?? (this.hasAttribute("units-per-second") ? "time" : "percent");
    if (kind === "none") return null;
    return text(
      kind === "time"
        ? wasm.headway_bar_words(1, value, high)
        : wasm.headway_bar_words(0, (value - low) / (high - low), 0));
  }

  /// Tells the page what happened.
  #dispatch() {
    const count = wasm.headway_bar_events(this.#handle);
    for (const [kind, value] of inPairs(numbers().slice(0, 2 * count))) {
      switch (kind) {
        case 0: this.#event("dragbegin"); break;
        case 1: this.#event("input", value); break;
        case 2:
          this.#submit();
          this.#event("change", value);
          break;
        case 3: this.#event("cancel"); break;
        default: {
          const resolve = this.#promises.get(value);
          this.#promises.delete(value);
          resolve?.(kind === 5);
        }
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

  // MARK: Hands

  /// Tells the core where a pointer is and what it does.
  point(event, what) {
    const [x, y] = this.#inside(event.clientX, event.clientY);
    const isPrimary = event.isPrimary && event.button <= 0;
    return wasm.headway_bar_pointer(
      this.#handle, what, x, y, pointer[event.pointerType] ?? pointer.mouse, Number(isPrimary),
      clock.read()) !== 0;
  }

  /// Where a point of the window is in the bar, which the page may have zoomed, turned or mirrored.
  #inside(x, y) {
    // Nodes without a size, of which the browser tells where they are and not only what surrounds them.
    this.#corners ??= ["top left", "top right", "bottom left"].map((sides) => {
      const node = part("corner");
      for (const side of sides.split(" ")) node.style[side] = 0;
      this.#box.append(node);
      return node;
    });
    const [home, right, below] = this.#corners.map((node) => node.getBoundingClientRect());
    const [ax, ay] = [right.x - home.x, right.y - home.y];
    const [bx, by] = [below.x - home.x, below.y - home.y];
    const [px, py] = [x - home.x, y - home.y];
    const area = ax * by - ay * bx;
    if (area === 0) return [px, py];
    return [(px * by - py * bx) / area * this.#size[0], (ax * py - ay * px) / area * this.#size[1]];
  }

  pressed(event) {
    // A button that stands at a value is pressed itself.
    const control = event.target.closest(controls);
    if (event.defaultPrevented || (control !== this && this.contains(control))) return;
    const isOurs = this.point(event, pointer.down);
    if (isOurs) {
      this.#pointer = event.pointerId;
      this.setPointerCapture(event.pointerId);
      // The dot stands out for the keyboard; a pointer that is gone leaves it as it was.
      this.#isPointed = true;
      if (event.pointerType === "mouse") this.focus({ preventScroll: true });
      this.#isPointed = false;
      addEventListener("keydown", this.#escape, true);
    }
    this.refresh();
  }

  moved(event) {
    if (this.#pointer !== null && event.pointerId !== this.#pointer) return;
    const now = clock.read();
    const follows = this.point(event, pointer.move);
    if (follows || wasm.headway_bar_advance(this.#handle, now) === 2) this.refresh();
  }

  lifted(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#letGo();
    this.point(event, pointer.up);
    this.refresh();
  }

  left(event) {
    if (event.pointerId === this.#pointer) return;
    wasm.headway_bar_do(this.#handle, command.pointerLeft, clock.read());
    if (wasm.headway_bar_advance(this.#handle, clock.read()) === 2) this.refresh();
  }

  lost(event) {
    if (event.pointerId !== this.#pointer) return;
    this.#letGo();
    this.#do(command.cancelDrag);
  }

  #letGo() {
    removeEventListener("keydown", this.#escape, true);
    this.#pointer = null;
  }

  #escape = (event) => {
    if (event.key === "Escape") this.typed(event);
  };

  typed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const key = keys[event.key] ?? (/^[0-9]$/.test(event.key) ? 16 + Number(event.key) : undefined);
    if (key === undefined) return;
    const meant = wasm.headway_bar_key(this.#handle, key, clock.read()) !== 0;
    if (!meant) return;
    event.preventDefault();
    event.stopPropagation();
    this.refresh();
  }

  turned(event) {
    // With Control the wheel zooms the page.
    if (!this.hasAttribute("wheel") || event.ctrlKey) return;
    const steps = -Math.sign(event.deltaY || event.deltaX);
    if (!wasm.headway_bar_wheel(this.#handle, steps, clock.read())) return;
    event.preventDefault();
    this.refresh();
  }

  focused(hasFocus) {
    this.#do(hasFocus && !this.#isPointed && this.matches(":focus-visible") ? command.focus : command.blur);
  }
}

/// What the element listens to.
const handlers = {
  pointerdown(event) { this.pressed(event); },
  pointermove(event) { this.moved(event); },
  pointerup(event) { this.lifted(event); },
  pointerleave(event) { this.left(event); },
  pointercancel(event) { this.lost(event); },
  lostpointercapture(event) { this.lost(event); },
  // A field that stands at a value has keys of its own.
  keydown(event) { if (event.target === this) this.typed(event); },
  wheel(event) { this.turned(event); },
  focus() { this.focused(true); },
  blur() { this.focused(false); },
};

/// A promise and what ends it.
function resolvable() {
  let resolve;
  const promise = new Promise((end) => { resolve = end; });
  return { promise, resolve };
}

/// The ranges of an attribute: "0-10 20-30", with numbers of any kind: "-5--2.5 1e3-2e3".
function pairs(text) {
  const number = String.raw`([-+]?[\d.]+(?:e[-+]?\d+)?)`;
  const ranges = (text ?? "").matchAll(new RegExp(`(?<![^\\s,])${number}-${number}(?![^\\s,])`, "gi"));
  return Array.from(ranges, ([, low, high]) => [Number(low), Number(high)]);
}

/// Numbers two by two.
function* inPairs(list) {
  for (let index = 0; index < list.length; index += 2) yield [list[index], list[index + 1]];
}

// A page that loads this file from two addresses has the first one's bars.
if (!customElements.get("headway-bar")) customElements.define("headway-bar", HeadwayBar);
