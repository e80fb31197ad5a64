// Handlers that pass the signals of this process on to one of its threads, through a pipe: a handler may call only few
// functions.
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "headway_system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/// One more than the number of the last signal that is not a real-time one.
enum { signal_count = 32 };

/// The ends of the pipe. Atomic, because handlers run on any thread.
static _Atomic int reader = -1, writer = -1;
/// The process that has the thread.
static _Atomic pid_t owner = 0;
/// What was installed before the handler of each signal.
static struct sigaction previous[signal_count];

/// Whether the kernel sent a signal for a key, or because the terminal was closed; only known on Linux.
static bool is_from_terminal(const siginfo_t *info) {
#ifdef __linux__
  return info->si_code == SI_KERNEL;
#else
  (void)info;
  return false;
#endif
}

static void pass_on(int number, siginfo_t *info, void *context) {
  (void)context;
  int error = errno;
  if (getpid() == owner) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct hw_request request = {
      .number = number,
      .is_from_terminal = is_from_terminal(info),
      .milliseconds = (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000,
    };
    // Does not wait: in a full pipe there are thousands of signals already.
    ssize_t written = write(writer, &request, sizeof request);
    (void)written;
  } else {
    // A copy of the process, which has not become another program yet, shares the pipe and has no thread.
    sigaction(number, &previous[number], NULL);
    raise(number);
  }
  errno = error;
}

int hw_handlers_open(void) {
  int ends[2];
#ifdef __linux__
  if (pipe2(ends, O_CLOEXEC)) return errno;
#else
  if (pipe(ends)) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#endif
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  reader = ends[0];
  writer = ends[1];
  owner = getpid();
  return 0;
}

void hw_handlers_close(void) {
  close(reader);
  close(writer);
}

/// Has the thread that waits block a signal, or receive it: otherwise nobody would in a process that began with the signal
/// blocked and passes that on to all its threads.
static void ask_for_mask(int number, int how) {
  struct hw_request request = {.number = -number, .milliseconds = how};
  ssize_t written = write(writer, &request, sizeof request);
  (void)written;
}

bool hw_handlers_wait(struct hw_request *received) {
  for (;;) {
    ssize_t got = read(reader, received, sizeof *received);
    if (got < 0 && errno == EINTR) continue;
    if (got != sizeof *received) return false;
    if (received->number > 0) return true;
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, -received->number);
    pthread_sigmask((int)received->milliseconds, &signals, NULL);
  }
}

static bool is_ours(const struct sigaction *action) {
  return action->sa_flags & SA_SIGINFO && action->sa_sigaction == pass_on;
}

void hw_handler_install(int number) {
  struct sigaction present;
  if (sigaction(number, NULL, &present) || is_ours(&present)) return;
  // As under nohup.
  if (!(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_IGN) return;
  previous[number] = present;
  struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  ours.sa_sigaction = pass_on;
  sigfillset(&ours.sa_mask);
  sigaction(number, &ours, NULL);
  ask_for_mask(number, SIG_UNBLOCK);
}

void hw_handler_restore(int number) {
  struct sigaction present;
  if (sigaction(number, NULL, &present) || !is_ours(&present)) return;
  ask_for_mask(number, SIG_BLOCK);
  sigaction(number, &previous[number], NULL);
}

void hw_signal_process(int number) { kill(getpid(), number); }

void hw_end_by_signal(int number) {
  fflush(NULL);
  signal(number, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  raise(number);
  // The first process of a container is not ended by its own signals.
  _exit(128 + number);
}

void hw_flush_output(void) { fflush(stdout); }
