#define _GNU_SOURCE
#include "CToolDriver.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Lets tests that are a task of a run publish as programs of their own.
///
/// Before any thread, because changing the environment is not safe later.
__attribute__((constructor)) static void leave_the_run(void) {
  unsetenv("HEADWAY_PROGRESS");
  unsetenv("HEADWAY_PUBLISH");
}

int td_open_pipe(int *reader, int *writer) {
  int ends[2];
  // Atomic: a child that is started between two calls would inherit the ends.
  if (pipe2(ends, O_CLOEXEC)) return errno;
  *reader = ends[0];
  *writer = ends[1];
  return 0;
}

void td_resize(int port, int columns, int rows) {
  struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
  ioctl(port, TIOCSWINSZ, &size);
}

/// Opens the test's end of a new terminal and writes the path of the other end to `path`. Returns 0 or an errno.
static int open_port(int columns, int rows, int *port, char path[128]) {
  *port = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*port < 0) return errno;
  if (grantpt(*port) || unlockpt(*port) || ptsname_r(*port, path, 128)) {
    int error = errno;
    close(*port);
    return error;
  }
  td_resize(*port, columns, rows);
  return 0;
}

int td_open_terminal(int columns, int rows, int *port, int *line) {
  char path[128];
  int error = open_port(columns, rows, port, path);
  if (error) return error;
  *line = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*line >= 0) return 0;
  error = errno;
  close(*port);
  return error;
}

/// The child's part: only calls that are safe after a fork among threads.
static void become(
  char *const *argv, char *const *envp, const char *folder, const char *terminal, int output,
  int presence
) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  int input;
  if (terminal) {
    // A session of its own takes the first terminal that it opens.
    setsid();
    input = output = open(terminal, O_RDWR);
  } else {
    setpgid(0, 0);
    input = open("/dev/null", O_RDONLY);
  }
  if (chdir(folder) || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0) _exit(126);
  // Duplicating a descriptor onto itself does not make it inheritable.
  if (presence == 9)
    fcntl(9, F_SETFD, 0);
  else
    dup2(presence, 9);
  // Descriptors of tests that run at the same time: a pipe comes to its end only when nobody has it open.
  close_range(3, 8, 0);
  close_range(10, ~0U, 0);
  execve(argv[0], argv, envp);
  _exit(127);
}

int td_start(
  char *const *argv, char *const *envp, const char *folder, int columns, int rows, pid_t *pid,
  int *port, int *presence
) {
  int watch[2], pipe_ends[2] = {-1, -1};
  char terminal[128];
  int error = td_open_pipe(&watch[0], &watch[1]);
  if (error) return error;
  error = columns > 0 ? open_port(columns, rows, &pipe_ends[0], terminal)
                      : td_open_pipe(&pipe_ends[0], &pipe_ends[1]);
  if (error) return error;
  *pid = fork();
  if (*pid < 0) return errno;
  if (*pid == 0)
    become(argv, envp, folder, columns > 0 ? terminal : NULL, pipe_ends[1], watch[1]);
  // A process group of its own, as a shell gives each job; set here too, so that it is set when this returns.
  if (columns == 0) setpgid(*pid, *pid);
  close(watch[1]);
  if (pipe_ends[1] >= 0) close(pipe_ends[1]);
  fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
  *port = pipe_ends[0];
  *presence = watch[0];
  return 0;
}

int td_count_cores(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) ? 0 : CPU_COUNT(&set);
}

int td_limit_cores(int count) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return errno;
  for (int core = 0; core < CPU_SETSIZE; core++) {
    if (!CPU_ISSET(core, &set)) continue;
    if (count-- <= 0) CPU_CLR(core, &set);
  }
  return sched_setaffinity(0, sizeof set, &set) ? errno : 0;
}

bool td_has_sanitizer(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return true;
#else
  return false;
#endif
}

int td_adopt_orphans(void) {
  return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

int td_run_under_signals(int (*body)(void *), void *context) {
  pid_t copy = fork();
  if (copy < 0) return -1;
  if (copy == 0) {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setpgid(0, 0);
    pid_t group = getpid(), sender = fork();
    if (sender < 0) _exit(126);
    if (sender == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      while (getppid() == group) kill(-group, SIGHUP);
      _exit(0);
    }
    int result = body(context);
    kill(sender, SIGKILL);
    _exit(result);
  }
  int status;
  while (waitpid(copy, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) && WEXITSTATUS(status) < 126 ? WEXITSTATUS(status) : -1;
}

int td_signal_copy(int number) {
  pid_t copy = fork();
  if (copy < 0) return -1;
  if (copy == 0) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    kill(getpid(), number);
    // Only if the signal has not ended it.
    _exit(0);
  }
  int status;
  while (waitpid(copy, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

int td_start_sibling(void) {
  int ends[2], sibling = -1;
  if (pipe2(ends, O_CLOEXEC)) return -1;
  pid_t child = fork();
  if (child == 0) {
    // By number, because the function of the C library wants a stack.
    long made = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (made == 0)
      while (1) pause();
    int number = (int)made;
    _exit(write(ends[1], &number, sizeof number) != sizeof number);
  }
  close(ends[1]);
  if (child < 0 || read(ends[0], &sibling, sizeof sibling) != sizeof sibling) sibling = -1;
  close(ends[0]);
  if (child > 0)
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return sibling;
}

void td_interrupt_self(bool is_from_terminal) {
  siginfo_t info = {.si_signo = SIGINT, .si_code = is_from_terminal ? SI_KERNEL : SI_QUEUE};
  syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGINT, &info);
}
