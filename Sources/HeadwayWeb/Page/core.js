// The bar itself, written in Swift and compiled to WebAssembly (Sources/HeadwayWeb/Core): all bars of a page share it.

/// The module, compressed and in base64; `Scripts/web` puts it here, and without it the file beside this one is loaded.
const packed = "";

/// Loads the module. A browser that lacks what the bar is drawn with shows what a page has put inside of it instead.
async function load() {
  for (const needed of ["(color: light-dark(red, red))", "selector(:state(paused))"]) {
    if (!CSS.supports(needed)) throw new Error(`<headway-bar> needs a browser that knows ${needed}`);
  }
  if (!packed) return (await fetch(new URL("headway-bar.wasm", import.meta.url))).arrayBuffer();
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).arrayBuffer();
}

/// What the module asks of a page: memory. Blocks are powers of two, and what is freed is used again.
const free = [];
let top = 0;
const environment = {
  posix_memalign(place, _alignment, size) {
    const shelf = Math.ceil(Math.log2(Math.max(size, 16) + 16));
    let block = free[shelf]?.pop();
    if (block === undefined) {
      block = top;
      top += 2 ** shelf;
      const missing = top - wasm.memory.buffer.byteLength;
      if (missing > 0) wasm.memory.grow(Math.ceil(missing / 65536));
    }
    const words = new DataView(wasm.memory.buffer);
    words.setUint32(block, shelf, true);
    words.setUint32(place, block + 16, true);
    return 0;
  },
  free(place) {
    if (!place) return;
    const shelf = new DataView(wasm.memory.buffer).getUint32(place - 16, true);
    (free[shelf] ??= []).push(place - 16);
  },
};

/// The functions of the module, `headway_bar_…`.
export const wasm = (await WebAssembly.instantiate(await load(), { env: environment })).instance
  .exports;
top = (wasm.__heap_base.value + 15) & ~15;

const address = wasm.headway_bar_numbers();
let view = new Float64Array(wasm.memory.buffer, address, 1);

/// How many numbers go to the module or come from it at once.
export const limit = view[0];

/// The numbers that the module shares with the page; they hold until its next call.
export function numbers() {
  if (view.length === 1 || view.buffer !== wasm.memory.buffer) {
    view = new Float64Array(wasm.memory.buffer, address, limit);
  }
  return view;
}

/// The value that a bar shows at a time.
export function shown(handle, now) {
  wasm.headway_bar_frame(handle, now);
  return numbers()[0];
}

/// The text that `headway_bar_words` has written.
export function text(length) {
  return new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, address, length));
}

/// The ways of `headway_bar_value`.
export const way = {
  set: 0, report: 1, media: 2, animate: 3, seek: 4, playbackRate: 5, range: 6, speed: 7,
};

/// The commands of `headway_bar_do`.
export const command = {
  pause: 0, resume: 1, stall: 2, removeAnimation: 3, reset: 4, pointerLeft: 5, cancelDrag: 6,
  blur: 7, focus: 8,
};

/// What a pointer does, for `headway_bar_pointer`.
export const pointer = { down: 0, move: 1, up: 2, mouse: 0, touch: 1, pen: 2 };

/// The keys of `headway_bar_key`, by their names in events.
export const keys = {
  ArrowLeft: 0, ArrowRight: 1, ArrowUp: 2, ArrowDown: 3, PageUp: 4, PageDown: 5, Home: 6, End: 7,
  Escape: 8,
};

/// The bits of `headway_bar_options`.
export const option = {
  forecast: 1, readOnly: 2, disabled: 4, indeterminate: 8, lessMotion: 16, wheel: 32, digits: 64,
};

/// The bits of `headway_bar_state`.
export const state = { paused: 1, dragging: 2, held: 4, indeterminate: 8, adjustable: 16 };
