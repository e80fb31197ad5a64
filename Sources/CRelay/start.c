// Starting a process that has nothing of the caller but its environment.
#ifdef __linux__
#define _GNU_SOURCE
#include "headway_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Becomes the new process; only system calls, as another thread may have held any lock.
static _Noreturn void become(char *const *arguments, int output) {
  setsid();
  int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(nothing, STDERR_FILENO);
  // Otherwise it would keep the pipes of a shell open for as long as it lives.
  if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
    for (int descriptor = 3; descriptor < 65536; descriptor++) close(descriptor);
  execv("/proc/self/exe", arguments);
  _exit(127);
}

int hw_relay_start_self(char *const *arguments, int *output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  pid_t child = fork();
  if (child == 0) become(arguments, ends[1]);
  int error = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return error;
  }
  *output = ends[0];
  return 0;
}
#else
typedef int hw_no_start;
#endif
