// Watches the only process that publishes in a directory, over many connections, with as little work as possible.
//
//   relay-client lateness FOLDER CONNECTIONS
//       subscribes on all connections; each changed number of completed units is the time at which it was set, in nanoseconds.
//       When the publisher has ended, prints the median and the 99th percentile of the lateness in nanoseconds, the number of changes
//       on the first connection and the bytes that came there for them
//   relay-client cancel FOLDER
//       cancels each publication two milliseconds after it has begun, and before that writes the time to standard output, as
//       eight bytes
//   relay-client idle FOLDER CONNECTIONS
//       subscribes, and prints the bytes that came after the first second
//
// In C and without a library, so that the peer of the publisher costs nothing that belongs to it.

#define _GNU_SOURCE
#include <dirent.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { capacity = 1 << 18, most_samples = 1 << 22 };

struct connection {
  int socket;
  size_t length;
  char *bytes;
};

static int64_t *samples;
static size_t sample_count;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static _Noreturn void fail(const char *what) {
  perror(what);
  exit(70);
}

/// The path of the first socket in a folder; waits for it.
static struct sockaddr_un find(const char *folder) {
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  for (int attempt = 0; attempt < 10000; attempt++) {
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
      size_t length = strlen(entry->d_name);
      if (length < 6 || entry->d_name[0] == '.' || strcmp(entry->d_name + length - 5, ".sock") != 0) continue;
      snprintf(address.sun_path, sizeof address.sun_path, "%s/%s", folder, entry->d_name);
      closedir(directory);
      return address;
    }
    if (directory) closedir(directory);
    usleep(1000);
  }
  fail("no socket");
}

static struct connection join(const struct sockaddr_un *address) {
  struct connection connection = { .socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) };
  if (connect(connection.socket, (const struct sockaddr *)address, sizeof *address) != 0) fail("connect");
  static const char request[] = "{\"request\":\"subscribe\",\"id\":1}\n";
  if (write(connection.socket, request, sizeof request - 1) < 0) fail("write");
  connection.bytes = malloc(capacity);
  return connection;
}

static int compare(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/// Takes the lines of a connection; calls a function for each. Returns false at its end.
static int take(struct connection *connection, void (*line)(struct connection *, char *text, size_t length)) {
  ssize_t count = read(
    connection->socket, connection->bytes + connection->length, capacity - connection->length);
  if (count <= 0) return 0;
  connection->length += (size_t)count;
  char *start = connection->bytes, *end;
  while ((end = memchr(start, '\n', connection->length - (size_t)(start - connection->bytes)))) {
    *end = 0;
    line(connection, start, (size_t)(end - start) + 1);
    start = end + 1;
  }
  connection->length -= (size_t)(start - connection->bytes);
  memmove(connection->bytes, start, connection->length);
  return 1;
}

static int first_socket;
static uint64_t first_bytes, first_changes;

static void note_lateness(struct connection *connection, char *text, size_t length) {
  int64_t time = now();
  if (!strstr(text, "\"event\":\"progress_changed\"")) return;
  char *number = strstr(text, "\"completed\":");
  if (!number) return;
  if (sample_count < most_samples) samples[sample_count++] = time - atoll(number + 12);
  if (connection->socket != first_socket) return;
  first_bytes += length;
  first_changes++;
}

static void note_publication(struct connection *connection, char *text, size_t length) {
  (void)length;
  if (!strstr(text, "\"event\":\"publication_began\"")) return;
  char *id = strstr(text, "\"publication\":\"");
  if (!id) return;
  id += 15;
  id[strcspn(id, "\"")] = 0;
  usleep(2000);
  static int request;
  char line[256];
  int size = snprintf(
    line, sizeof line, "{\"request\":\"cancel\",\"id\":%d,\"publication\":\"%s\"}\n", ++request + 1, id);
  int64_t time = now();
  if (write(1, &time, sizeof time) != sizeof time) fail("write");
  if (write(connection->socket, line, (size_t)size) != size) fail("write");
}

static void ignore(struct connection *connection, char *text, size_t length) {
  (void)connection, (void)text, (void)length;
}

int main(int count, char **words) {
  if (count < 3) return 64;
  struct sockaddr_un address = find(words[2]);
  int connections = count > 3 ? atoi(words[3]) : 1;
  struct connection *all = calloc((size_t)connections, sizeof *all);
  samples = malloc(sizeof *samples * most_samples);
  int epoll = epoll_create1(0);
  for (int index = 0; index < connections; index++) {
    all[index] = join(&address);
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = &all[index] };
    epoll_ctl(epoll, EPOLL_CTL_ADD, all[index].socket, &event);
  }
  first_socket = all[0].socket;
  int is_idle = strcmp(words[1], "idle") == 0;
  uint64_t idle_bytes = 0;
  int64_t begin = now();
  int left = connections;
  while (left > 0) {
    struct epoll_event events[64];
    int ready = epoll_wait(epoll, events, 64, -1);
    for (int index = 0; index < ready; index++) {
      struct connection *connection = events[index].data.ptr;
      int lives;
      if (is_idle) {
        lives = take(connection, ignore);
        if (lives && now() - begin > 1000000000) idle_bytes++;
      } else {
        lives = take(connection, strcmp(words[1], "cancel") == 0 ? note_publication : note_lateness);
      }
      if (lives) continue;
      close(connection->socket);
      left--;
    }
  }
  if (is_idle) {
    printf("%llu\n", (unsigned long long)idle_bytes);
  } else if (strcmp(words[1], "lateness") == 0) {
    qsort(samples, sample_count, sizeof *samples, compare);
    if (sample_count == 0) return 70;
    printf(
      "%lld %lld %llu %llu\n", (long long)samples[sample_count / 2],
      (long long)samples[sample_count - 1 - sample_count / 100], (unsigned long long)first_changes,
      (unsigned long long)first_bytes);
  }
  return 0;
}
