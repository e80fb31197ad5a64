// Unix sockets, processes and directories to wait for, and descriptors that a copy of the process must not keep. In C because
// Swift cannot express addresses of sockets, control messages and fork handlers. Linux only.
#pragma once

#ifdef __linux__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: fork.c

/// The descriptors that the functions below return are *owned*: a fork closes them in the child.
///
/// Otherwise a child that lives on would hold the sockets of its parent open: after the parent's death, others could still
/// connect to it, and would never find its connections at their end. A fork waits while a descriptor is created. Owned
/// descriptors are closed by `hw_relay_close`, which in the child does nothing.

/// Closes an owned descriptor. Does nothing for one that is not owned, such as one of the parent in a forked child.
void hw_relay_close(int descriptor);

/// Whether this process is a copy of one that has owned descriptors: nothing of the parent's state can be used, and locks
/// may be held by threads that do not exist here. Async-signal-safe.
bool hw_relay_is_copy(void);

/// Whether a descriptor is owned by this process; for tests.
bool hw_relay_owns(int descriptor);

// MARK: sockets.c

/// Creates a socket at a path, with permissions for this user only, and listens. Returns it, or -1 and sets errno.
///
/// `ENAMETOOLONG` if the path has more than 107 bytes. If listening fails, nothing is left at the path.
int hw_relay_listen(const char *path);

/// Connects to a socket without waiting. Returns the connection, or -1 and sets errno.
///
/// `ECONNREFUSED` if nobody listens, `EAGAIN` if too many connections wait to be accepted.
int hw_relay_connect(const char *path);

/// Accepts a connection without waiting. Returns it, or -1 and sets errno; `EAGAIN` if none is waiting.
int hw_relay_accept(int listener);

/// The user and the process at the other end: those at the time of the connect, or of the listen.
///
/// `process` is 0 if it is not visible here, as from another container. Returns 0 or an errno.
int hw_relay_peer(int socket, uid_t *user, pid_t *process);

/// Sends bytes without waiting and without a signal. Returns their number, or -1 and sets errno; `EAGAIN` if there is no room.
ssize_t hw_relay_send(int socket, const void *bytes, size_t count);

/// Receives bytes without waiting. Returns their number, 0 at the end, or -1 and sets errno; `EAGAIN` if there are none.
ssize_t hw_relay_receive(int socket, void *bytes, size_t count);

/// Opens a descriptor of no use, which can be closed to have one when there is no other. Returns -1 and sets errno.
int hw_relay_open_spare(void);

// MARK: pipes.c

/// Opens a pipe that is neither waited for when it is empty nor when it is full. Returns its reading end, or -1 and sets errno.
///
/// `capacity` in bytes is what it gets if the user has not too many pipes. `writer` is the writing end, which is not owned: a forked child may pass it on. execve closes both.
int hw_relay_open_pipe(int capacity, int *writer);

/// Opens the writing end of a pipe once more, so that writing never waits. Returns it, or -1 and sets errno.
///
/// `EBADF` if `descriptor` was not inherited from another process, or cannot be written to, or is no pipe. `ENXIO` if nobody
/// reads. Sets the capacity in bytes.
int hw_relay_open_writer(int descriptor, int *capacity);

// MARK: start.c

/// Starts this program once more, in a session of its own and with no descriptor of the caller. Returns 0 or an errno.
///
/// `arguments` end with a null pointer. `output` is the end of a pipe from which its standard output can be read; the caller closes it.
int hw_relay_start_self(char *const *arguments, int *output);

// MARK: watch.c

/// Sends a signal to a process that is watched, and to no later one with its number.
void hw_relay_signal(int watched, int signal);

/// Opens a descriptor that is readable once the process at the other end of a socket has ended. Returns -1 and sets errno.
///
/// `ESRCH` if it has ended and was reaped. Does not confuse it with a later process of the same number from Linux 6.5 on.
int hw_relay_watch_peer(int socket);

/// Opens a descriptor that is readable once a process has ended. Returns -1 and sets errno; `ESRCH` if there is none.
int hw_relay_watch_process(pid_t process);

/// Opens a descriptor that is readable after something has changed in one of its directories. Returns -1 and sets errno.
int hw_relay_open_watch(void);

/// What is reported about a directory.
enum hw_relay_scope {
  /// Names that appear complete, by renaming, and names that disappear.
  HW_CONTENTS = 1,
  /// Also names that are created.
  HW_ALL = 2,
};

/// Adds a directory. Returns its number, the same one for the same directory, or -1 and sets errno.
int hw_relay_add_directory(int watch, const char *path, enum hw_relay_scope scope);

/// Removes a directory; a change with `is_removed` follows.
void hw_relay_remove_directory(int watch, int directory);

/// A change in a directory.
struct hw_relay_change {
  /// The number of the directory.
  int directory;
  /// A name has appeared, or has disappeared.
  bool has_appeared, has_disappeared;
  /// The directory was removed, moved or unmounted.
  bool is_gone;
  /// The directory is not watched any more, and its number may be used again.
  bool is_removed;
  /// Changes were lost; the directory is -1.
  bool has_overflowed;
  /// Where the name begins in the bytes that were passed, and its length; 0 if the change is about the directory itself.
  size_t name_start, name_length;
};

/// Reads changes without waiting. Returns the number of bytes, 0 if there are none; at least 4096 must fit.
size_t hw_relay_read_changes(int watch, void *bytes, size_t capacity);

/// Takes the next change of those read; `offset` is 0 at first. Returns whether there was one.
bool hw_relay_next_change(
  const void *bytes, size_t count, size_t *offset, struct hw_relay_change *change);
#endif
