// What Swift cannot say about time on its own: an alarm that counts sleep of the machine, and threads for it.
#pragma once

#include <stdint.h>

/// Which of the machine's clocks.
enum hw_clock {
  /// Goes on while the machine sleeps.
  HW_CLOCK_CONTINUOUS,
  /// Stands still while the machine sleeps.
  HW_CLOCK_SUSPENDING,
};

/// The time of a clock in nanoseconds since an origin before the program started.
uint64_t hw_clock_now(enum hw_clock clock);

/// An alarm that one thread waits for and any thread sets.
struct hw_alarm;

/// Makes an alarm that is not set.
struct hw_alarm *hw_alarm_create(enum hw_clock clock);

/// Sets the moment at which the waiting thread goes on, in place of any earlier wish. A past one is at once.
void hw_alarm_set(struct hw_alarm *alarm, uint64_t moment);

/// Waits until the moment has come. For the one waiting thread.
void hw_alarm_wait(struct hw_alarm *alarm);

/// Frees an alarm that nobody waits for any more.
void hw_alarm_destroy(struct hw_alarm *alarm);

/// Starts a detached thread, which inherits the signal mask of the caller: what it starts inherits it in turn.
///
/// Returns 0, or the error number of pthread_create. The name is cut after 15 bytes.
int hw_thread_start(const char *name, void (*body)(void *), void *context);

/// A small number that differs between threads that live at the same time, as long as they are few.
unsigned hw_thread_number(void);

/// The number of processors that are switched on.
unsigned hw_processor_count(void);
