// The processes below this one, from /proc: who they are, and how they are ended without hitting a stranger.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

/// The most processes that one listing goes through; a fork bomb beyond it is met again at the next pass.
enum { most_listed = 32768 };

/// The most levels that a process is followed up to its ancestors.
enum { most_levels = 256 };

/// Reads a small file of /proc whole. Returns its size without the NUL that is put behind, or -1.
static ssize_t read_file(const char *path, char *text, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  size_t filled = 0;
  while (filled + 1 < size) {
    ssize_t got = read(file, text + filled, size - 1 - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += (size_t)got;
  }
  close(file);
  text[filled] = 0;
  return (ssize_t)filled;
}

/// Reads the parent of a process from its `stat`. Returns 0 when it is gone; sets `state` to its letter.
static pid_t parent_of(pid_t pid, char *state) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (read_file(path, text, sizeof text) <= 0) return 0;
  // The name stands in parentheses and may hold anything, also parentheses.
  char *end = strrchr(text, ')');
  int parent = 0;
  if (!end || sscanf(end + 1, " %c %d", state, &parent) != 2) return 0;
  return (pid_t)parent;
}

/// Appends the numbers of a text. Returns the new count.
static size_t append_numbers(const char *text, pid_t *found, size_t count, size_t capacity) {
  for (const char *rest = text; *rest;) {
    char *end;
    long pid = strtol(rest, &end, 10);
    if (end == rest) break;
    if (count < capacity) found[count] = (pid_t)pid;
    count++;
    rest = end;
  }
  return count;
}

/// Appends the numbers of a `children` file. Returns the new count, or `count` when there is no such file.
static size_t append_listed(const char *path, pid_t *found, size_t count, size_t capacity, bool *exists) {
  // Long enough for some thousand children; more are met again when those have ended.
  static __thread char text[65536];
  if (read_file(path, text, sizeof text) < 0) return count;
  *exists = true;
  return append_numbers(text, found, count, capacity);
}

/// Appends the children of a process, one thread after the other.
static size_t append_children(pid_t pid, pid_t *found, size_t count, size_t capacity, bool *exists) {
  char path[128];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *threads = opendir(path);
  if (!threads) return count;
  struct dirent *entry;
  while ((entry = readdir(threads))) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, entry->d_name);
    count = append_listed(path, found, count, capacity, exists);
  }
  closedir(threads);
  return count;
}

/// Collects the processes below `ancestor` by looking at every process of the machine: the way for kernels
/// without `children` files. Passes over /proc until a pass finds nothing new.
static size_t scan_descendants(pid_t ancestor, pid_t *found, size_t capacity) {
  size_t count = 0;
  bool grew = true;
  while (grew && count < capacity) {
    grew = false;
    DIR *all = opendir("/proc");
    if (!all) return count;
    struct dirent *entry;
    while ((entry = readdir(all)) && count < capacity) {
      pid_t pid = (pid_t)atoi(entry->d_name);
      char state;
      pid_t parent = pid > 0 ? parent_of(pid, &state) : 0;
      bool is_below = parent == ancestor, is_known = pid <= 0;
      for (size_t i = 0; i < count && !is_known; i++) {
        is_below = is_below || found[i] == parent;
        is_known = found[i] == pid;
      }
      if (is_below && !is_known && parent > 0) {
        found[count++] = pid;
        grew = true;
      }
    }
    closedir(all);
  }
  return count;
}

size_t hw_descendants(pid_t ancestor, pid_t *found, size_t capacity) {
  bool exists = false;
  size_t count = append_children(ancestor, found, 0, capacity, &exists);
  if (!exists) return kill(ancestor, 0) == 0 ? scan_descendants(ancestor, found, capacity) : 0;
  // The list is the queue: each found process is asked for its children in turn.
  for (size_t i = 0; i < count && i < capacity; i++)
    count = append_children(found[i], found, count, capacity, &exists);
  return count;
}

size_t hw_adopted(pid_t *found, size_t capacity) {
  // What loses its parent becomes a child of the first thread. The file is kept open: it is read once for each task
  // that ends.
  static int file = -2;
  if (file == -2) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = open(path, O_RDONLY | O_CLOEXEC);
  }
  static char text[65536];
  ssize_t got = file < 0 ? -1 : pread(file, text, sizeof text - 1, 0);
  if (got >= 0) {
    // What did not fit ends in the middle of a number; it is met again when the others have ended.
    if (got == (ssize_t)sizeof text - 1)
      while (got > 0 && text[got - 1] != ' ') got--;
    text[got] = 0;
    return append_numbers(text, found, 0, capacity);
  }
  size_t count = scan_descendants(getpid(), found, capacity);
  size_t direct = 0;
  char state;
  for (size_t i = 0; i < count; i++)
    if (parent_of(found[i], &state) == getpid()) found[direct++] = found[i];
  return direct;
}

int hw_signal_descendant(pid_t pid, int signal_number) {
  // The handle holds the process, so what is checked after it is what the signal reaches.
  int handle = (int)syscall(SYS_pidfd_open, pid, 0);
  if (handle < 0 && errno != ENOSYS) return errno;
  pid_t above = pid;
  char state;
  for (int level = 0; above > 1 && above != getpid() && level < most_levels; level++)
    above = parent_of(above, &state);
  int error = ESRCH;
  if (above == getpid()) {
    long sent = handle < 0 ? kill(pid, signal_number)
                           : syscall(SYS_pidfd_send_signal, handle, signal_number, NULL, 0);
    error = sent < 0 ? errno : 0;
  }
  if (handle >= 0) close(handle);
  return error;
}

/// Reaps what has ended. Returns whether any child is left, and counts those reaped.
static bool reap_all(size_t *ended) {
  while (true) {
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    if (pid > 0) (*ended)++;
    else if (pid == 0) return true;
    else if (errno != EINTR) return false;
  }
}

/// The milliseconds since a moment.
static long long milliseconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - start->tv_sec) * 1000LL + (now.tv_nsec - start->tv_nsec) / 1000000;
}

size_t hw_end_descendants(
  int milliseconds, size_t *ended, pid_t *left, size_t capacity
) {
  static pid_t found[most_listed];
  struct timespec start, pause = {0, 1000000};
  clock_gettime(CLOCK_MONOTONIC, &start);
  *ended = 0;
  // Children whose parent is killed become ours, so "no child is left" means that nothing is left.
  while (reap_all(ended)) {
    size_t count = hw_descendants(getpid(), found, most_listed);
    if (count > most_listed) count = most_listed;
    for (size_t i = 0; i < count; i++) hw_signal_descendant(found[i], SIGKILL);
    if (milliseconds_since(&start) > milliseconds) {
      for (size_t i = 0; i < count && i < capacity; i++) left[i] = found[i];
      return count;
    }
    nanosleep(&pause, NULL);
  }
  return 0;
}

void hw_process_name(pid_t pid, char *name, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", (int)pid);
  ssize_t got = read_file(path, name, size);
  if (got <= 0) snprintf(name, size, "?");
  else if (name[got - 1] == '\n') name[got - 1] = 0;
}

pid_t hw_reap(int *code, int *signal_number) {
  int status;
  pid_t pid;
  do pid = waitpid(-1, &status, WNOHANG);
  while (pid < 0 && errno == EINTR);
  *code = *signal_number = -1;
  if (pid > 0 && WIFEXITED(status)) *code = WEXITSTATUS(status);
  else if (pid > 0 && WIFSIGNALED(status)) *signal_number = WTERMSIG(status);
  return pid;
}

int hw_usable_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  return CPU_COUNT(&set);
}
