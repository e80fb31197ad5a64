// Waiting for descriptors, signals and time.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// The maximum number of descriptors of one wait; the next wait reports the others.
enum { max_ready = 64 };

/// The maximum number of signals of one read; the descriptor stays readable while there are more.
enum { max_signals = 16 };

int hw_poller_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int hw_poller_add(int poller, int descriptor, uint64_t token) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = token};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) ? errno : 0;
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

size_t hw_poller_wait(int poller, uint64_t *tokens, size_t capacity, int64_t nanoseconds) {
  struct epoll_event events[max_ready];
  if (capacity > max_ready) capacity = max_ready;
  int count = wait_for_events(poller, events, (int)capacity, nanoseconds);
  for (int i = 0; i < count; i++) tokens[i] = events[i].data.u64;
  return count > 0 ? (size_t)count : 0;
}

int hw_signals_open(const struct hw_shared *shared) {
  sigset_t awaited = shared->signals;
  sigaddset(&awaited, SIGCHLD);
  return signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
}

size_t hw_signals_take(int signals, struct hw_received_signal *found, size_t capacity) {
  struct signalfd_siginfo infos[max_signals];
  if (capacity > max_signals) capacity = max_signals;
  ssize_t got;
  do got = read(signals, infos, capacity * sizeof *infos);
  while (got < 0 && errno == EINTR);
  size_t count = got > 0 ? (size_t)got / sizeof *infos : 0;
  for (size_t i = 0; i < count; i++) {
    found[i].number = (int)infos[i].ssi_signo;
    found[i].is_from_terminal = infos[i].ssi_code == SI_KERNEL;
  }
  return count;
}

int hw_pipe(int *read_end, int *write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return errno;
  // The read end only: a task's writes must block, as into any pipe.
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *read_end = ends[0];
  *write_end = ends[1];
  return 0;
}
