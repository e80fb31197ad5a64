// Clocks, and an alarm that also counts the time that the machine sleeps.
#pragma once

#include <stdint.h>

/// A clock of the machine.
enum hw_clock {
  /// Advances while the machine sleeps.
  HW_CLOCK_CONTINUOUS,
  /// Stops while the machine sleeps.
  HW_CLOCK_SUSPENDING,
};

/// Returns the time of a clock in nanoseconds since a moment before the program started.
uint64_t hw_clock_now(enum hw_clock clock);

/// An alarm that one thread waits for and any thread sets.
struct hw_alarm;

/// Creates an alarm that is not set.
struct hw_alarm *hw_alarm_create(enum hw_clock clock);

/// Sets the time at which the waiting thread continues, replacing any earlier setting. A past time wakes it at once.
void hw_alarm_set(struct hw_alarm *alarm, uint64_t moment);

/// Blocks until the alarm goes off; called by one thread only.
void hw_alarm_wait(struct hw_alarm *alarm);

/// Destroys an alarm on which no thread is waiting.
void hw_alarm_destroy(struct hw_alarm *alarm);
