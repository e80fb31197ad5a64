// Waiting for signals, and pipes.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/// The maximum number of signals of one read; the descriptor stays readable while there are more.
enum { max_signals = 16 };

int hw_signals_open(const struct hw_shared *shared) {
  sigset_t awaited = shared->signals;
  sigaddset(&awaited, SIGCHLD);
  if (getpid() == shared->viewer) {
    if (!shared->ignores_stop) sigaddset(&awaited, SIGTSTP);
    sigaddset(&awaited, SIGCONT);
  }
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
    found[i].sender = (pid_t)infos[i].ssi_pid;
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
