#include "headway_lock.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct hw_semaphore {
  pthread_mutex_t lock;
  pthread_cond_t posted;
  unsigned long count;
};

struct hw_semaphore *hw_semaphore_create(void) {
  struct hw_semaphore *semaphore = malloc(sizeof *semaphore);
  if (!semaphore) abort();
  pthread_mutex_init(&semaphore->lock, NULL);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
#ifndef __APPLE__
  // Steps of the clock do not change how long a thread waits.
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
  pthread_cond_init(&semaphore->posted, &attributes);
  pthread_condattr_destroy(&attributes);
  semaphore->count = 0;
  return semaphore;
}

void hw_semaphore_post(struct hw_semaphore *semaphore, unsigned long count) {
  // Signalled under the lock: a woken thread may destroy the semaphore as soon as it is unlocked.
  pthread_mutex_lock(&semaphore->lock);
  semaphore->count += count;
  if (count == 1) {
    pthread_cond_signal(&semaphore->posted);
  } else {
    pthread_cond_broadcast(&semaphore->posted);
  }
  pthread_mutex_unlock(&semaphore->lock);
}

void hw_semaphore_wait(struct hw_semaphore *semaphore) {
  pthread_mutex_lock(&semaphore->lock);
  while (semaphore->count == 0) pthread_cond_wait(&semaphore->posted, &semaphore->lock);
  semaphore->count -= 1;
  pthread_mutex_unlock(&semaphore->lock);
}

/// Waits for a post until a time on the monotonic clock. Returns whether the time has passed.
static int wait_until(struct hw_semaphore *semaphore, long long end) {
#ifdef __APPLE__
  long long left = end - (long long)clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW);
  if (left <= 0) return 1;
  struct timespec time = {left / 1000000000, left % 1000000000};
  return pthread_cond_timedwait_relative_np(&semaphore->posted, &semaphore->lock, &time) == ETIMEDOUT;
#else
  struct timespec time = {end / 1000000000, end % 1000000000};
  return pthread_cond_timedwait(&semaphore->posted, &semaphore->lock, &time) == ETIMEDOUT;
#endif
}

int hw_semaphore_wait_for(struct hw_semaphore *semaphore, long long nanoseconds) {
#ifdef __APPLE__
  long long end = (long long)clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW) + nanoseconds;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long end = now.tv_sec * 1000000000LL + now.tv_nsec + nanoseconds;
#endif
  pthread_mutex_lock(&semaphore->lock);
  int is_over = 0;
  while (semaphore->count == 0 && !is_over) is_over = wait_until(semaphore, end);
  int has_count = semaphore->count > 0;
  if (has_count) semaphore->count -= 1;
  pthread_mutex_unlock(&semaphore->lock);
  return has_count;
}

void hw_semaphore_destroy(struct hw_semaphore *semaphore) {
  pthread_cond_destroy(&semaphore->posted);
  pthread_mutex_destroy(&semaphore->lock);
  free(semaphore);
}
