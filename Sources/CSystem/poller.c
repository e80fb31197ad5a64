// Waiting for descriptors and time.
#ifdef __linux__
#define _GNU_SOURCE
#include "headway_system.h"

#include <errno.h>
#include <limits.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// The maximum number of descriptors of one wait; the next wait reports the others.
enum { max_ready = 64 };

int hw_poller_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

/// Adds a descriptor, or changes what it is watched for.
static int control(int poller, int operation, int descriptor, uint64_t token, uint32_t interest) {
  struct epoll_event event = {.data.u64 = token};
  if (interest & HW_READABLE) event.events |= EPOLLIN;
  if (interest & HW_WRITABLE) event.events |= EPOLLOUT;
  return epoll_ctl(poller, operation, descriptor, &event) ? errno : 0;
}

int hw_poller_add(int poller, int descriptor, uint64_t token, uint32_t interest) {
  return control(poller, EPOLL_CTL_ADD, descriptor, token, interest);
}

int hw_poller_change(int poller, int descriptor, uint64_t token, uint32_t interest) {
  return control(poller, EPOLL_CTL_MOD, descriptor, token, interest);
}

void hw_poller_remove(int poller, int descriptor) {
  epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, NULL);
}

/// Waits with a time-out in nanoseconds, less than 0 for none.
static int wait_for_events(int poller, struct epoll_event *events, int capacity, int64_t nanoseconds) {
  if (nanoseconds < 0) return epoll_wait(poller, events, capacity, -1);
#ifdef SYS_epoll_pwait2
  struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
  long count = syscall(SYS_epoll_pwait2, poller, events, capacity, &limit, NULL, 0);
  if (count >= 0 || errno != ENOSYS) return (int)count;
#endif
  // Before Linux 5.11 in milliseconds, rounded up, so that no wait ends early.
  int64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 > 0);
  return epoll_wait(poller, events, capacity, milliseconds < INT_MAX ? (int)milliseconds : INT_MAX);
}

/// What epoll reports, in our bits.
///
/// The end of a pipe is reported without EPOLLIN, and a read finds it; so does one after an error.
static uint32_t state_of(uint32_t events) {
  uint32_t state = 0;
  if (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) state |= HW_READABLE;
  if (events & (EPOLLOUT | EPOLLERR)) state |= HW_WRITABLE;
  if (events & (EPOLLHUP | EPOLLERR)) state |= HW_HUNG_UP;
  return state;
}

size_t hw_poller_wait(
  int poller, struct hw_ready_descriptor *ready, size_t capacity, int64_t nanoseconds) {
  struct epoll_event events[max_ready];
  if (capacity > max_ready) capacity = max_ready;
  int count = wait_for_events(poller, events, (int)capacity, nanoseconds);
  for (int i = 0; i < count; i++) {
    ready[i].token = events[i].data.u64;
    ready[i].state = state_of(events[i].events);
  }
  return count > 0 ? (size_t)count : 0;
}
#else
// A file without declarations is not valid C.
typedef int hw_no_poller;
#endif
