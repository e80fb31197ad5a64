// What all processes that measure timers share, so that they measure in the same way: random numbers, clocks and the
// count of bytes. All functions are inline.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

// The initial state of the random numbers.
static const uint64_t probe_seed = 0x9E3779B97F4A7C15;

// The maximum delay of a timer, in ticks.
static const uint64_t probe_span = 60000;

// The next state, by xorshift.
static inline uint64_t probe_next(uint64_t state) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^ state << 17;
}

// A number below the limit, which is below 2^32, from a state.
static inline uint64_t probe_below(uint64_t state, uint64_t limit) { return (state >> 32) * limit >> 32; }

// A delay from a state: from 1 to the span.
static inline uint64_t probe_delay(uint64_t state) { return 1 + probe_below(state, probe_span); }

// Binds the thread to its current processor.
static inline void probe_pin(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(sched_getcpu(), &set);
  sched_setaffinity(0, sizeof set, &set);
}

// The nanoseconds of a clock.
static inline uint64_t probe_read(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

// The processor time of this process in nanoseconds.
static inline uint64_t probe_cpu(void) { return probe_read(CLOCK_PROCESS_CPUTIME_ID); }

// The processor time of this thread in nanoseconds.
static inline uint64_t probe_thread(void) { return probe_read(CLOCK_THREAD_CPUTIME_ID); }

// The number of bytes that malloc has allocated and not freed.
static inline uint64_t probe_bytes(void) {
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// The resident memory of this process in bytes.
static inline uint64_t probe_resident(void) {
  unsigned long all = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  int found = fscanf(file, "%lu %lu", &all, &resident);
  fclose(file);
  return found == 2 ? (uint64_t)resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
