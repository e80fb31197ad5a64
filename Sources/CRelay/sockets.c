// Unix sockets that are never waited for.
#ifdef __linux__
#define _GNU_SOURCE
#include "headway_relay.h"
#include "owned.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/// The connections that may wait to be accepted; the system may allow fewer.
enum { max_waiting = 1024 };

/// Creates an address. Returns 0 or an errno.
static int make_address(struct sockaddr_un *address, const char *path) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  size_t length = strlen(path);
  // An empty path would be an address without a name.
  if (!length) return ENOENT;
  if (length >= sizeof address->sun_path) return ENAMETOOLONG;
  memcpy(address->sun_path, path, length + 1);
  return 0;
}

static int open_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); }

int hw_relay_listen(const char *path) {
  struct sockaddr_un address;
  int error = make_address(&address, path);
  if (error) {
    errno = error;
    return -1;
  }
  hw_owned_begin();
  int listener = hw_owned_end(open_socket());
  if (listener < 0) return -1;
  if (bind(listener, (struct sockaddr *)&address, sizeof address)) {
    error = errno;
    hw_relay_close(listener);
    errno = error;
    return -1;
  }
  // Whatever the process's mask says, this user may connect, and nobody else.
  if (chmod(path, S_IRUSR | S_IWUSR) || listen(listener, max_waiting)) {
    error = errno;
    hw_relay_close(listener);
    unlink(path);
    errno = error;
    return -1;
  }
  return listener;
}

int hw_relay_connect(const char *path) {
  struct sockaddr_un address;
  int error = make_address(&address, path);
  if (error) {
    errno = error;
    return -1;
  }
  hw_owned_begin();
  int connection = hw_owned_end(open_socket());
  if (connection < 0) return -1;
  int result;
  // A socket that does not block connects at once or not at all, also after a signal.
  do result = connect(connection, (struct sockaddr *)&address, sizeof address);
  while (result && errno == EINTR);
  if (result) {
    error = errno;
    hw_relay_close(connection);
    errno = error;
    return -1;
  }
  return connection;
}

int hw_relay_accept(int listener) {
  hw_owned_begin();
  int connection;
  // A connection that was closed before it was accepted says nothing about the next one.
  do connection = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  while (connection < 0 && (errno == EINTR || errno == ECONNABORTED));
  return hw_owned_end(connection);
}

int hw_relay_peer(int socket, uid_t *user, pid_t *process) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size)) return errno;
  *user = credentials.uid;
  *process = credentials.pid;
  return 0;
}

ssize_t hw_relay_send(int socket, const void *bytes, size_t count) {
  ssize_t sent;
  do sent = send(socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent;
}

ssize_t hw_relay_receive(int socket, void *bytes, size_t count) {
  ssize_t received;
  do received = recv(socket, bytes, count, MSG_DONTWAIT);
  while (received < 0 && errno == EINTR);
  return received;
}

int hw_relay_open_spare(void) {
  hw_owned_begin();
  return hw_owned_end(open("/dev/null", O_RDONLY | O_CLOEXEC));
}
#else
// A file without declarations is not valid C.
typedef int hw_no_sockets;
#endif
