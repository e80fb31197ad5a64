// What Swift cannot say about time on its own: an alarm that counts sleep of the machine.
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
