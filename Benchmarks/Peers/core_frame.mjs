// Measures a frame call of the core of <headway-bar> in Node: the shown value and the position of the dot.
//
//     node core_frame.mjs MODULE
//
// Prints the nanoseconds of the call that returns both, the minimum of nine runs.

import { readFileSync } from "node:fs";

// The module allocates memory, which is never freed, because the bar lives as long as the program.
let top = 0;
let memory = null;
const env = {
  posix_memalign(place, alignment, size) {
    const block = Math.ceil(top / Math.max(alignment, 16)) * Math.max(alignment, 16);
    top = block + size;
    const missing = top - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    new DataView(memory.buffer).setUint32(place, block, true);
    return 0;
  },
  free() {},
};
const bytes = readFileSync(process.argv[2]);
const core = (await WebAssembly.instantiate(bytes, { env })).instance.exports;
memory = core.memory;
top = core.__heap_base.value;
core.headway_bar_numbers();

// A video of an hour whose player has reported for five seconds.
const bar = core.headway_bar_create(0, 3600, 1);
core.headway_bar_layout(bar, 800, 24, 0, 10, 10, 10, 10);
const report = 1;  // ValueCode.report of Codes.swift
for (let step = 0; step <= 20; step += 1) {
  core.headway_bar_value(bar, report, step * 0.2501, NaN, 0, step * 0.25);
}

/// The minimum nanoseconds of a call, at the fifteen frames of a quarter of a second.
function least(call) {
  const calls = 3_000_000;
  let best = Infinity;
  let sum = 0;
  for (let run = 0; run < 9; run += 1) {
    const start = process.hrtime.bigint();
    for (let step = 0; step < calls; step += 1) sum += call(bar, 5 + (step % 15) / 60);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / calls);
  }
  if (!(sum > 0)) throw new Error(`the bar stands at ${sum}`);
  return best;
}

console.log(least(core.headway_bar_frame));
