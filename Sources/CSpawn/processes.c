// The descendants of this process, read from /proc, and how to end them without signalling an unrelated process.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

/// The maximum number of processes of one listing; the next pass finds what a fork bomb adds beyond it.
enum { max_listed = 32768 };

/// The maximum number of ancestors that are looked up.
enum { max_levels = 256 };

/// Reads a whole small file of /proc and appends a NUL. Returns its size without the NUL, or -1.
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

/// A process as `/proc/PID/stat` describes it.
struct stat_line {
  pid_t parent, group, session;
  int terminal;
  pid_t foreground_group;
};

/// Reads `/proc/PID/stat`. Returns whether the process exists.
static bool read_stat(pid_t pid, struct stat_line *line) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  if (read_file(path, text, sizeof text) <= 0) return false;
  // The name is in parentheses and may itself contain parentheses.
  char *end = strrchr(text, ')');
  return end
    && sscanf(
         end + 1, " %*c %d %d %d %d %d", &line->parent, &line->group, &line->session, &line->terminal,
         &line->foreground_group)
      == 5;
}

/// The parent of a process, 0 if the process is gone.
static pid_t parent_of(pid_t pid) {
  struct stat_line line;
  return read_stat(pid, &line) ? line.parent : 0;
}

pid_t hw_foreground_group(pid_t pid) {
  struct stat_line line;
  return read_stat(pid, &line) && line.foreground_group > 0 ? line.foreground_group : 0;
}

/// Appends the numbers in a text. Returns the new count.
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

/// Appends the numbers in an open list of children. Returns the new count, or -1 if the list cannot be read.
static ssize_t append_list(int list, pid_t *found, size_t count, size_t capacity) {
  // Enough for some thousand children; the next listing finds the others once those have ended.
  static __thread char text[65536];
  // The kernel gives a page at a time, which ends before a number that does not fit. So a shorter read is the last one.
  const ssize_t full = 4096 - 32;
  size_t filled = 0;
  ssize_t got = full;
  while (got >= full && filled + 1 < sizeof text) {
    do got = pread(list, text + filled, sizeof text - 1 - filled, (off_t)filled);
    while (got < 0 && errno == EINTR);
    if (got < 0 && filled == 0) return -1;
    if (got > 0) filled += (size_t)got;
  }
  // If the list does not fit, its last number may be cut off.
  if (filled + 1 == sizeof text)
    while (filled > 0 && text[filled - 1] != ' ') filled--;
  text[filled] = 0;
  return (ssize_t)append_numbers(text, found, count, capacity);
}

/// Appends the children of all threads of a process.
static size_t append_children(pid_t pid, pid_t *found, size_t count, size_t capacity, bool *exists) {
  char path[128];
  snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
  DIR *threads = opendir(path);
  if (!threads) return count;
  struct dirent *entry;
  while ((entry = readdir(threads))) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, entry->d_name);
    int list = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t listed = append_list(list, found, count, capacity);
    if (list >= 0) close(list);
    if (listed < 0) continue;
    *exists = true;
    count = (size_t)listed;
  }
  closedir(threads);
  return count;
}

/// Collects the descendants of `ancestor` from the list of all processes, for kernels without `children` files.
/// Repeats until a pass finds nothing new.
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
      pid_t parent = pid > 0 ? parent_of(pid) : 0;
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
  // The list is also the queue: the children of each process in it are appended.
  for (size_t i = 0; i < count && i < capacity; i++)
    count = append_children(found[i], found, count, capacity, &exists);
  return count;
}

/// Opens the list of the children of a thread of this process; -1 if there is none.
static int open_children(pid_t thread) {
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)thread);
  return open(path, O_RDONLY | O_CLOEXEC);
}

size_t hw_adopted(pid_t *found, size_t capacity) {
  // Orphans become children of the first thread; what a program makes with CLONE_PARENT, of the thread that has started the program.
  // The lists stay open because they are read once per task.
  static __thread bool is_open, is_first;
  static __thread int first, own;
  if (!is_open) {
    pid_t process = getpid(), thread = (pid_t)syscall(SYS_gettid);
    is_open = true;
    is_first = thread == process;
    first = open_children(process);
    own = is_first ? -1 : open_children(thread);
  }
  ssize_t listed = append_list(first, found, 0, capacity);
  if (listed >= 0 && !is_first) listed = append_list(own, found, (size_t)listed, capacity);
  if (listed >= 0) return (size_t)listed;
  size_t count = scan_descendants(getpid(), found, capacity);
  size_t direct = 0;
  for (size_t i = 0; i < count; i++)
    if (parent_of(found[i]) == getpid()) found[direct++] = found[i];
  return direct;
}

int hw_signal_descendant(pid_t pid, int signal_number) {
  // The pidfd refers to one process even if its number is reused, so the check holds for what is signalled.
  int handle = (int)syscall(SYS_pidfd_open, pid, 0);
  if (handle < 0 && errno != ENOSYS) return errno;
  pid_t above = pid;
  for (int level = 0; above > 1 && above != getpid() && level < max_levels; level++)
    above = parent_of(above);
  int error = ESRCH;
  if (above == getpid()) {
    long sent = handle < 0 ? kill(pid, signal_number)
                           : syscall(SYS_pidfd_send_signal, handle, signal_number, NULL, 0);
    error = sent < 0 ? errno : 0;
  }
  if (handle >= 0) close(handle);
  return error;
}

int hw_process_open(pid_t pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

int hw_process_signal(int process, pid_t pid, int signal_number) {
  long sent = process < 0 ? kill(pid, signal_number)
                          : syscall(SYS_pidfd_send_signal, process, signal_number, NULL, 0);
  return sent < 0 ? errno : 0;
}

/// Reaps ended children and counts them. Returns whether any child is left.
static bool reap_all(size_t *ended) {
  while (true) {
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    if (pid > 0) (*ended)++;
    else if (pid == 0) return true;
    else if (errno != EINTR) return false;
  }
}

long long hw_milliseconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - start->tv_sec) * 1000LL + (now.tv_nsec - start->tv_nsec) / 1000000;
}

size_t hw_end_descendants(
  int milliseconds, size_t *ended, pid_t *left, size_t capacity
) {
  static pid_t found[max_listed];
  struct timespec start, pause = {0, 1000000};
  clock_gettime(CLOCK_MONOTONIC, &start);
  *ended = 0;
  // Descendants of a killed process become our children, so once no child is left, no descendant is.
  while (reap_all(ended)) {
    size_t count = hw_descendants(getpid(), found, max_listed);
    if (count > max_listed) count = max_listed;
    for (size_t i = 0; i < count; i++) hw_signal_descendant(found[i], SIGKILL);
    if (hw_milliseconds_since(&start) > milliseconds) {
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
  // A process chooses its name; escape sequences in it must not reach a terminal.
  for (char *byte = name; *byte; byte++)
    if (*byte < 0x20 || *byte > 0x7e) *byte = '?';
}

/// The peak memory of a child in bytes, 0 if it is hidden by that of this process.
///
/// A child shares our memory until execve, and the kernel counts that as its own peak; so a smaller one is not known.
static long long peak_memory(long kilobytes) {
  // The kernel counts pages in batches, so that two counts of the same memory differ a little.
  enum { inexact = 1024 };
  static long own;
  // Our peak only grows, so it is asked for again only where that may change the answer: of large tasks.
  if (kilobytes > own + inexact) {
    struct rusage usage;
    if (!getrusage(RUSAGE_SELF, &usage)) own = usage.ru_maxrss;
  }
  return kilobytes > own + inexact ? kilobytes * 1024LL : 0;
}

static long long nanoseconds(struct timeval time) {
  return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
}

pid_t hw_reap(int *code, int *signal_number, struct hw_usage *used) {
  int status;
  pid_t pid;
  struct rusage usage;
  do pid = wait4(-1, &status, WNOHANG, &usage);
  while (pid < 0 && errno == EINTR);
  if (pid > 0) {
    used->cpu_nanoseconds = nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime);
    used->peak_memory = peak_memory(usage.ru_maxrss);
  }
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
