// Handlers that pass the signals of this process on to one of its threads, through a pipe: a handler may call only few
// functions.
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "headway_system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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
/// Guards what follows: whether the pipe is open, the thread that waits, whether it has begun, and how often it was asked to change
/// its mask and has done so.
static pthread_mutex_t masks = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t mask_set = PTHREAD_COND_INITIALIZER;
static bool is_open = false;
static pthread_t waiter;
static bool has_waiter = false;
static unsigned long asked = 0, answered = 0;
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
  pthread_mutex_lock(&masks);
  is_open = true;
  pthread_mutex_unlock(&masks);
  return 0;
}

void hw_handlers_close(void) {
  pthread_mutex_lock(&masks);
  is_open = false;
  pthread_mutex_unlock(&masks);
  close(reader);
  close(writer);
}

static void set_mask(int number, int how) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  pthread_sigmask(how, &signals, NULL);
}

/// Has the thread that waits block a signal, or receive it: otherwise nobody would in a process that began with the signal
/// blocked and passes that on to all its threads.
static void ask_for_mask(int number, int how) {
  // In a copy of the process the pipe is that of the original.
  if (getpid() != owner) return;
  pthread_mutex_lock(&masks);
  struct hw_request request = {.number = -number, .milliseconds = how};
  if (is_open && has_waiter && pthread_equal(waiter, pthread_self())) {
    set_mask(number, how);
  } else if (is_open && write(writer, &request, sizeof request) == sizeof request) {
    unsigned long wanted = ++asked;
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    // A signal that comes before it is blocked would have the effect that it has when it is not. The thread may be held up by a
    // signal that it has to deliver itself, because there is no other thread for it.
    while (how == SIG_BLOCK && is_open && answered < wanted) {
      if (pthread_cond_timedwait(&mask_set, &masks, &limit)) break;
    }
  }
  pthread_mutex_unlock(&masks);
}

bool hw_handlers_wait(struct hw_request *received) {
  pthread_mutex_lock(&masks);
  waiter = pthread_self();
  has_waiter = true;
  pthread_mutex_unlock(&masks);
  for (;;) {
    ssize_t got = read(reader, received, sizeof *received);
    if (got < 0 && errno == EINTR) continue;
    if (got == sizeof *received && received->number > 0) return true;
    pthread_mutex_lock(&masks);
    if (got == sizeof *received) {
      set_mask(-received->number, (int)received->milliseconds);
      answered += 1;
    } else {
      // Something has closed the pipe, and its numbers may be those of other files now.
      is_open = has_waiter = false;
      reader = writer = -1;
    }
    pthread_cond_broadcast(&mask_set);
    pthread_mutex_unlock(&masks);
    if (got != sizeof *received) return false;
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

/// Flushes a stream, unless another thread uses it: that thread may wait without end.
static void flush(FILE *stream) {
  if (ftrylockfile(stream)) return;
  fflush(stream);
  funlockfile(stream);
}

void hw_end_by_signal(int number) {
  // First, so that the same signal ends the process if a stream cannot be written.
  signal(number, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
  flush(stdout);
  flush(stderr);
  raise(number);
  // The first process of a container is not ended by its own signals.
  _exit(128 + number);
}

void hw_flush_output(void) { flush(stdout); }
