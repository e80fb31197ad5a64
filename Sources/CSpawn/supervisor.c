// A run is three processes, so that whichever of them dies, another one ends what is left of the run.
//
//   shell ── proxy ── supervisor ── runner ── tasks, each in a session of its own
//
// The shell sees the proxy, which passes signals on and ends as the run ends. The supervisor has a session of its own, so
// that it survives what kills the job of a shell (`kill -9 %1`, `timeout -s KILL`, a terminal that is closed). The runner
// stays in the job of the proxy, because it reads the terminal and draws on it. To detach, the runner begins a session of
// its own, and the proxy ends while the other two go on.
//
// All three are subreapers: a process that loses its parent becomes a child of the runner; once the runner is gone, of
// the supervisor; and then of the proxy. The supervisor holds the write end of a pipe; when it dies, the runner reads end
// of file. Proxy and supervisor do nothing but wait for signals, so little in them can fail.
#define _GNU_SOURCE
#include "CSpawn.h"
#include "headway_system.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/// How long the supervisor tries to end what a dead runner left.
enum { cleanup_milliseconds = 10000 };

/// How long the supervisor tries to end what a runner left that it has killed because it did not respond.
enum { short_cleanup_milliseconds = 500 };

/// How long a runner that was asked twice to end may do nothing before it is killed.
enum { response_milliseconds = 700 };

/// The time between two looks at a runner that was asked twice to end.
enum { response_check_milliseconds = 50 };

/// The time between two looks whether the supervisor of a stopped proxy was killed, before the run has begun.
enum { stopped_check_milliseconds = 50 };

/// The time between two looks whether the proxy was stopped, which the system tells nobody but the shell.
enum { proxy_check_milliseconds = 1000 };

/// The maximum number of processes that are named if they could not be ended.
enum { max_named = 16 };

/// The signals that reach the runner by way of the proxy and the supervisor.
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};

void hw_begin(struct hw_shared *shared) {
  // From now on the runner itself ends the run if the supervisor dies, even if it is stopped.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  __atomic_store_n(&shared->has_begun, 1, __ATOMIC_RELEASE);
}

void hw_take_turn(struct hw_shared *shared) { __atomic_add_fetch(&shared->turns, 1, __ATOMIC_RELEASE); }

const char *hw_nothing_left(void) { return "headway: nothing of the run is left on this machine"; }

/// The time since the machine was started, also while it was suspended.
static long long boot_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

void hw_set_lease(struct hw_shared *shared, long long milliseconds) {
  __atomic_store_n(&shared->lease_end, boot_milliseconds() + milliseconds, __ATOMIC_RELEASE);
}

int hw_end_requests(const struct hw_shared *shared) {
  return __atomic_load_n(&shared->end_requests, __ATOMIC_ACQUIRE);
}

void hw_die_with_supervisor(const struct hw_shared *shared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != shared->supervisor) raise(SIGKILL);
}

void hw_terminate_with_supervisor(const struct hw_shared *shared) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != shared->supervisor) raise(SIGTERM);
}

/// Whether SIGCONT is pending; a signal that stops this process discards an earlier one.
static bool is_continue_pending(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}

/// Signals the runner once it exists; before, its number is 0, which would mean the whole process group.
static void signal_runner(const struct hw_shared *shared, int number) {
  if (shared->runner > 0) kill(shared->runner, number);
}

/// Continues the runner.
static void continue_runner(struct hw_shared *shared) {
  __atomic_add_fetch(&shared->continues_begun, 1, __ATOMIC_SEQ_CST);
  signal_runner(shared, SIGCONT);
  __atomic_add_fetch(&shared->continues_done, 1, __ATOMIC_SEQ_CST);
}

/// Stops this process.
static void stop(bool is_from_terminal) {
  // SIGSTOP also stops a process whose group has no shell with job control, which is right if somebody has asked for it.
  // But nobody could continue it after Ctrl-Z.
  if (!is_from_terminal) {
    raise(SIGSTOP);
    return;
  }
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGTSTP);
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  // The process stops here, while the signal is unblocked.
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
}

void hw_stop_self(struct hw_shared *shared, bool is_from_terminal) {
  // What was done before this is pending, or was taken together with the SIGTSTP, which then has no effect. What is done later
  // has begun later, or has not ended yet.
  unsigned continues = __atomic_load_n(&shared->continues_done, __ATOMIC_SEQ_CST);
  __atomic_store_n(&shared->stops_after, continues + 1, __ATOMIC_SEQ_CST);
  // Stopping would discard a pending SIGCONT, and nobody would send another one.
  if (!is_continue_pending()) stop(is_from_terminal);
  __atomic_store_n(&shared->stops_after, 0, __ATOMIC_RELEASE);
}

void hw_die_by_signal(int signal_number) {
  struct rlimit none = {0, 0};
  sigset_t one;
  setrlimit(RLIMIT_CORE, &none);
  signal(signal_number, SIG_DFL);
  sigemptyset(&one);
  sigaddset(&one, signal_number);
  raise(signal_number);
  pthread_sigmask(SIG_UNBLOCK, &one, NULL);
  _exit(128 + signal_number);
}

/// Ends everything that is left of a run, and names what could not be ended; for a worker, also says if that is nothing.
static void clean_up(const char *reason, int milliseconds, bool is_worker) {
  pid_t left[max_named];
  size_t ended, remaining = hw_end_descendants(milliseconds, &ended, left, max_named);
  if (!hw_accepts_output(STDERR_FILENO)) return;
  dprintf(STDERR_FILENO, "headway: %s; processes ended: %zu\n", reason, ended);
  for (size_t i = 0; i < remaining && i < max_named; i++) {
    char name[64];
    hw_process_name(left[i], name, sizeof name);
    if (!hw_accepts_output(STDERR_FILENO)) return;
    dprintf(STDERR_FILENO, "headway: could not end process %d (%s)\n", (int)left[i], name);
  }
  if (is_worker && remaining == 0) dprintf(STDERR_FILENO, "%s\n", hw_nothing_left());
}

/// Replaces the standard streams, so that neither a terminal nor a pipe waits for this process.
static void replace_streams(int errors) {
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(errors >= 0 ? errors : nothing, STDERR_FILENO);
  close(nothing);
}

int hw_detach(struct hw_shared *shared, int errors) {
  // The runner is a child of the supervisor, so it leads no process group, and this works.
  if (setsid() < 0) return errno;
  replace_streams(errors);
  __atomic_store_n(&shared->is_detached, 1, __ATOMIC_SEQ_CST);
  kill(shared->supervisor, SIGCONT);
  return 0;
}

/// Whether the runner has left the session of the proxy.
static bool is_detached(const struct hw_shared *shared) {
  return __atomic_load_n(&shared->is_detached, __ATOMIC_SEQ_CST);
}

/// Whether SIGHUP detaches the run.
static bool detaches_on_hangup(const struct hw_shared *shared) {
  return __atomic_load_n(&shared->detaches_on_hangup, __ATOMIC_ACQUIRE);
}

/// What the supervisor knows of the runner.
struct watch {
  struct hw_shared *shared;
  /// The number of requests to end that were sent to this process, beside those that the proxy passed on, and the latest. A
  /// service manager sends each signal to each process, which is one request.
  int requests;
  struct hw_request latest;
  /// Whether the runner is stopped.
  bool is_stopped;
  /// Whether the proxy was found stopped, so that the runner was asked to stop, and is continued with the proxy.
  bool is_proxy_stopped;
  /// Whether the runner was killed: because it did not respond, or because the proxy is dead.
  bool was_killed, is_proxy_dead;
  /// Whether the runner, a worker, was killed because it had not heard of its own runner for too long.
  bool is_lease_over;
  /// When the runner last did something after it was asked twice to end, and its count of turns then.
  struct timespec response;
  unsigned turns;
  bool is_awaiting_response;
};

/// Whether the proxy stops itself and the runner because the supervisor was stopped.
static bool is_proxy_following(const struct hw_shared *shared) {
  return __atomic_load_n(&shared->is_proxy_following, __ATOMIC_ACQUIRE);
}

/// Continues the proxy until it no longer stops itself; nobody else would continue it after the end of this process.
static void release_proxy(const struct hw_shared *shared) {
  struct timespec pause = {0, 1000000};
  while (is_proxy_following(shared) && getppid() == shared->proxy) {
    if (hw_is_stopped(shared->proxy)) kill(shared->proxy, SIGCONT);
    nanosleep(&pause, NULL);
  }
}

/// Lets the proxy end, once the runner is detached.
static void leave_proxy(struct hw_shared *shared) {
  if (!is_detached(shared) || shared->has_left_proxy) return;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)shared->runner, STDERR_FILENO);
  int errors = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  replace_streams(errors);
  if (errors >= 0) close(errors);
  __atomic_store_n(&shared->has_left_proxy, 1, __ATOMIC_SEQ_CST);
  if (getppid() == shared->proxy) kill(shared->proxy, SIGCONT);
}

/// Ends the supervisor the way the runner ended.
static void mirror(int status, const struct watch *watch) {
  struct hw_shared *shared = watch->shared;
  leave_proxy(shared);
  // Processes first: the terminal may not accept output.
  bool is_worker = __atomic_load_n(&shared->lease_end, __ATOMIC_ACQUIRE) != 0;
  if (watch->is_lease_over)
    clean_up("the worker was killed because its runner did not answer", cleanup_milliseconds, is_worker);
  else if (watch->was_killed && !watch->is_proxy_dead)
    clean_up("the run did not respond and was killed", short_cleanup_milliseconds, is_worker);
  else if (!shared->is_orderly && shared->has_begun)
    clean_up(watch->is_proxy_dead ? "the run was killed" : "the runner died", cleanup_milliseconds, is_worker);
  hw_restore_terminal(shared);
  shared->is_over = 1;
  // The proxy was stopped because the runner was.
  if (watch->is_stopped && !watch->is_proxy_stopped && getppid() == shared->proxy) kill(shared->proxy, SIGCONT);
  release_proxy(shared);
  // By the signal that asked for the end, not by the one that enforced it.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && shared->end_signal)
    hw_die_by_signal(shared->end_signal);
  if (WIFSIGNALED(status)) hw_die_by_signal(WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}

bool hw_has_discarded_continue(const struct hw_shared *shared) {
  unsigned stops_after = __atomic_load_n(&shared->stops_after, __ATOMIC_SEQ_CST);
  return stops_after && __atomic_load_n(&shared->continues_begun, __ATOMIC_SEQ_CST) + 1 != stops_after;
}

/// Reaps ended children, stops and continues the proxy with the runner, and ends when the runner has.
static void follow(struct watch *watch) {
  while (true) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED | WCONTINUED);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    if (pid != watch->shared->runner) continue;
    if (!WIFSTOPPED(status) && !WIFCONTINUED(status)) mirror(status, watch);
    watch->is_stopped = WIFSTOPPED(status);
    if (watch->is_stopped && hw_has_discarded_continue(watch->shared)) {
      continue_runner(watch->shared);
      continue;
    }
    if (getppid() != watch->shared->proxy) continue;
    if (!watch->is_stopped)
      kill(watch->shared->proxy, SIGCONT);
    else if (!watch->is_proxy_stopped && !is_proxy_following(watch->shared))
      // Otherwise the runner stops because of the proxy, and this could discard the SIGCONT that continues both.
      kill(watch->shared->proxy, SIGSTOP);
  }
}

/// Asks the runner to end the run.
static void request_end(struct watch *watch, const struct hw_request *next, bool is_from_proxy) {
  struct hw_shared *shared = watch->shared;
  int number = next->number;
  if (shared->end_signal == 0) shared->end_signal = number;
  // Of signals of the same kind that come together only one is delivered, so the proxy counts its own.
  if (!is_from_proxy && hw_add_request(&watch->latest, next)) watch->requests++;
  int requests = __atomic_load_n(&shared->proxy_requests, __ATOMIC_ACQUIRE);
  if (requests < watch->requests) requests = watch->requests;
  __atomic_store_n(&shared->end_requests, requests, __ATOMIC_RELEASE);
  // Nothing was started yet that would have to be ended in order.
  kill(shared->runner, __atomic_load_n(&shared->has_begun, __ATOMIC_ACQUIRE) ? number : SIGKILL);
  if ((requests < 2 && number != SIGQUIT) || watch->is_awaiting_response) return;
  watch->is_awaiting_response = true;
  watch->turns = __atomic_load_n(&shared->turns, __ATOMIC_ACQUIRE);
  clock_gettime(CLOCK_MONOTONIC, &watch->response);
}

/// Kills a runner that was asked twice to end and does nothing: it may wait for a disk that does not answer.
static void check_response(struct watch *watch) {
  unsigned turns = __atomic_load_n(&watch->shared->turns, __ATOMIC_ACQUIRE);
  if (turns != watch->turns) {
    watch->turns = turns;
    clock_gettime(CLOCK_MONOTONIC, &watch->response);
  } else if (hw_milliseconds_since(&watch->response) >= response_milliseconds) {
    // Not even SIGKILL ends it, as long as the disk does not answer.
    if (watch->was_killed) mirror(SIGKILL, watch);
    watch->was_killed = true;
    kill(watch->shared->runner, SIGKILL);
    clock_gettime(CLOCK_MONOTONIC, &watch->response);
  }
}

/// Kills a worker whose lease is over, and which has not ended by itself.
static void check_lease(struct watch *watch) {
  long long end = __atomic_load_n(&watch->shared->lease_end, __ATOMIC_ACQUIRE);
  if (!end || watch->is_lease_over || boot_milliseconds() < end) return;
  watch->is_lease_over = true;
  kill(watch->shared->runner, SIGKILL);
}

/// Checks whether the proxy was stopped or killed.
static void check_proxy(struct watch *watch) {
  pid_t proxy = watch->shared->proxy, runner = watch->shared->runner;
  leave_proxy(watch->shared);
  if (watch->shared->has_left_proxy) return;
  if (getppid() != proxy) {
    if (watch->is_proxy_dead) return;
    watch->is_proxy_dead = watch->was_killed = watch->is_awaiting_response = true;
    watch->turns = __atomic_load_n(&watch->shared->turns, __ATOMIC_ACQUIRE);
    clock_gettime(CLOCK_MONOTONIC, &watch->response);
    kill(runner, SIGKILL);
    return;
  }
  bool is_stopped = hw_is_stopped(proxy);
  if (is_stopped && is_proxy_following(watch->shared)) {
    // It stopped because this process was stopped, which runs.
    continue_runner(watch->shared);
    kill(proxy, SIGCONT);
    is_stopped = false;
  }
  // In order, so that the tasks are stopped too.
  if (is_stopped && !watch->is_proxy_stopped && !watch->is_stopped) {
    watch->is_proxy_stopped = true;
    kill(runner, watch->shared->has_begun ? SIGTSTP : SIGSTOP);
    // It may have been continued in between.
    is_stopped = hw_is_stopped(proxy);
  }
  if (is_stopped || !watch->is_proxy_stopped) return;
  watch->is_proxy_stopped = false;
  continue_runner(watch->shared);
}

/// Watches over the runner until it ends; never returns.
static void supervise(struct hw_shared *shared) {
  struct watch watch = {.shared = shared};
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  sigset_t awaited = shared->signals;
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGCONT);
  while (true) {
    siginfo_t info;
    int milliseconds =
      watch.is_awaiting_response ? response_check_milliseconds : proxy_check_milliseconds;
    struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    int number = sigtimedwait(&awaited, &info, &limit);
    if (number == SIGCHLD) {
      follow(&watch);
    } else if (number == SIGCONT) {
      // The proxy has died, or somebody continues this process.
      check_proxy(&watch);
      if (!shared->has_left_proxy && getppid() == shared->proxy && info.si_pid != shared->proxy) {
        continue_runner(shared);
        kill(shared->proxy, SIGCONT);
      }
    } else if (number == SIGTSTP || (number == SIGHUP && shared->has_begun && detaches_on_hangup(shared))) {
      kill(shared->runner, number);
    } else if (number > 0) {
      struct hw_request next = {number, info.si_code == SI_KERNEL, hw_milliseconds_since(&start)};
      request_end(&watch, &next, info.si_pid == shared->proxy);
    } else {
      check_proxy(&watch);
    }
    // Not only when the time is over: signals may keep coming.
    if (watch.is_awaiting_response) check_response(&watch);
    check_lease(&watch);
  }
}

/// Ends the proxy the way the supervisor ended; if that was killed, after nothing of the run is left.
static void end_proxy(int status, struct hw_shared *shared) {
  if (shared->has_left_proxy) _exit(0);
  if (!shared->is_over) {
    // The runner has become a child of this process, and ends the run because its supervisor is dead.
    struct timespec start, pause = {0, 5000000};
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (hw_milliseconds_since(&start) < cleanup_milliseconds) {
      if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD) break;
      // If the runner was killed as well, nobody else ends what is left.
      if (shared->runner <= 0 || kill(shared->runner, 0)) break;
      nanosleep(&pause, NULL);
    }
    size_t ended;
    if (!shared->is_orderly) hw_end_descendants(cleanup_milliseconds, &ended, NULL, 0);
    hw_restore_terminal(shared);
  }
  if (WIFSIGNALED(status)) hw_die_by_signal(WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}

/// Stops this process, the proxy, as the supervisor was stopped.
///
/// If the supervisor is killed then, another process must continue this one. Once the run has begun, the runner does so. Before
/// that, it is a helper process, which exists only while this one is stopped.
static void stop_with_supervisor(pid_t supervisor, const struct hw_shared *shared) {
  pid_t proxy = getpid();
  pid_t watch = shared->has_begun ? -1 : fork();
  if (watch == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct timespec pause = {0, stopped_check_milliseconds * 1000000};
    while (getppid() == proxy) {
      // Again and again, because the proxy may not have stopped yet.
      if (hw_has_ended(supervisor)) kill(proxy, SIGCONT);
      nanosleep(&pause, NULL);
    }
    _exit(0);
  }
  raise(SIGSTOP);
  if (watch < 0) return;
  kill(watch, SIGKILL);
  while (waitpid(watch, NULL, 0) < 0 && errno == EINTR) continue;
}

/// Passes signals on to the supervisor until it ends. Returns only if the run could not be started.
static void serve_as_proxy(pid_t supervisor, struct hw_shared *shared) {
  struct timespec start;
  struct hw_request latest = {0};
  long long now = 0;
  clock_gettime(CLOCK_MONOTONIC, &start);
  sigset_t awaited = shared->signals;
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGCONT);
  while (true) {
    siginfo_t info;
    struct timespec none = {0, 0};
    int status, number = sigtimedwait(&awaited, &info, &none);
    if (number < 0) {
      number = sigwaitinfo(&awaited, &info);
      // Signals that are pending together have come together, however long it takes to handle them.
      now = hw_milliseconds_since(&start);
    }
    if (__atomic_load_n(&shared->has_left_proxy, __ATOMIC_SEQ_CST)) _exit(0);
    if (number == SIGCHLD) {
      pid_t pid;
      while ((pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0) {
        if (pid != supervisor) continue;
        if (WIFSTOPPED(status)) {
          // From here on the supervisor, which may run again already, continues this process if it finds it stopped.
          __atomic_store_n(&shared->is_proxy_following, 1, __ATOMIC_SEQ_CST);
          signal_runner(shared, shared->has_begun ? SIGTSTP : SIGSTOP);
          // Stopping would discard a SIGCONT that continues all three.
          if (hw_is_stopped(supervisor) && !is_continue_pending())
            stop_with_supervisor(supervisor, shared);
          now = hw_milliseconds_since(&start);
          continue_runner(shared);
          __atomic_store_n(&shared->is_proxy_following, 0, __ATOMIC_SEQ_CST);
        } else if (shared->error) {
          return;
        } else {
          end_proxy(status, shared);
        }
      }
    } else if (number == SIGCONT) {
      if (info.si_pid == supervisor) continue;
      continue_runner(shared);
      kill(supervisor, SIGCONT);
    } else if (number == SIGTSTP) {
      // The terminal signals the runner, too, which stops once it waits for signals. Not through the supervisor: a SIGCONT
      // that comes next must not overtake this.
      if (info.si_code != SI_KERNEL || !shared->has_begun)
        signal_runner(shared, shared->has_begun ? SIGTSTP : SIGSTOP);
    } else if (number == SIGHUP && shared->has_begun && detaches_on_hangup(shared)) {
      kill(supervisor, number);
    } else if (number > 0) {
      struct hw_request next = {number, info.si_code == SI_KERNEL, now};
      if (!hw_add_request(&latest, &next)) continue;
      __atomic_add_fetch(&shared->proxy_requests, 1, __ATOMIC_RELEASE);
      kill(supervisor, number);
    }
  }
}

/// Becomes the supervisor, and starts the runner. Returns in the runner only.
static void supervise_child(struct hw_shared *shared, const int ends[2]) {
  shared->supervisor = getpid();
  pid_t runner = fork();
  if (runner == 0) return;
  if (runner < 0) {
    shared->error = errno;
    _exit(1);
  }
  shared->runner = runner;
  close(ends[0]);
  // A name of its own, so that what kills all processes of a name (`pkill headway`) leaves it to clean up.
  prctl(PR_SET_NAME, "hw-supervisor");
  // After the runner was created, which stays in the session of the proxy.
  setsid();
  // Only SIGKILL ends it: what kills the other two must find somebody who cleans up.
  hw_block_signals();
  // Wakes this process when the proxy dies, even if it is stopped.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  if (getppid() != shared->proxy) raise(SIGCONT);
  supervise(shared);
}

int hw_supervisor_split(struct hw_shared **shared, int *supervisor_pipe) {
  struct hw_shared *page = mmap(
    NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return errno;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return errno;
  page->proxy = getpid();
  sigemptyset(&page->signals);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
    // A signal that was ignored at the start (nohup, `&` in a shell) stays ignored; blocking it would lift that.
    struct sigaction found;
    sigaction(forwarded[i], NULL, &found);
    if (found.sa_handler != SIG_IGN) sigaddset(&page->signals, forwarded[i]);
  }
  sigset_t blocked = page->signals;
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGCONT);
  // Changing the terminal's settings from the background must not stop the process.
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGPIPE, SIG_IGN);
  // If SIGCHLD were inherited as ignored, ended children would not be reported.
  signal(SIGCHLD, SIG_DFL);
  hw_note_terminal(page);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t supervisor = fork();
  if (supervisor < 0) return errno;
  if (supervisor > 0) {
    close(ends[0]);
    close(ends[1]);
    serve_as_proxy(supervisor, page);
    return page->error;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  supervise_child(page, ends);
  close(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  *shared = page;
  *supervisor_pipe = ends[0];
  return 0;
}
