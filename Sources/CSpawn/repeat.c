// Runs that are repeated: each is a child of a process that waits between them.
//
// That somebody has asked for the end is one state of the waiting process. Once it is set, no further run begins, whatever the
// exit code of the present one: a run that is asked to end may have succeeded, or may end before it hears of it.
//
// Between two runs a signal has its usual effect, which is the end of this process. While a run is started, a handler sets the
// state: the system lets a signal that comes before the fork run its handler before, and the copy then has the state, too.
// With blocked signals, the copy would not have those that are pending. While a run goes on, the signals are blocked and waited for.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// The signals that ask for the end.
static const int requests[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
enum { request_count = sizeof requests / sizeof *requests };

/// The first signal that asked for the end, 0 before; written by a handler, too.
static volatile sig_atomic_t end_signal;

/// Whether the terminal has sent that signal to the run as well.
static volatile sig_atomic_t has_reached_run;

/// The signals that this process waits for while a run goes on.
static sigset_t awaited;

/// Notes that the end was asked for.
static void note_request(int number, siginfo_t *info, void *context) {
  (void)context;
  if (end_signal) return;
  has_reached_run = info->si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT);
  end_signal = number;
}

pid_t hw_fork_run(void) {
  struct sigaction previous[request_count];
  struct sigaction noting = {.sa_sigaction = note_request, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&noting.sa_mask);
  sigset_t handled;
  sigemptyset(&handled);
  for (size_t i = 0; i < request_count; i++) {
    // A signal that was ignored at the start (nohup, `&` in a shell) stays ignored; blocking it would lift that.
    sigaction(requests[i], NULL, &previous[i]);
    if (previous[i].sa_handler == SIG_IGN) continue;
    sigaction(requests[i], &noting, NULL);
    sigaddset(&handled, requests[i]);
  }
  sigprocmask(SIG_UNBLOCK, &handled, NULL);
  // If SIGCHLD were inherited as ignored, the end of the child would not be reported.
  signal(SIGCHLD, SIG_DFL);
  awaited = handled;
  sigaddset(&awaited, SIGCHLD);
  pid_t parent = getpid();
  pid_t child = fork();
  int error = errno;
  // Before the handlers are gone, so that no signal ends this process while the run lives.
  if (child > 0) sigprocmask(SIG_BLOCK, &awaited, NULL);
  for (size_t i = 0; i < request_count; i++) sigaction(requests[i], &previous[i], NULL);
  if (child == 0) {
    if (end_signal) hw_die_by_signal(end_signal);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    // It may have died before the call.
    if (getppid() != parent) _exit(1);
  }
  if (child < 0 && end_signal) hw_die_by_signal(end_signal);
  errno = error;
  return child;
}

int hw_wait_for_run(pid_t run) {
  // It came after the fork.
  if (end_signal && !has_reached_run) kill(run, end_signal);
  int status = 0, number;
  siginfo_t info;
  for (;;) {
    pid_t ended = waitpid(run, &status, WNOHANG);
    if (ended == run || (ended < 0 && errno != EINTR)) break;
    number = sigwaitinfo(&awaited, &info);
    if (number < 0 || number == SIGCHLD) continue;
    note_request(number, &info, NULL);
    // The terminal has sent it to the run as well.
    if (info.si_code == SI_KERNEL && (number == SIGINT || number == SIGQUIT)) continue;
    kill(run, number);
  }
  // What came as the run ended asks for the end of the repetition, too; what comes later ends this process at once.
  struct timespec none = {0, 0};
  while ((number = sigtimedwait(&awaited, &info, &none)) > 0)
    if (number != SIGCHLD) note_request(number, &info, NULL);
  sigprocmask(SIG_UNBLOCK, &awaited, NULL);
  return WIFSIGNALED(status) ? WTERMSIG(status) : end_signal;
}
