// A counting semaphore and a spin hint for the processor.
#pragma once

/// A counting semaphore.
struct hw_semaphore;

/// Creates a semaphore with a count of zero.
struct hw_semaphore *hw_semaphore_create(void);

/// Adds to the count and wakes as many waiting threads.
void hw_semaphore_post(struct hw_semaphore *semaphore, unsigned long count);

/// Blocks until the count is positive, then subtracts one.
void hw_semaphore_wait(struct hw_semaphore *semaphore);

/// Blocks until the count is positive, then subtracts one, but no longer than a number of nanoseconds. Returns whether it did.
int hw_semaphore_wait_for(struct hw_semaphore *semaphore, long long nanoseconds);

/// Destroys a semaphore on which no thread is waiting.
void hw_semaphore_destroy(struct hw_semaphore *semaphore);

/// Spins for about `steps` pause instructions, which leave the core to its other hardware thread.
static inline void hw_relax(unsigned int steps) {
  for (unsigned int step = 0; step < steps; step += 1) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
  }
}
