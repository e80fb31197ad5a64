// Waiting for descriptors and signals, without the unions that Swift cannot see into safely.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

/// The most descriptors that one wait answers with; more are answered by the next one.
enum { most_ready = 64 };

/// The most signals that are taken at once; the descriptor stays readable while there are more.
enum { most_signals = 16 };

int hw_poller_open(void) { return epoll_create1(EPOLL_CLOEXEC); }

int hw_poller_add(int poller, int descriptor, uint64_t token) {
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = token};
  return epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event) ? errno : 0;
}

void hw_poller_remove(int poller, int descriptor) {
  epoll_ctl(poller, EPOLL_CTL_DEL, descriptor, NULL);
}

size_t hw_poller_wait(int poller, uint64_t *tokens, size_t capacity) {
  struct epoll_event events[most_ready];
  if (capacity > most_ready) capacity = most_ready;
  int count = epoll_wait(poller, events, (int)capacity, -1);
  for (int i = 0; i < count; i++) tokens[i] = events[i].data.u64;
  return count > 0 ? (size_t)count : 0;
}

int hw_signals_open(const struct hw_shared *shared) {
  sigset_t waited = shared->signals;
  sigaddset(&waited, SIGCHLD);
  return signalfd(-1, &waited, SFD_CLOEXEC | SFD_NONBLOCK);
}

size_t hw_signals_take(int signals, struct hw_signal *found, size_t capacity) {
  struct signalfd_siginfo infos[most_signals];
  if (capacity > most_signals) capacity = most_signals;
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
  // Only our end: the task's writes wait, as those of any program into a pipe.
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  *read_end = ends[0];
  *write_end = ends[1];
  return 0;
}

int hw_bell_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void hw_bell_ring(int bell) {
  uint64_t one = 1;
  // A full counter means that the bell has rung already.
  if (write(bell, &one, sizeof one) < 0) return;
}

void hw_bell_silence(int bell) {
  uint64_t count;
  if (read(bell, &count, sizeof count) < 0) return;
}
