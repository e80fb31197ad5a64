// Runs that are repeated: each is a child of a process that waits between them.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// The signals that the waiting process leaves to the run, or passes on to it.
static void fill(sigset_t *set) {
  sigemptyset(set);
  sigaddset(set, SIGCHLD);
  sigaddset(set, SIGINT);
  sigaddset(set, SIGQUIT);
  sigaddset(set, SIGTERM);
  sigaddset(set, SIGHUP);
}

pid_t hw_fork_run(void) {
  sigset_t set;
  fill(&set);
  // Before the fork, so that no signal ends this process while the run lives.
  sigprocmask(SIG_BLOCK, &set, NULL);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) {
    int error = errno;
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    errno = error;
  }
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // It may have died before the call.
    if (getppid() != parent) _exit(1);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
  }
  return child;
}

int hw_wait_for_run(pid_t run) {
  sigset_t set;
  fill(&set);
  int status = 0;
  for (;;) {
    pid_t ended = waitpid(run, &status, WNOHANG);
    if (ended == run || (ended < 0 && errno != EINTR)) break;
    siginfo_t info;
    int number = sigwaitinfo(&set, &info);
    if (number < 0 || number == SIGCHLD) continue;
    // The terminal has sent it to the run as well.
    if (info.si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT)) continue;
    kill(run, number);
  }
  // A key reaches both; this process ends as the run does.
  struct timespec none = {0, 0};
  while (sigtimedwait(&set, NULL, &none) > 0) {}
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
