// A run is three processes, so that whichever of them dies, another one ends what is left of the run.
//
//   shell ── viewer ── supervisor ── runner ── tasks, each in a session of its own
//
// The viewer is the process that the shell sees. It owns the terminal, passes signals on and ends as the run ends; or it leaves,
// and the run goes on without it. Supervisor and runner have a session of their own, so that they survive what kills the job
// of a shell (`kill -9 %1`, `timeout -s KILL`, a terminal that is closed). The viewer of a worker on another machine shows
// nothing: there, it is a loop in this file.
//
// All three are subreapers: a process that loses its parent becomes a child of the runner; once the runner is gone, of
// the supervisor; and then of the viewer. The supervisor holds the write end of a pipe; when it dies, the runner reads end
// of file. The supervisor does nothing but wait for signals, so little in it can fail.
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
#include <sys/socket.h>
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

/// The time between two looks whether the lease of a worker is over.
enum { lease_check_milliseconds = 1000 };

/// How long the last thread of a viewer that was killed may be there after the first one.
enum { last_thread_milliseconds = 200 };

/// The signals that ask for the end of a run, which reach the runner by way of the viewer and the supervisor.
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

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
  long long end = boot_milliseconds() + milliseconds;
  // The supervisor waits without limit until there is a lease.
  if (__atomic_exchange_n(&shared->lease_end, end, __ATOMIC_ACQ_REL) == 0) kill(shared->supervisor, SIGCONT);
}

int hw_end_requests(const struct hw_shared *shared) {
  return __atomic_load_n(&shared->end_requests, __ATOMIC_ACQUIRE);
}

void hw_die_with_supervisor(const struct hw_shared *shared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != shared->supervisor) raise(SIGKILL);
}

/// Whether SIGCONT is pending; a signal that stops this process discards an earlier one.
static bool is_continue_pending(void) {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}

void hw_stop_self(bool is_from_terminal) {
  // Stopping would discard a pending SIGCONT, and nobody would send another one.
  if (is_continue_pending()) return;
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

/// Says what has become of a run that did not end by itself, and names what could not be ended; for a worker, also says if
/// that is nothing.
static void say_death(const struct hw_death *death, bool is_worker) {
  if (!hw_accepts_output(STDERR_FILENO)) return;
  dprintf(STDERR_FILENO, "headway: %s; processes ended: %zu\n", hw_death_words(death), death->ended);
  for (size_t i = 0; i < death->left_count; i++) {
    char name[64];
    hw_process_name(death->left[i], name, sizeof name);
    if (!hw_accepts_output(STDERR_FILENO)) return;
    dprintf(STDERR_FILENO, "headway: could not end process %d (%s)\n", (int)death->left[i], name);
  }
  if (is_worker && death->left_count == 0) dprintf(STDERR_FILENO, "%s\n", hw_nothing_left());
}

const char *hw_death_words(const struct hw_death *death) {
  switch (death->reason) {
    case hw_death_lease: return "the worker was killed because its runner did not answer";
    case hw_death_no_response: return "the run did not respond and was killed";
    default: return "the runner died";
  }
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

void hw_leave_streams(struct hw_shared *shared, int errors) {
  replace_streams(errors);
  __atomic_store_n(&shared->has_own_streams, 1, __ATOMIC_RELEASE);
  kill(shared->supervisor, SIGCONT);
}

void hw_leave(struct hw_shared *shared) { __atomic_store_n(&shared->has_left, 1, __ATOMIC_RELEASE); }

/// Whether the run goes on without its viewer.
static bool goes_on_alone(const struct hw_shared *shared) {
  return __atomic_load_n(&shared->has_left, __ATOMIC_ACQUIRE)
    || (shared->has_begun && __atomic_load_n(&shared->detaches_on_hangup, __ATOMIC_ACQUIRE));
}

/// What the supervisor knows of the runner.
struct watch {
  struct hw_shared *shared;
  /// The number of requests to end that were sent to this process, beside those that the viewer passed on, and the latest. A
  /// service manager sends each signal to each process, which is one request.
  int requests;
  struct hw_request latest;
  /// Whether the viewer has died or left, and whether this process has no streams of it any more.
  bool is_viewer_gone, has_left_streams;
  /// Whether a thread of the viewer has died.
  bool is_viewer_dying;
  /// Whether the runner was killed because it did not respond.
  bool was_killed;
  /// Whether the runner, a worker, was killed because it had not heard of its own runner for too long.
  bool is_lease_over;
  /// When the runner last did something after it was asked twice to end, and its count of turns then.
  struct timespec start, response;
  unsigned turns;
  bool is_awaiting_response;
};

/// Restores the terminal of a viewer that was killed. Returns whether it is gone.
static bool notice_dead_viewer(struct watch *watch) {
  struct hw_shared *shared = watch->shared;
  if (!watch->is_viewer_gone && getppid() != shared->viewer) {
    watch->is_viewer_gone = true;
    if (shared->is_shown) hw_restore_terminal(&shared->terminal);
  }
  return watch->is_viewer_gone;
}

/// Ends the supervisor the way the runner ended.
static void mirror(int status, struct watch *watch) {
  struct hw_shared *shared = watch->shared;
  // Both may have been killed together, and the end of the runner is heard of first. The system tells the end of each thread of
  // the viewer; the last one may still be there for a moment.
  struct timespec pause = {0, 1000000};
  for (int i = 0; i < last_thread_milliseconds && getppid() == shared->viewer; i++) {
    if (!watch->is_viewer_dying && !is_continue_pending()) break;
    nanosleep(&pause, NULL);
  }
  notice_dead_viewer(watch);
  bool is_worker = __atomic_load_n(&shared->lease_end, __ATOMIC_ACQUIRE) != 0;
  struct hw_death death = {0};
  if (watch->is_lease_over)
    death.reason = hw_death_lease;
  else if (watch->was_killed && (shared->is_shown || !watch->is_viewer_gone))
    death.reason = hw_death_no_response;
  else if (!shared->is_orderly && shared->has_begun)
    death.reason = hw_death_killed;
  if (death.reason != hw_death_none) {
    int milliseconds = death.reason == hw_death_no_response ? short_cleanup_milliseconds : cleanup_milliseconds;
    size_t left = hw_end_descendants(milliseconds, &death.ended, death.left, max_named);
    death.left_count = left < max_named ? left : max_named;
    // A view that goes on says it where it has shown the run.
    if (notice_dead_viewer(watch) || !shared->is_shown) say_death(&death, is_worker);
    shared->death = death;
  }
  __atomic_store_n(&shared->is_over, 1, __ATOMIC_RELEASE);
  // By the signal that asked for the end, not by the one that enforced it.
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && shared->end_signal)
    hw_die_by_signal(shared->end_signal);
  if (WIFSIGNALED(status)) hw_die_by_signal(WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}

/// Reaps ended children, and ends when the runner has.
static void reap(struct watch *watch) {
  while (true) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    if (pid == watch->shared->runner) mirror(status, watch);
  }
}

/// Begins to look whether the runner responds.
static void await_response(struct watch *watch) {
  watch->is_awaiting_response = true;
  watch->turns = __atomic_load_n(&watch->shared->turns, __ATOMIC_ACQUIRE);
  clock_gettime(CLOCK_MONOTONIC, &watch->response);
}

/// Asks the runner to end the run.
static void request_end(struct watch *watch, const struct hw_request *next, bool is_from_viewer) {
  struct hw_shared *shared = watch->shared;
  int number = next->number;
  if (shared->end_signal == 0) shared->end_signal = number;
  // Of signals of the same kind that come together only one is delivered, so the viewer counts its own.
  if (!is_from_viewer && hw_add_request(&watch->latest, next)) watch->requests++;
  int requests = __atomic_load_n(&shared->viewer_requests, __ATOMIC_ACQUIRE);
  if (requests < watch->requests) requests = watch->requests;
  __atomic_store_n(&shared->end_requests, requests, __ATOMIC_RELEASE);
  // Nothing was started yet that would have to be ended in order.
  kill(shared->runner, __atomic_load_n(&shared->has_begun, __ATOMIC_ACQUIRE) ? number : SIGKILL);
  if ((requests < 2 && number != SIGQUIT) || watch->is_awaiting_response) return;
  await_response(watch);
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

/// Uses the streams that the runner has chosen for a run that goes on without its viewer.
static void leave_streams(struct watch *watch) {
  if (!__atomic_load_n(&watch->shared->has_own_streams, __ATOMIC_ACQUIRE) || watch->has_left_streams) return;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)watch->shared->runner, STDERR_FILENO);
  int errors = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
  replace_streams(errors);
  if (errors >= 0) close(errors);
  watch->has_left_streams = true;
}

/// Checks whether the viewer has died, which is what closing its terminal would be, unless it has left the run.
static void check_viewer(struct watch *watch) {
  struct hw_shared *shared = watch->shared;
  if (watch->is_viewer_gone) {
    leave_streams(watch);
    return;
  }
  // The runner may know before this process does; until then, the terminal may have to be restored.
  if (!notice_dead_viewer(watch)) return;
  if (!shared->is_shown) {
    // Who follows the worker waits to hear that nothing is left.
    watch->was_killed = true;
    await_response(watch);
    kill(shared->runner, SIGKILL);
    return;
  }
  replace_streams(-1);
  leave_streams(watch);
  if (__atomic_load_n(&shared->has_left, __ATOMIC_ACQUIRE)) return;
  // Whoever kills a run that was asked to end, as `timeout -k` does, wants it to end at once.
  if (shared->end_signal)
    watch->requests = 2;
  else if (goes_on_alone(shared))
    return;
  // Under `nohup`, nothing hears of a hang-up.
  int number = sigismember(&shared->signals, SIGHUP) == 1 ? SIGHUP : SIGTERM;
  struct hw_request hangup = {number, true, hw_milliseconds_since(&watch->start)};
  request_end(watch, &hangup, false);
}

/// Watches over the runner until it ends; never returns.
static void supervise(struct hw_shared *shared) {
  struct watch watch = {.shared = shared};
  clock_gettime(CLOCK_MONOTONIC, &watch.start);
  sigset_t awaited = shared->signals;
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGCONT);
  while (true) {
    siginfo_t info;
    int number;
    bool has_lease = __atomic_load_n(&shared->lease_end, __ATOMIC_ACQUIRE) != 0;
    if (watch.is_awaiting_response || has_lease) {
      int milliseconds = watch.is_awaiting_response ? response_check_milliseconds : lease_check_milliseconds;
      struct timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1000000};
      number = sigtimedwait(&awaited, &info, &limit);
    } else {
      number = sigwaitinfo(&awaited, &info);
    }
    if (number == SIGCHLD) {
      reap(&watch);
    } else if (number == SIGCONT) {
      // The viewer has died, or the runner has left its streams or has a lease, or somebody continues this process. The system
      // sends it in the name of the viewer, which itself sends it otherwise.
      if (info.si_code == SI_USER && info.si_pid == shared->viewer) watch.is_viewer_dying = true;
      check_viewer(&watch);
    } else if (number == SIGHUP && goes_on_alone(shared)) {
      // The terminal of a run that goes on without it was closed.
    } else if (number > 0) {
      struct hw_request next = {number, info.si_code == SI_KERNEL, hw_milliseconds_since(&watch.start)};
      request_end(&watch, &next, info.si_pid == shared->viewer);
    }
    // Not only when the time is over: signals may keep coming.
    if (watch.is_awaiting_response) check_response(&watch);
    check_lease(&watch);
  }
}

void hw_pass_on(struct hw_shared *shared, int number, bool is_from_terminal, long long milliseconds) {
  static struct hw_request latest;
  struct hw_request next = {number, is_from_terminal, milliseconds};
  if (!hw_add_request(&latest, &next)) return;
  __atomic_add_fetch(&shared->viewer_requests, 1, __ATOMIC_RELEASE);
  kill(shared->supervisor, number);
}

void hw_continue_supervisor(const struct hw_shared *shared) {
  sigqueue(shared->supervisor, SIGCONT, (union sigval){0});
}

bool hw_has_supervisor_ended(const struct hw_shared *shared, int *status) {
  // Others that lost their parents may have become children of this process.
  pid_t ended;
  while ((ended = waitpid(-1, status, WNOHANG)) > 0)
    if (ended == shared->supervisor) return true;
  return false;
}

void hw_clean_up_after_supervisor(struct hw_shared *shared) {
  if (__atomic_load_n(&shared->is_over, __ATOMIC_ACQUIRE)) return;
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
}

void hw_serve(struct hw_shared *shared) {
  struct timespec start;
  long long now = 0;
  clock_gettime(CLOCK_MONOTONIC, &start);
  sigset_t awaited = shared->signals;
  sigaddset(&awaited, SIGCHLD);
  while (true) {
    siginfo_t info;
    struct timespec none = {0, 0};
    int status, number = sigtimedwait(&awaited, &info, &none);
    if (number < 0) {
      number = sigwaitinfo(&awaited, &info);
      // Signals that are pending together have come together, however long it takes to handle them.
      now = hw_milliseconds_since(&start);
    }
    if (number == SIGCHLD) {
      if (!hw_has_supervisor_ended(shared, &status)) continue;
      if (shared->error) dprintf(STDERR_FILENO, "headway: cannot start the run: %s\n", strerror(shared->error));
      hw_clean_up_after_supervisor(shared);
      if (WIFSIGNALED(status)) hw_die_by_signal(WTERMSIG(status));
      _exit(WEXITSTATUS(status));
    } else if (number > 0) {
      hw_pass_on(shared, number, info.si_code == SI_KERNEL, now);
    }
  }
}

/// Becomes the supervisor, and starts the runner. Returns in the runner only.
static void supervise_child(struct hw_shared *shared, const int ends[2], int viewer_stream, int runner_stream) {
  shared->supervisor = getpid();
  // Before the runner is created, which is to have no terminal.
  setsid();
  pid_t runner = fork();
  if (runner == 0) return;
  // The end of the stream says that the runner is gone.
  if (viewer_stream >= 0) close(viewer_stream);
  if (runner_stream >= 0) close(runner_stream);
  if (runner < 0) {
    shared->error = errno;
    _exit(1);
  }
  shared->runner = runner;
  close(ends[0]);
  // A name of its own, so that what kills all processes of a name (`pkill headway`) leaves it to clean up.
  prctl(PR_SET_NAME, "hw-supervisor");
  // Only SIGKILL ends it: what kills the other two must find somebody who cleans up.
  hw_block_signals();
  // Wakes this process when the viewer dies, even if it is stopped.
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  if (getppid() != shared->viewer) raise(SIGCONT);
  supervise(shared);
}

/// The memory that the processes share, NULL if there is none.
static struct hw_shared *new_shared(void) {
  struct hw_shared *page = mmap(
    NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return NULL;
  page->viewer = getpid();
  sigemptyset(&page->signals);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
    // A signal that was ignored at the start (nohup, `&` in a shell) stays ignored; blocking it would lift that.
    struct sigaction found;
    sigaction(forwarded[i], NULL, &found);
    if (found.sa_handler != SIG_IGN) sigaddset(&page->signals, forwarded[i]);
  }
  struct sigaction found;
  sigaction(SIGTSTP, NULL, &found);
  page->ignores_stop = found.sa_handler == SIG_IGN;
  return page;
}

int hw_supervisor_split(struct hw_shared **shared, struct hw_split *split) {
  struct hw_shared *page = new_shared();
  if (!page) return errno;
  page->is_shown = split->is_shown;
  int ends[2], stream[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC)) return errno;
  if (split->is_shown && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, stream)) return errno;
  sigset_t blocked = page->signals;
  sigaddset(&blocked, SIGCHLD);
  sigaddset(&blocked, SIGCONT);
  // Ctrl-Z stops the tasks before the viewer.
  if (!page->ignores_stop) sigaddset(&blocked, SIGTSTP);
  // Changing the terminal's settings from the background must not stop the process.
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGPIPE, SIG_IGN);
  // If SIGCHLD were inherited as ignored, ended children would not be reported.
  signal(SIGCHLD, SIG_DFL);
  hw_note_terminal(&page->terminal);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t supervisor = fork();
  if (supervisor < 0) return errno;
  *shared = page;
  if (supervisor > 0) {
    page->supervisor = supervisor;
    close(ends[0]);
    close(ends[1]);
    if (stream[1] >= 0) close(stream[1]);
    split->is_viewer = true;
    split->stream = stream[0];
    return 0;
  }
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  supervise_child(page, ends, stream[0], stream[1]);
  close(ends[1]);
  if (stream[0] >= 0) close(stream[0]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  split->is_viewer = false;
  split->stream = stream[1];
  split->supervisor_pipe = ends[0];
  return 0;
}

int hw_terminal_guard(struct hw_shared **shared) {
  struct hw_shared *page = new_shared();
  if (!page) return errno;
  hw_note_terminal(&page->terminal);
  // Changing the terminal's settings from the background must not stop the process.
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &one, NULL);
  signal(SIGPIPE, SIG_IGN);
  pid_t guard = fork();
  if (guard < 0) return errno;
  *shared = page;
  if (guard > 0) return 0;
  prctl(PR_SET_NAME, "hw-supervisor");
  setsid();
  hw_block_signals();
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCONT);
  prctl(PR_SET_PDEATHSIG, SIGCONT);
  while (getppid() == page->viewer) sigwaitinfo(&awaited, NULL);
  hw_restore_terminal(&page->terminal);
  _exit(0);
}
