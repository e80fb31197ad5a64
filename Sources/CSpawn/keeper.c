// Keeper and runner: two processes, so that the death of either leaves one to clean up after both.
//
//   shell ── keeper ── runner ── tasks, each in a process group of its own
//
// Both are sub-reapers: what loses its parent anywhere below becomes a child of the runner, and when the runner
// is gone, of the keeper. The keeper holds the write end of a pipe; when it dies, the runner reads its end.
// The keeper stays small and does nothing but wait, so there is little in it that could fail.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/// How long the keeper tries to end what a dead runner left.
enum { patience_milliseconds = 10000 };

/// How many milliseconds a terminal gets to take what puts it right.
enum { patience_with_terminal = 500 };

/// The most processes that are named when they could not be ended.
enum { most_named = 16 };

/// The signals that the keeper passes on to the runner.
static const int passed[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};

/// The terminal as it was found, and whether there was one.
static struct termios found_terminal;
static int has_terminal;

int hw_wishes(const struct hw_shared *shared) {
  return __atomic_load_n(&shared->wishes, __ATOMIC_ACQUIRE);
}

void hw_die_with_keeper(const struct hw_shared *shared) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != shared->keeper) raise(SIGKILL);
}

void hw_end_with_keeper(const struct hw_shared *shared) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != shared->keeper) raise(SIGTERM);
}

void hw_stop_self(void) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  // The stop happens here, while the signal is let through.
  pthread_sigmask(SIG_UNBLOCK, &stop, NULL);
  pthread_sigmask(SIG_BLOCK, &stop, NULL);
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

/// Gives the terminal back as it was found.
static void restore_terminal(int shows_taskbar) {
  // Ends an update and a row that may not wrap, shows the cursor, sets plain text, clears what was live.
  static const char show_cursor[] = "\r\033[?2026l\033[?7h\033[?25h\033[0m\033[J";
  static const char clear_taskbar[] = "\033]9;4;0\033\\";
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
  tcsetattr(STDIN_FILENO, TCSANOW, &found_terminal);
  // A terminal that the person has stopped would hold us for ever.
  if (poll(&output, 1, patience_with_terminal) <= 0 || !(output.revents & POLLOUT)) return;
  if (write(STDOUT_FILENO, show_cursor, sizeof show_cursor - 1) < 0) return;
  // Others take it for a message to the desktop, so only where it was used.
  if (shows_taskbar && write(STDOUT_FILENO, clear_taskbar, sizeof clear_taskbar - 1) < 0) return;
}

/// Ends everything that a runner left behind, and says what could not be ended.
static void clean_up(void) {
  pid_t left[most_named];
  size_t ended, remaining = hw_end_descendants(patience_milliseconds, &ended, left, most_named);
  dprintf(STDERR_FILENO, "headway: the runner died; ended the processes of the run (%zu)\n", ended);
  for (size_t i = 0; i < remaining && i < most_named; i++) {
    char name[64];
    hw_process_name(left[i], name, sizeof name);
    dprintf(STDERR_FILENO, "headway: process %d (%s) could not be ended\n", (int)left[i], name);
  }
}

/// Ends the keeper as the runner ended.
static void mirror(int status, const struct hw_shared *shared) {
  // The processes first: the terminal may be one that takes nothing.
  if (!shared->is_orderly) clean_up();
  if (shared->is_terminal_changed && has_terminal) restore_terminal(shared->shows_taskbar);
  if (WIFSIGNALED(status)) hw_die_by_signal(WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}

/// Reaps what has ended, and follows the runner's end and stops.
static void follow(pid_t runner, const struct hw_shared *shared) {
  while (true) {
    int status;
    pid_t pid = waitpid(-1, &status, WNOHANG | WUNTRACED);
    if (pid < 0 && errno == EINTR) continue;
    if (pid <= 0) return;
    if (pid != runner) continue;
    if (WIFSTOPPED(status)) hw_stop_self();
    else mirror(status, shared);
  }
}

/// The keeper's whole life: waits, passes on, and ends as the runner ends.
static void keep(pid_t runner, struct hw_shared *shared) {
  sigset_t waited = shared->signals;
  sigaddset(&waited, SIGCHLD);
  while (true) {
    siginfo_t info;
    int number = sigwaitinfo(&waited, &info);
    if (number < 0) continue;
    if (number == SIGCHLD) {
      follow(runner, shared);
    } else if (number == SIGCONT) {
      kill(runner, SIGCONT);
    } else if (number == SIGTSTP) {
      // The terminal tells both of us; anybody else told only me.
      if (info.si_code != SI_KERNEL) kill(runner, SIGTSTP);
    } else {
      __atomic_add_fetch(&shared->wishes, 1, __ATOMIC_RELEASE);
      kill(runner, number);
    }
  }
}

void hw_open_standard_streams(void) {
  // A new descriptor gets the lowest free number, so these are filled from below.
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return;
}

/// What a new thread runs.
struct thread_start {
  /// The function.
  void (*body)(void *);
  /// Its argument.
  void *context;
};

/// The life of a new thread.
static void *run_thread(void *argument) {
  struct thread_start *start = argument;
  start->body(start->context);
  return NULL;
}

int hw_on_new_thread(void (*body)(void *), void *context) {
  struct thread_start start = {body, context};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, run_thread, &start);
  if (error == 0) pthread_join(thread, NULL);
  return error;
}

int hw_keeper_split(struct hw_shared **shared, int *alive) {
  struct hw_shared *page = mmap(
    NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return errno;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return errno;
  page->keeper = getpid();
  sigemptyset(&page->signals);
  for (size_t i = 0; i < sizeof passed / sizeof *passed; i++) {
    // What we were started to ignore (nohup, a shell's `&`) stays ignored; a blocked signal would not be.
    struct sigaction found;
    sigaction(passed[i], NULL, &found);
    if (found.sa_handler != SIG_IGN) sigaddset(&page->signals, passed[i]);
  }
  sigset_t blocked = page->signals;
  sigaddset(&blocked, SIGCHLD);
  // Setting the terminal from the background must not stop us.
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGPIPE, SIG_IGN);
  // An inherited "ignore" would keep us from being told of our children.
  signal(SIGCHLD, SIG_DFL);
  has_terminal = tcgetattr(STDIN_FILENO, &found_terminal) == 0;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t runner = fork();
  if (runner < 0) return errno;
  if (runner > 0) {
    close(ends[0]);
    keep(runner, page);
  }
  close(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  *shared = page;
  *alive = ends[0];
  return 0;
}
