// What Swift cannot say about threads that wait for each other.
#pragma once

/// A count of posts that threads wait for.
struct hw_gate;

/// Makes a gate that nothing was posted to.
struct hw_gate *hw_gate_create(void);

/// Lets as many waiting threads go on, or that will wait.
void hw_gate_post(struct hw_gate *gate, unsigned long count);

/// Waits for a post and uses it up.
void hw_gate_wait(struct hw_gate *gate);

/// Frees a gate that nobody waits for any more.
void hw_gate_destroy(struct hw_gate *gate);

/// Does nothing for about as many steps of the processor, and lets the other thread of its core go ahead.
static inline void hw_relax(unsigned int steps) {
  for (unsigned int step = 0; step < steps; step += 1) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
  }
}
