// Makes the disk below one folder slow, dead or broken; for LD_PRELOAD.
//
// BREAK_DISK is the folder, BREAK_AFTER the number of calls that are served as usual, BREAK_DELAY the milliseconds that each
// later call takes (-1: forever), BREAK_ERROR the errno with which it fails (0: none), BREAK_CALLS the names of the calls.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_long served;

static long number(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

/// Whether a path is below the folder; a relative one is, because the current folder is beside it.
static int concerns(const char *path) {
  const char *disk = getenv("BREAK_DISK");
  if (!disk || !path) return 0;
  if (path[0] == '/') return strncmp(path, disk, strlen(disk)) == 0;
  const char *name = strrchr(disk, '/');
  return strncmp(path, name ? name + 1 : disk, strlen(name ? name + 1 : disk)) == 0;
}

static int concerns_file(int file) {
  char link[40], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return concerns(path);
}

/// Takes its time; returns whether the call has to fail.
static int suffer(const char *call) {
  const char *calls = getenv("BREAK_CALLS");
  if (!calls || !strstr(calls, call)) return 0;
  if (atomic_fetch_add(&served, 1) < number("BREAK_AFTER")) return 0;
  long delay = number("BREAK_DELAY");
  struct timespec rest = {delay < 0 ? 1000000 : delay / 1000, delay < 0 ? 0 : delay % 1000 * 1000000};
  // Like a disk: signals do not interrupt it.
  while (nanosleep(&rest, &rest) != 0 && errno == EINTR) {}
  errno = (int)number("BREAK_ERROR");
  return errno != 0;
}

#define NEXT(name) __typeof__(name) *next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

#define OPEN(name)                                                        \
  int name(const char *path, int flags, ...) {                            \
    NEXT(name);                                                           \
    va_list list;                                                         \
    va_start(list, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                         \
    if (concerns(path) && suffer("open")) return -1;                      \
    return next(path, flags, mode);                                       \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                      \
  int name(int folder, const char *path, int flags, ...) {                \
    NEXT(name);                                                           \
    va_list list;                                                         \
    va_start(list, flags);                                                \
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
    va_end(list);                                                         \
    if ((path[0] == '/' || folder == AT_FDCWD ? concerns(path) : concerns_file(folder)) && suffer("open")) return -1; \
    return next(folder, path, flags, mode);                               \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void *bytes, size_t count) {
  NEXT(write);
  if (file > 2 && concerns_file(file) && suffer("write")) return -1;
  return next(file, bytes, count);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  NEXT(pwrite64);
  if (concerns_file(file) && suffer("write")) return -1;
  return next(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  NEXT(pwrite);
  if (concerns_file(file) && suffer("write")) return -1;
  return next(file, bytes, count, offset);
}

int fsync(int file) {
  NEXT(fsync);
  return concerns_file(file) && suffer("sync") ? -1 : next(file);
}

int fdatasync(int file) {
  NEXT(fdatasync);
  return concerns_file(file) && suffer("sync") ? -1 : next(file);
}

int mkdir(const char *path, mode_t mode) {
  NEXT(mkdir);
  return concerns(path) && suffer("mkdir") ? -1 : next(path, mode);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  NEXT(mkdirat);
  return (concerns(path) || (folder >= 0 && concerns_file(folder))) && suffer("mkdir") ? -1 : next(folder, path, mode);
}

int rename(const char *path, const char *other) {
  NEXT(rename);
  return concerns(path) && suffer("rename") ? -1 : next(path, other);
}

int unlink(const char *path) {
  NEXT(unlink);
  return concerns(path) && suffer("unlink") ? -1 : next(path);
}
