// What tells that a service is ready: a port that accepts connections, and a message as sd_notify sends it.

#include "CSpawn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/// The longest time in milliseconds that a connection within this machine may take.
enum { connect_limit = 20 };

static int make_socket(int family, int type) {
  int descriptor = socket(family, type, 0);
  if (descriptor < 0) return -1;
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return descriptor;
}

static bool connects(int family, const struct sockaddr *address, socklen_t size) {
  int descriptor = make_socket(family, SOCK_STREAM);
  if (descriptor < 0) return false;
  bool accepts = connect(descriptor, address, size) == 0;
  if (!accepts && errno == EINPROGRESS) {
    struct pollfd waiting = {.fd = descriptor, .events = POLLOUT};
    int error = 0;
    socklen_t length = sizeof error;
    accepts = poll(&waiting, 1, connect_limit) == 1 &&
              getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 && error == 0;
  }
  close(descriptor);
  return accepts;
}

bool hw_port_accepts(int port) {
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connects(AF_INET, (const struct sockaddr *)&four, sizeof four)) return true;
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
  six.sin6_addr = in6addr_loopback;
  return connects(AF_INET6, (const struct sockaddr *)&six, sizeof six);
}

int hw_notify_open(char *path, size_t size) {
  // A folder that only this user can enter, so that nobody else can send to the socket.
  char folder[64] = "/tmp/headway-ready-XXXXXX";
  if (mkdtemp(folder) == NULL) return -1;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s/notify", folder);
  int descriptor = make_socket(AF_UNIX, SOCK_DGRAM);
  if (descriptor < 0 || bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    rmdir(folder);
    errno = error;
    return -1;
  }
  snprintf(path, size, "%s", address.sun_path);
  return descriptor;
}

bool hw_notify_is_ready(int descriptor) {
  char message[4096];
  ssize_t count;
  bool ready = false;
  while ((count = recv(descriptor, message, sizeof message - 1, 0)) > 0) {
    message[count] = '\0';
    char *rest = message;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
      if (strcmp(line, "READY=1") == 0) ready = true;
    }
  }
  return ready;
}

void hw_notify_close(int descriptor, const char *path) {
  close(descriptor);
  unlink(path);
  char folder[64];
  snprintf(folder, sizeof folder, "%s", path);
  char *slash = strrchr(folder, '/');
  if (slash != NULL) {
    *slash = '\0';
    rmdir(folder);
  }
}
