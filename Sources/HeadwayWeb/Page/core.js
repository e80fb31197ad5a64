// The core of the bar, written in Swift and compiled to WebAssembly (Sources/HeadwayWeb/Core). All bars of a page share it.

import { isBrowser } from "./browser.js";

/// The module, compressed and in base64. `Scripts/web` fills it in; without it the file beside this one is loaded.
const packed = "";

/// Loads the module. In a browser without the CSS features that it needs, the fallback content stays visible.
async function load() {
  for (const feature of ["(color: light-dark(red, red))", "selector(:state(paused))"]) {
    if (!CSS.supports(feature)) throw new Error(`<headway-bar> needs a browser that supports ${feature}`);
  }
  if (!packed) return (await fetch(new URL("headway-bar.wasm", import.meta.url))).arrayBuffer();
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(plain).arrayBuffer();
}

/// The allocator, the only import of the module. Block sizes are powers of two, and freed blocks are reused.
const freeBlocks = [];
let top = 0;
const environment = {
  posix_memalign(result, _alignment, size) {
    const exponent = Math.ceil(Math.log2(Math.max(size, 16) + 16));
    let block = freeBlocks[exponent]?.pop();
    if (block === undefined) {
      block = top;
      top += 2 ** exponent;
      const missing = top - wasm.memory.buffer.byteLength;
      if (missing > 0) wasm.memory.grow(Math.ceil(missing / 65536));
    }
    const words = new DataView(wasm.memory.buffer);
    words.setUint32(block, exponent, true);
    words.setUint32(result, block + 16, true);
    return 0;
  },
  free(address) {
    if (!address) return;
    const exponent = new DataView(wasm.memory.buffer).getUint32(address - 16, true);
    (freeBlocks[exponent] ??= []).push(address - 16);
  },
};

/// The functions of the module, `headway_bar_…`; `Codes.swift` defines the numbers that they take and return.
export let wasm;
/// The address of the shared numbers, a view of them, and their capacity.
let address, view;
export let limit = 0;

if (isBrowser) {
  wasm = (await WebAssembly.instantiate(await load(), { env: environment })).instance.exports;
  top = (wasm.__heap_base.value + 15) & ~15;
  address = wasm.headway_bar_numbers();
  view = new Float64Array(wasm.memory.buffer, address, 1);
  limit = view[0];
}

/// The numbers that the module shares with the page; they are valid until its next call.
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

/// The text that `headway_bar_text` has written.
export function text(length) {
  return new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, address, length));
}
