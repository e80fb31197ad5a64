// Supervisor and runner: two processes, so that if one dies, the other ends what is left of the run.
//
//   shell ── supervisor ── runner ── tasks, each in a process group of its own
//
// Both are subreapers: a process below them that loses its parent becomes a child of the runner, and once the runner
// is gone, of the supervisor. The supervisor holds the write end of a pipe; when it dies, the runner reads end of file.
// The supervisor does nothing but wait for signals, so little in it can fail.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
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

/// How long the supervisor tries to end what a dead runner left.
enum { cleanup_milliseconds = 10000 };

/// How long the supervisor waits for a terminal that accepts no output.
enum { terminal_milliseconds = 500 };

/// The maximum number of processes that are named if they could not be ended.
enum { max_named = 16 };

/// The signals that the supervisor forwards to the runner.
static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};

/// The terminal's settings at the start, and whether standard input was a terminal.
static struct termios initial_terminal;
static int has_terminal;

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

void hw_stop_self(void) {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTSTP);
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  // The process stops here, while the signal is unblocked.
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

/// Restores the terminal's settings and clears what was drawn.
static void restore_terminal(int shows_taskbar) {
  // Ends a synchronized update, turns line wrapping and the cursor on, resets the text style, clears the live region.
  static const char show_cursor[] = "\r\033[?2026l\033[?7h\033[?25h\033[0m\033[J";
  static const char clear_taskbar[] = "\033]9;4;0\033\\";
  struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
  tcsetattr(STDIN_FILENO, TCSANOW, &initial_terminal);
  // Writing to a terminal that the user has stopped would never return.
  if (poll(&output, 1, terminal_milliseconds) <= 0 || !(output.revents & POLLOUT)) return;
  if (write(STDOUT_FILENO, show_cursor, sizeof show_cursor - 1) < 0) return;
  // Some terminals show this sequence as a notification, so it is sent only if the run has used it.
  if (shows_taskbar && write(STDOUT_FILENO, clear_taskbar, sizeof clear_taskbar - 1) < 0) return;
}

/// Ends everything that a runner left behind, and names what could not be ended.
static void clean_up(void) {
  pid_t left[max_named];
  size_t ended, remaining = hw_end_descendants(cleanup_milliseconds, &ended, left, max_named);
  dprintf(STDERR_FILENO, "headway: the runner died; processes ended: %zu\n", ended);
  for (size_t i = 0; i < remaining && i < max_named; i++) {
    char name[64];
    hw_process_name(left[i], name, sizeof name);
    dprintf(STDERR_FILENO, "headway: could not end process %d (%s)\n", (int)left[i], name);
  }
}

/// Ends the supervisor the way the runner ended.
static void mirror(int status, const struct hw_shared *shared) {
  // Processes first: the terminal may not accept output.
  if (!shared->is_orderly) clean_up();
  if (shared->is_terminal_changed && has_terminal) restore_terminal(shared->shows_taskbar);
  if (WIFSIGNALED(status)) hw_die_by_signal(WTERMSIG(status));
  _exit(WEXITSTATUS(status));
}

/// Reaps ended children, and ends or stops when the runner has.
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

/// Forwards signals to the runner until it ends; never returns.
static void supervise(pid_t runner, struct hw_shared *shared) {
  sigset_t awaited = shared->signals;
  sigaddset(&awaited, SIGCHLD);
  while (true) {
    siginfo_t info;
    int number = sigwaitinfo(&awaited, &info);
    if (number < 0) continue;
    if (number == SIGCHLD) {
      follow(runner, shared);
    } else if (number == SIGCONT) {
      kill(runner, SIGCONT);
    } else if (number == SIGTSTP) {
      // The terminal signals both processes; any other sender has signalled only this one.
      if (info.si_code != SI_KERNEL) kill(runner, SIGTSTP);
    } else {
      __atomic_add_fetch(&shared->end_requests, 1, __ATOMIC_RELEASE);
      kill(runner, number);
    }
  }
}

void hw_open_standard_streams(void) {
  // A new descriptor gets the lowest free number, so these are filled from below.
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return;
}

/// The function that a new thread runs, and its argument.
struct thread_start {
  void (*body)(void *);
  void *context;
};

static void *run_thread(void *argument) {
  struct thread_start *start = argument;
  start->body(start->context);
  return NULL;
}

int hw_on_new_thread(void (*body)(void *), void *context) {
  struct thread_start start = {body, context};
#ifdef __GLIBC__
  // The run uses the memory that was freed after the plan was read; by default glibc gives each thread a heap of its own.
  mallopt(M_ARENA_MAX, 1);
#endif
  pthread_t thread;
  int error = pthread_create(&thread, NULL, run_thread, &start);
  if (error == 0) pthread_join(thread, NULL);
  return error;
}

int hw_supervisor_split(struct hw_shared **shared, int *supervisor_pipe) {
  struct hw_shared *page = mmap(
    NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return errno;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return errno;
  page->supervisor = getpid();
  sigemptyset(&page->signals);
  for (size_t i = 0; i < sizeof forwarded / sizeof *forwarded; i++) {
    // A signal that was ignored at the start (nohup, `&` in a shell) stays ignored; blocking it would lift that.
    struct sigaction found;
    sigaction(forwarded[i], NULL, &found);
    if (found.sa_handler != SIG_IGN) sigaddset(&page->signals, forwarded[i]);
  }
  sigset_t blocked = page->signals;
  sigaddset(&blocked, SIGCHLD);
  // Changing the terminal's settings from the background must not stop the process.
  sigaddset(&blocked, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGPIPE, SIG_IGN);
  // If SIGCHLD were inherited as ignored, ended children would not be reported.
  signal(SIGCHLD, SIG_DFL);
  has_terminal = tcgetattr(STDIN_FILENO, &initial_terminal) == 0;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_t runner = fork();
  if (runner < 0) return errno;
  if (runner > 0) {
    close(ends[0]);
    supervise(runner, page);
  }
  close(ends[1]);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  *shared = page;
  *supervisor_pipe = ends[0];
  return 0;
}
