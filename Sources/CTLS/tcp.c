// Sockets between machines.
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "CTLS.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Closes a socket and keeps errno. Returns -1.
static int give_up(int socket) {
  int error = errno;
  close(socket);
  errno = error;
  return -1;
}

/// Lets a socket not block, and no program that is started have it. Returns 0 or -1.
static int prepare(int socket) {
  int flags = fcntl(socket, F_GETFL);
  return flags < 0 || fcntl(socket, F_SETFL, flags | O_NONBLOCK) || fcntl(socket, F_SETFD, FD_CLOEXEC) ? -1 : 0;
}

/// Sends small messages at once, and notices after a while that the other machine is gone.
static void tune(int socket) {
  int yes = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

/// Binds a socket to all addresses of a family and listens. Returns it, or -1.
static int listen_on(int family, uint16_t *port) {
  int listening = socket(family, SOCK_STREAM, 0);
  if (listening < 0) return -1;
  struct sockaddr_storage address;
  memset(&address, 0, sizeof address);
  socklen_t size;
  int yes = 1, no = 0;
  if (family == AF_INET6) {
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(*port);
    six->sin6_addr = in6addr_any;
    size = sizeof *six;
    // IPv4, too.
    if (setsockopt(listening, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no)) return give_up(listening);
  } else {
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    four->sin_family = AF_INET;
    four->sin_port = htons(*port);
    four->sin_addr.s_addr = htonl(INADDR_ANY);
    size = sizeof *four;
  }
  setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (prepare(listening) || bind(listening, (struct sockaddr *)&address, size) || listen(listening, SOMAXCONN) ||
      getsockname(listening, (struct sockaddr *)&address, &size))
    return give_up(listening);
  *port = ntohs(
      family == AF_INET6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                         : ((struct sockaddr_in *)&address)->sin_port);
  return listening;
}

int hw_tcp_listen(uint16_t *port) {
  int listening = listen_on(AF_INET6, port);
  return listening < 0 && errno != EADDRINUSE ? listen_on(AF_INET, port) : listening;
}

int hw_tcp_accept(int listening) {
  int accepted;
  do accepted = accept(listening, NULL, NULL);
  while (accepted < 0 && (errno == EINTR || errno == ECONNABORTED));
  if (accepted < 0) return -1;
  if (prepare(accepted)) return give_up(accepted);
  tune(accepted);
  return accepted;
}

int hw_tcp_connect(const char *address, uint16_t port, int timeout_ms) {
  struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
  struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
  int is_four = inet_pton(AF_INET, address, &four.sin_addr) == 1;
  if (!is_four && inet_pton(AF_INET6, address, &six.sin6_addr) != 1) {
    errno = EINVAL;
    return -1;
  }
  int connecting = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM, 0);
  if (connecting < 0) return -1;
  if (prepare(connecting)) return give_up(connecting);
  int result = is_four ? connect(connecting, (struct sockaddr *)&four, sizeof four)
                       : connect(connecting, (struct sockaddr *)&six, sizeof six);
  if (result && errno != EINPROGRESS && errno != EINTR) return give_up(connecting);
  if (result) {
    struct pollfd watched = {.fd = connecting, .events = POLLOUT};
    int count;
    do count = poll(&watched, 1, timeout_ms);
    while (count < 0 && errno == EINTR);
    int error = count == 0 ? ETIMEDOUT : 0;
    socklen_t size = sizeof error;
    if (count < 0 || (count > 0 && getsockopt(connecting, SOL_SOCKET, SO_ERROR, &error, &size)))
      return give_up(connecting);
    if (error) {
      errno = error;
      return give_up(connecting);
    }
  }
  tune(connecting);
  return connecting;
}

int hw_tcp_each_address(void (*body)(void *context, const char *address), void *context) {
  struct ifaddrs *first;
  if (getifaddrs(&first)) return errno;
  for (int is_loopback = 0; is_loopback <= 1; is_loopback++) {
    for (struct ifaddrs *each = first; each; each = each->ifa_next) {
      if (!each->ifa_addr || !(each->ifa_flags & IFF_UP)) continue;
      if (((each->ifa_flags & IFF_LOOPBACK) != 0) != is_loopback) continue;
      char text[INET6_ADDRSTRLEN];
      const void *address = NULL;
      if (each->ifa_addr->sa_family == AF_INET) {
        address = &((struct sockaddr_in *)each->ifa_addr)->sin_addr;
      } else if (each->ifa_addr->sa_family == AF_INET6) {
        const struct in6_addr *six = &((struct sockaddr_in6 *)each->ifa_addr)->sin6_addr;
        // An address of one link means nothing on another machine.
        if (!IN6_IS_ADDR_LINKLOCAL(six)) address = six;
      }
      if (address && inet_ntop(each->ifa_addr->sa_family, address, text, sizeof text)) body(context, text);
    }
  }
  freeifaddrs(first);
  return 0;
}
