#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "headway_time.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/timerfd.h>
#endif

static const uint64_t SECOND = 1000000000;

// On Linux a kernel timer, which also counts the time that the machine sleeps. Elsewhere, and if no descriptor is left, a
// condition variable with a relative time-out, which may be late by that time.
struct hw_alarm {
  enum hw_clock clock;
  int descriptor;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint64_t moment;
};

static clockid_t identity(enum hw_clock clock) {
#ifdef __linux__
  return clock == HW_CLOCK_CONTINUOUS ? CLOCK_BOOTTIME : CLOCK_MONOTONIC;
#else
  return clock == HW_CLOCK_CONTINUOUS ? CLOCK_MONOTONIC_RAW : CLOCK_UPTIME_RAW;
#endif
}

uint64_t hw_clock_now(enum hw_clock clock) {
  struct timespec now;
  clock_gettime(identity(clock), &now);
  return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

struct hw_alarm *hw_alarm_create(enum hw_clock clock) {
  struct hw_alarm *alarm = malloc(sizeof *alarm);
  if (!alarm) abort();
  alarm->clock = clock;
  alarm->descriptor = -1;
#ifdef __linux__
  alarm->descriptor = timerfd_create(identity(clock), TFD_CLOEXEC);
#endif
  pthread_mutex_init(&alarm->lock, NULL);
  pthread_cond_init(&alarm->changed, NULL);
  alarm->moment = UINT64_MAX;
  return alarm;
}

void hw_alarm_set(struct hw_alarm *alarm, uint64_t moment) {
#ifdef __linux__
  if (alarm->descriptor >= 0) {
    // Zero would disarm the timer.
    if (moment == 0) moment = 1;
    struct itimerspec when = {
        .it_value = {.tv_sec = (time_t)(moment / SECOND), .tv_nsec = (long)(moment % SECOND)}};
    timerfd_settime(alarm->descriptor, TFD_TIMER_ABSTIME, &when, NULL);
    return;
  }
#endif
  pthread_mutex_lock(&alarm->lock);
  alarm->moment = moment;
  pthread_cond_signal(&alarm->changed);
  pthread_mutex_unlock(&alarm->lock);
}

// Waits until the alarm is set, at most for a number of nanoseconds.
static void wait_for_change(struct hw_alarm *alarm, uint64_t nanoseconds) {
  struct timespec wait = {
      .tv_sec = (time_t)(nanoseconds / SECOND), .tv_nsec = (long)(nanoseconds % SECOND)};
#ifdef __linux__
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  wait.tv_sec += now.tv_sec + (now.tv_nsec + wait.tv_nsec) / (long)SECOND;
  wait.tv_nsec = (now.tv_nsec + wait.tv_nsec) % (long)SECOND;
  pthread_cond_clockwait(&alarm->changed, &alarm->lock, CLOCK_MONOTONIC, &wait);
#else
  pthread_cond_timedwait_relative_np(&alarm->changed, &alarm->lock, &wait);
#endif
}

void hw_alarm_wait(struct hw_alarm *alarm) {
  if (alarm->descriptor >= 0) {
    uint64_t expirations;
    while (read(alarm->descriptor, &expirations, sizeof expirations) < 0 && errno == EINTR) {
    }
    return;
  }
  pthread_mutex_lock(&alarm->lock);
  for (;;) {
    uint64_t now = hw_clock_now(alarm->clock);
    if (alarm->moment <= now) break;
    wait_for_change(alarm, alarm->moment - now);
  }
  alarm->moment = UINT64_MAX;
  pthread_mutex_unlock(&alarm->lock);
}

void hw_alarm_destroy(struct hw_alarm *alarm) {
  if (alarm->descriptor >= 0) close(alarm->descriptor);
  pthread_cond_destroy(&alarm->changed);
  pthread_mutex_destroy(&alarm->lock);
  free(alarm);
}
