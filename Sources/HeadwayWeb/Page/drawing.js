// The shapes of a bar as nodes of a page. Nothing here computes a position: all come from the core.

import { ActivityCode, Part, ShapeIndex } from "./codes.js";
import { numbers, wasm } from "./core.js";

/// The names of the parts by their numbers.
const names = Object.fromEntries(Object.entries(Part).map(([name, number]) => [number, name]));

/// The uniform deceleration of the core, which this curve represents exactly: both are quadratic.
const braking = "cubic-bezier(0.3333333333, 0.6666666667, 0.6666666667, 1)";

/// A distance that is not visible, in pixels.
const tolerance = 0.05;

/// A position as a CSS value.
const translate = (x, y) => `${x}px ${y}px`;

/// The position of a shape in its frame, or in the bar if it is not clipped, as a CSS value.
const position = (shape) => translate(
  shape[ShapeIndex.x] - shape[ShapeIndex.clipX], shape[ShapeIndex.y] - shape[ShapeIndex.clipY]);

/// A color of the core as a CSS value.
function css(bytes) {
  const [red, green, blue] = [bytes >>> 24, (bytes >>> 16) & 255, (bytes >>> 8) & 255];
  return `rgb(${red} ${green} ${blue} / ${(bytes & 255) / 255})`;
}

/// The nodes of one bar.
export class Drawing {
  /// The number of the bar in the core.
  #handle;
  #root;
  #icon;
  /// The shapes, the lowest first: a node, its frame if it is clipped, and the properties that were written to them.
  #shapes = [];
  /// The running animations, one for each shape that moves.
  #animations = [];
  /// The keyframes of the glide that they show, with the position of the dot at each, or null.
  #keyframes = null;
  /// When the sweep that they show began, in seconds, or null.
  #sweepStart = null;
  /// The children of the element that follow the value.
  #followers = [];

  constructor(handle, root, icon) {
    this.#handle = handle;
    this.#root = root;
    this.#icon = icon;
  }

  /// Draws the bar at a time and ends all animations.
  draw(now) {
    this.#stop();
    this.#write(now, true);
  }

  /// Animates a glide, which then needs no script until the speed changes in an unexpected way.
  ///
  /// Returns false if animations cannot show it and each frame must be drawn.
  glide(now, clockIsReal, ended) {
    if (this.#sweepStart !== null) this.#stop();
    // The properties that are not animated are written in any case, since they may have changed.
    this.#write(now, this.#animations.length === 0);
    const nodes = this.#moving();
    const keyframes = this.#glideKeyframes(now);
    if (keyframes.length === 0) return false;
    if (nodes.length !== this.#animations.length || !this.#alreadyShows(keyframes, now)) {
      // The old animations hold their nodes in place until the new ones begin, in the same frame.
      const old = this.#animations;
      const [begin, end] = [keyframes[0].time, keyframes.at(-1).time];
      const frames = keyframes.map((keyframe) => ({
        ...keyframe, offset: (keyframe.time - begin) / (end - begin),
        positions: this.#positions(keyframe.time),
      }));
      this.#animations = [];
      for (const [index, node] of nodes.entries()) {
        const steps = frames.map(({ offset, easing, positions }) =>
          ({ offset, easing, translate: positions[index] }));
        const options = { duration: (end - begin) * 1000, fill: "both" };
        this.#start(node.animate(steps, options), begin, clockIsReal);
      }
      if (clockIsReal && nodes.length > 0) this.#animations[0].onfinish = ended;
      for (const animation of old) animation.cancel();
      this.#keyframes = keyframes.map((keyframe) =>
        ({ ...keyframe, dot: this.#dotPosition(keyframe.time) }));
    }
    if (!clockIsReal) this.#seek(now - this.#keyframes[0].time);
    return true;
  }

  /// Animates the block of an indeterminate bar back and forth, which needs no script until the bar changes.
  sweep(now, clockIsReal) {
    if (this.#sweepStart === null) {
      this.draw(now);
      wasm.headway_bar_activity(this.#handle, now);
      const [begin, end] = numbers();
      const [from, to] = [begin, end].map((time) => this.#shapesAt(time)
        .filter((shape) => shape[ShapeIndex.followsValue]).map(position));
      this.#sweepStart = begin;
      const options = { duration: (end - begin) * 1000, iterations: Infinity, direction: "alternate" };
      for (const [index, { node }] of this.#shapes.filter((shape) => shape.follows).entries()) {
        this.#start(node.animate({ translate: [from[index], to[index]] }, options), begin, clockIsReal);
      }
    }
    if (!clockIsReal) this.#seek(now - this.#sweepStart);
  }

  /// Begins an animation at a time of the clock of the page; with another clock, `#seek` moves it.
  #start(animation, begin, clockIsReal) {
    if (clockIsReal) animation.startTime = begin * 1000;
    else animation.pause();
    this.#animations.push(animation);
  }

  /// Moves all animations to a time after their beginning, in seconds.
  #seek(seconds) {
    for (const animation of this.#animations) animation.currentTime = seconds * 1000;
  }

  /// Ends all animations because the style of the moving shapes has changed.
  invalidate() { this.#stop(); }

  /// Positions the children with `at`; `value` is NaN for those that follow the shown value.
  placeChildren(children, now) {
    this.#stop();
    this.#followers = children.filter((child) => Number.isNaN(child.value));
    for (const child of children) {
      child.node.style.translate = this.#point(child.value, now);
      child.node.style.willChange = Number.isNaN(child.value) ? "translate" : "";
    }
  }

  /// The keyframes of a glide: the times at which the speed changes, and the easing from each.
  ///
  /// They end where the bar would decelerate for lack of reports, since further reports postpone that. There are none if
  /// the glide has no end.
  #glideKeyframes(now) {
    const keyframes = [];
    let [time, easing] = [now, "linear"];
    while (easing === "linear" && wasm.headway_bar_activity(this.#handle, time) === ActivityCode.gliding) {
      const [start, end, isBraking] = numbers();
      if (!Number.isFinite(end) || end <= time || (isBraking && keyframes.length > 0)) break;
      easing = isBraking ? braking : "linear";
      keyframes.push({ time: start, easing });
      time = end;
    }
    if (keyframes.length > 0) keyframes.push({ time, easing: "linear" });
    return keyframes;
  }

  /// Whether the animations already show these keyframes, as far as they reach and within the tolerance.
  ///
  /// A report of an expected value then costs nothing.
  #alreadyShows(keyframes, now) {
    const old = this.#keyframes;
    if (old === null || old[0].easing !== keyframes[0].easing) return false;
    const [oldEnd, end] = [old.at(-1).time, keyframes.at(-1).time];
    if (now >= oldEnd || end < oldEnd - 1e-6) return false;
    if (old[0].easing === braking && end > oldEnd + 1e-6) return false;
    const times = [...old, ...keyframes].map((keyframe) => keyframe.time)
      .filter((time) => time > now && time < oldEnd);
    return [now, ...times, oldEnd].every(
      (time) => Math.abs(this.#dotPosition(time) - this.#animatedPosition(time)) < tolerance);
  }

  /// The position of the dot along the bar, from the core.
  #dotPosition(time) { return wasm.headway_bar_frame(this.#handle, time); }

  /// The position of the dot along the bar, as the animations show it.
  #animatedPosition(time) {
    const next = Math.max(this.#keyframes.findIndex((keyframe) => keyframe.time >= time), 1);
    const [from, to] = this.#keyframes.slice(next - 1, next + 1);
    const fraction = (time - from.time) / (to.time - from.time);
    const eased = from.easing === braking ? fraction * (2 - fraction) : fraction;
    return from.dot + eased * (to.dot - from.dot);
  }

  /// Ends all animations.
  #stop() {
    for (const animation of this.#animations) animation.cancel();
    this.#animations = [];
    this.#keyframes = this.#sweepStart = null;
  }

  /// The nodes that follow the value.
  #moving() {
    return [
      ...this.#shapes.filter((shape) => shape.follows).map((shape) => shape.node),
      ...this.#followers.map((child) => child.node),
    ];
  }

  /// The positions of the nodes that follow the value.
  #positions(time) {
    const positions = this.#shapesAt(time).filter((shape) => shape[ShapeIndex.followsValue])
      .map(position);
    for (const _ of this.#followers) positions.push(this.#point(NaN, time));
    return positions;
  }

  /// The shapes at a time, each a list of numbers in the order of `ShapeIndex`.
  #shapesAt(time) {
    const count = wasm.headway_bar_draw(this.#handle, time);
    const list = numbers();
    return Array.from({ length: count }, (_, index) =>
      list.slice(index * ShapeIndex.count, (index + 1) * ShapeIndex.count));
  }

  /// The point of a value, as a CSS value.
  #point(value, time) {
    wasm.headway_bar_point(this.#handle, value, time);
    return translate(...numbers().subarray(0, 2));
  }

  /// Writes the shapes at a time to the nodes, only where they have changed.
  #write(now, movesFollowers) {
    const list = this.#shapesAt(now);
    for (const [index, numbers] of list.entries()) {
      const [part, number] = [numbers[ShapeIndex.part], numbers[ShapeIndex.number]];
      const shape = this.#shape(index, part, number, numbers[ShapeIndex.isClipped] !== 0);
      shape.follows = numbers[ShapeIndex.followsValue] !== 0;
      if (shape.frame) {
        put(
          shape.frame, shape.written.frame, "translate",
          translate(numbers[ShapeIndex.clipX], numbers[ShapeIndex.clipY]));
        putBox(shape.frame, shape.written.frame, numbers, ShapeIndex.clipWidth);
      }
      const { node, written } = shape;
      if (movesFollowers || !shape.follows) {
        put(node, written.node, "translate", position(numbers));
      }
      putBox(node, written.node, numbers, ShapeIndex.width);
      if (part !== Part.icon) {
        put(node, written.node, "backgroundColor", css(numbers[ShapeIndex.color]));
      }
      put(node, written.node, "willChange", shape.follows ? "translate" : "");
    }
    for (const shape of this.#shapes.splice(list.length)) shape.outer.remove();
    if (movesFollowers) {
      for (const child of this.#followers) child.node.style.translate = this.#point(NaN, now);
    }
  }

  /// The shape at an index, which is created if another shape is there.
  #shape(index, part, number, isClipped) {
    const key = `${names[part]} ${number} ${isClipped}`;
    const old = this.#shapes[index];
    if (old?.key === key) return old;
    const later = this.#shapes.findIndex((shape, position) => position > index && shape.key === key);
    if (later > 0) {
      for (const removed of this.#shapes.splice(index, later - index)) removed.outer.remove();
      return this.#shapes[index];
    }
    const node = document.createElement("div");
    node.className = "shape";
    node.part = names[part];
    if (part === Part.icon) node.append(this.#icon);
    let outer = node;
    let frame = null;
    if (isClipped) {
      outer = frame = document.createElement("div");
      frame.className = "frame";
      frame.append(node);
    }
    this.#root.insertBefore(outer, old?.outer ?? null);
    const shape = { key, node, frame, outer, follows: false, written: { node: {}, frame: {} } };
    this.#shapes.splice(index, 0, shape);
    return shape;
  }
}

/// Writes a property of a style if it has changed.
function put(node, written, property, value) {
  if (written[property] === value) return;
  written[property] = value;
  node.style[property] = value;
}

/// Writes the width, height and corner radius that begin at an index of a shape's numbers.
function putBox(node, written, numbers, index) {
  put(node, written, "width", `${numbers[index]}px`);
  put(node, written, "height", `${numbers[index + 1]}px`);
  put(node, written, "borderRadius", `${numbers[index + 2]}px`);
}
