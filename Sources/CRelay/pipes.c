// Pipes through which programs written in Zig report their progress.
#ifdef __linux__
#define _GNU_SOURCE
#include "headway_relay.h"
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int hw_relay_open_pipe(int capacity, int *writer) {
  int ends[2];
  hw_owned_begin();
  int failed = pipe2(ends, O_CLOEXEC | O_NONBLOCK);
  int reader = hw_owned_end(failed ? -1 : ends[0]);
  if (reader < 0) {
    int error = errno;
    if (!failed) close(ends[1]);
    errno = error;
    return -1;
  }
  // Refused if the user has too many pipes; then it has the usual size.
  fcntl(ends[1], F_SETPIPE_SZ, capacity);
  *writer = ends[1];
  return reader;
}

int hw_relay_open_writer(int descriptor, int *capacity) {
  struct stat status;
  int flags = fcntl(descriptor, F_GETFD);
  // One with this flag cannot have been inherited: another file of this process has got the number.
  if (flags < 0 || flags & FD_CLOEXEC || fstat(descriptor, &status) || !S_ISFIFO(status.st_mode)
      || (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDONLY) {
    errno = EBADF;
    return -1;
  }
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  hw_owned_begin();
  // Opened anew, because whether writing waits must not change for others that have the pipe.
  int writer = hw_owned_end(open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (writer >= 0) *capacity = fcntl(writer, F_GETPIPE_SZ);
  return writer;
}
#else
typedef int hw_no_pipes;
#endif
