// Waiting for the end of other processes, and for changes of directories.
#ifdef __linux__
#define _GNU_SOURCE
#include "headway_relay.h"
#include "owned.h"

#include <errno.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Numbers of Linux that the headers of older systems do not have; the same on all processors that Swift knows.
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int hw_relay_watch_process(pid_t process) {
  if (process <= 0) {
    errno = EINVAL;
    return -1;
  }
  hw_owned_begin();
  // Closed by execve without being asked.
  return hw_owned_end((int)syscall(SYS_pidfd_open, process, 0));
}

void hw_relay_signal(int watched, int signal) {
  syscall(SYS_pidfd_send_signal, watched, signal, NULL, 0);
}

int hw_relay_watch_peer(int socket) {
  int descriptor = -1;
  socklen_t size = sizeof descriptor;
  hw_owned_begin();
  int result = getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &descriptor, &size);
  descriptor = hw_owned_end(result ? -1 : descriptor);
  // Until Linux 6.15, a process that was reaped is EINVAL, as is an option that is missing in a sandbox: its number decides.
  if (descriptor >= 0 || errno == ESRCH || errno == EMFILE || errno == ENFILE) return descriptor;
  uid_t user;
  pid_t process;
  int error = hw_relay_peer(socket, &user, &process);
  if (error) {
    errno = error;
    return -1;
  }
  return hw_relay_watch_process(process);
}

int hw_relay_open_watch(void) {
  hw_owned_begin();
  return hw_owned_end(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
}

int hw_relay_add_directory(int watch, const char *path, enum hw_relay_scope scope) {
  uint32_t mask = IN_ONLYDIR | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
  if (scope == HW_ALL) mask |= IN_CREATE;
  return inotify_add_watch(watch, path, mask);
}

void hw_relay_remove_directory(int watch, int directory) { inotify_rm_watch(watch, directory); }

size_t hw_relay_read_changes(int watch, void *bytes, size_t capacity) {
  ssize_t count;
  do count = read(watch, bytes, capacity);
  while (count < 0 && errno == EINTR);
  return count > 0 ? (size_t)count : 0;
}

bool hw_relay_next_change(
  const void *bytes, size_t count, size_t *offset, struct hw_relay_change *change) {
  struct inotify_event event;
  if (*offset > count || count - *offset < sizeof event) return false;
  // Copied, because the bytes need not be aligned.
  const char *start = (const char *)bytes + *offset;
  memcpy(&event, start, sizeof event);
  if (event.len > count - *offset - sizeof event) return false;
  change->name_start = *offset + sizeof event;
  // The system fills a name up with NUL.
  change->name_length = strnlen(start + sizeof event, event.len);
  *offset += sizeof event + event.len;
  change->directory = event.wd;
  change->has_appeared = event.mask & (IN_CREATE | IN_MOVED_TO);
  change->has_disappeared = event.mask & (IN_DELETE | IN_MOVED_FROM);
  change->is_gone = event.mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT);
  change->is_removed = event.mask & IN_IGNORED;
  change->has_overflowed = event.mask & IN_Q_OVERFLOW;
  return true;
}
#else
// A file without declarations is not valid C.
typedef int hw_no_watches;
#endif
