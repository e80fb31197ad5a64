#define _GNU_SOURCE
#include "CToolDriver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

void td_resize(int port, int columns, int rows) {
  struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
  ioctl(port, TIOCSWINSZ, &size);
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
  dup2(presence, 9);
  execve(argv[0], argv, envp);
  _exit(127);
}

int td_start(
  char *const *argv, char *const *envp, const char *folder, int columns, int rows, pid_t *pid,
  int *port, int *presence
) {
  int watch[2], pipe_ends[2] = {-1, -1};
  char terminal[128];
  if (pipe2(watch, O_CLOEXEC)) return errno;
  if (columns > 0) {
    pipe_ends[0] = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (pipe_ends[0] < 0 || grantpt(pipe_ends[0]) || unlockpt(pipe_ends[0])) return errno;
    if (ptsname_r(pipe_ends[0], terminal, sizeof terminal)) return errno;
    td_resize(pipe_ends[0], columns, rows);
  } else if (pipe2(pipe_ends, O_CLOEXEC)) {
    return errno;
  }
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
