// The drawing list of the bar as nodes of a page. Nothing here computes a place: all come from the core.

import { numbers, wasm } from "./core.js";

/// The names of the parts, in the order of their numbers.
const names = ["track", "buffered", "fill", "mark", "dot", "icon", "own"];

/// How many numbers a shape takes.
const stride = 16;

/// The same deceleration as that of the core: the value is a polynomial of the second degree, and so is this curve.
const braking = "cubic-bezier(0.3333333333, 0.6666666667, 0.6666666667, 1)";

/// What nobody sees, in pixels.
const closeness = 0.05;

/// A place as a property of a style.
const translate = (x, y) => `${x}px ${y}px`;

/// A colour as the core tells it, in CSS.
function css(bytes) {
  const [red, green, blue] = [bytes >>> 24, (bytes >>> 16) & 255, (bytes >>> 8) & 255];
  return `rgb(${red} ${green} ${blue} / ${(bytes & 255) / 255})`;
}

/// The nodes of one bar.
export class Picture {
  /// The number of the bar in the core.
  #handle;
  /// The node that holds the shapes.
  #root;
  /// What stands in the icon.
  #icon;
  /// The shapes that are drawn, the lowest first: a node, its frame where it is cut off, and what was written to them.
  #shapes = [];
  /// The animations that are on their way, one for each shape that moves.
  #animations = [];
  /// What they show: the times at which the speed changes, how it goes on from there, and how far along the dot is.
  #drawn = null;
  /// Children of the element that follow the value.
  #followers = [];

  constructor(handle, root, icon) {
    this.#handle = handle;
    this.#root = root;
    this.#icon = icon;
  }

  /// Draws what is seen at a time, and stops what was moving.
  draw(now) {
    this.#stop();
    this.#write(now, true);
  }

  /// Draws a glide: from here on it needs no script until the speed changes in a way that is not drawn yet.
  ///
  /// Answers false where animations cannot draw it, and each frame must be.
  glide(now, clockIsReal, ended) {
    // What is not moved by the animations is written in any case: it may have another colour, or be gone.
    this.#write(now, this.#animations.length === 0);
    const nodes = this.#moving();
    const course = this.#course(now);
    if (course.length === 0) return false;
    if (nodes.length !== this.#animations.length || !this.#continues(course, now)) {
      // What moved with the old animations is where it was until the new ones take over, in the same frame.
      const old = this.#animations;
      const [begin, end] = [course[0].time, course.at(-1).time];
      const frames = course.map((turn) => ({
        ...turn, offset: (turn.time - begin) / (end - begin), places: this.#places(turn.time),
      }));
      this.#animations = nodes.map((node, index) => {
        const animation = node.animate(
          frames.map(({ offset, easing, places }) => ({ offset, easing, translate: places[index] })),
          { duration: (end - begin) * 1000, fill: "both" });
        if (clockIsReal) animation.startTime = begin * 1000;
        else animation.pause();
        return animation;
      });
      if (clockIsReal && nodes.length > 0) this.#animations[0].onfinish = ended;
      for (const animation of old) animation.cancel();
      this.#drawn = course.map((turn) => ({ ...turn, along: this.#along(turn.time) }));
    }
    if (!clockIsReal) {
      for (const animation of this.#animations) {
        animation.currentTime = (now - this.#drawn[0].time) * 1000;
      }
    }
    return true;
  }

  /// Draws from new from the next time on: the look of what moves has changed.
  renew() { this.#stop(); }

  /// Takes the children of the element that stand at values: `value` is no number for those that follow it.
  place(children, now) {
    this.#stop();
    this.#followers = children.filter((child) => Number.isNaN(child.value));
    for (const child of children) {
      child.node.style.translate = this.#point(child.value, now);
      child.node.style.willChange = Number.isNaN(child.value) ? "translate" : "";
    }
  }

  /// Takes everything back.
  remove() {
    this.#stop();
    this.#root.replaceChildren();
    this.#shapes = [];
  }

  /// The times at which the speed changes, and how the value goes on from each: at even speeds, or slowing down.
  ///
  /// It ends where the bar would slow down for want of reports, which those that come put off; none stand in it where the
  /// glide has no end.
  #course(now) {
    const turns = [];
    let [time, easing] = [now, "linear"];
    while (easing === "linear" && wasm.headway_bar_activity(this.#handle, time) === 1) {
      const [start, end, isBraking] = numbers();
      if (!Number.isFinite(end) || end <= time || (isBraking && turns.length > 0)) break;
      easing = isBraking ? braking : "linear";
      turns.push({ time: start, easing });
      time = end;
    }
    if (turns.length > 0) turns.push({ time, easing: "linear" });
    return turns;
  }

  /// Whether the animations show a course already, as far as they reach and as well as anybody sees.
  ///
  /// A report that says what was expected then costs nothing.
  #continues(course, now) {
    const old = this.#drawn;
    if (old === null || old[0].easing !== course[0].easing) return false;
    const [oldEnd, end] = [old.at(-1).time, course.at(-1).time];
    if (now >= oldEnd || end < oldEnd - 1e-6) return false;
    if (old[0].easing === braking && end > oldEnd + 1e-6) return false;
    const turns = [...old, ...course].map((turn) => turn.time)
      .filter((time) => time > now && time < oldEnd);
    return [now, ...turns, oldEnd].every(
      (time) => Math.abs(this.#along(time) - this.#animated(time)) < closeness);
  }

  /// How far along the bar the dot is at a time, as the core tells.
  #along(time) { return wasm.headway_bar_frame(this.#handle, time); }

  /// How far along the bar the dot is at a time, as the animations draw it.
  #animated(time) {
    const next = Math.max(this.#drawn.findIndex((turn) => turn.time >= time), 1);
    const [from, to] = this.#drawn.slice(next - 1, next + 1);
    const part = (time - from.time) / (to.time - from.time);
    const way = from.easing === braking ? part * (2 - part) : part;
    return from.along + way * (to.along - from.along);
  }

  /// Ends all animations.
  #stop() {
    for (const animation of this.#animations) animation.cancel();
    this.#animations = [];
    this.#drawn = null;
  }

  /// The nodes that move along with the value.
  #moving() {
    return [
      ...this.#shapes.filter((shape) => shape.follows).map((shape) => shape.node),
      ...this.#followers.map((child) => child.node),
    ];
  }

  /// Where the nodes that move along with the value are at a time.
  #places(time) {
    const count = wasm.headway_bar_draw(this.#handle, time);
    const list = numbers();
    const places = [];
    for (let at = 0; at < count * stride; at += stride) {
      if (list[at + 8]) {
        const isCut = list[at + 9];
        places.push(translate(
          list[at + 2] - (isCut ? list[at + 10] : 0), list[at + 3] - (isCut ? list[at + 11] : 0)));
      }
    }
    for (const _ of this.#followers) places.push(this.#point(NaN, time));
    return places;
  }

  /// The point of a value, as a property of a style.
  #point(value, time) {
    wasm.headway_bar_point(this.#handle, value, time);
    return translate(...numbers().subarray(0, 2));
  }

  /// Writes the drawing of a time to the nodes; what is as it was is left alone.
  #write(now, places) {
    const count = wasm.headway_bar_draw(this.#handle, now);
    const list = numbers().slice(0, count * stride);
    for (let index = 0; index < count; index += 1) {
      const at = index * stride;
      const shape = this.#shape(index, list[at], list[at + 1], list[at + 9] !== 0);
      shape.follows = list[at + 8] !== 0;
      const [x, y] = shape.frame ? [list[at + 10], list[at + 11]] : [0, 0];
      if (shape.frame) {
        put(shape.frame, shape.written.frame, "translate", translate(x, y));
        box(shape.frame, shape.written.frame, list[at + 12], list[at + 13], list[at + 14]);
      }
      const { node, written } = shape;
      if (places || !shape.follows) {
        put(node, written.node, "translate", translate(list[at + 2] - x, list[at + 3] - y));
      }
      box(node, written.node, list[at + 4], list[at + 5], list[at + 6]);
      if (names[list[at]] !== "icon") put(node, written.node, "backgroundColor", css(list[at + 7]));
      put(node, written.node, "willChange", shape.follows ? "translate" : "");
    }
    for (const shape of this.#shapes.splice(count)) shape.outer.remove();
    if (places) {
      for (const child of this.#followers) child.node.style.translate = this.#point(NaN, now);
    }
  }

  /// The shape at a place of the list, a new one where another stands there.
  #shape(index, part, number, isCut) {
    const key = `${names[part]} ${number} ${isCut}`;
    const old = this.#shapes[index];
    if (old?.key === key) return old;
    const later = this.#shapes.findIndex((shape, place) => place > index && shape.key === key);
    if (later > 0) {
      for (const gone of this.#shapes.splice(index, later - index)) gone.outer.remove();
      return this.#shapes[index];
    }
    const node = document.createElement("div");
    node.className = "shape";
    node.part = names[part];
    if (names[part] === "icon") node.append(this.#icon);
    let outer = node;
    let frame = null;
    if (isCut) {
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

/// Writes a property of a style where it is not there yet.
function put(node, written, property, value) {
  if (written[property] === value) return;
  written[property] = value;
  node.style[property] = value;
}

/// Writes a size and the radius of the corners.
function box(node, written, width, height, radius) {
  put(node, written, "width", `${width}px`);
  put(node, written, "height", `${height}px`);
  put(node, written, "borderRadius", `${radius}px`);
}
