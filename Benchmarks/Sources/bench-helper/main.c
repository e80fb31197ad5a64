// The measuring program, as small as possible, because a child's peak memory starts at that of its parent.
//
//   bench-helper direct COUNT WIDTH       the bare loop: posix_spawn and wait4 of /bin/true
//   bench-helper shell COUNT WIDTH        the same through sh -c, each child with two pipes and a group of its own
//       prints: wall nanoseconds, CPU microseconds of the loop, CPU microseconds of its children
//   bench-helper stamp FILE               writes the monotonic time in nanoseconds into a file
//   bench-helper run [--pty] -- PROGRAM ARGUMENT…
//       prints: start and wall nanoseconds, CPU microseconds of the whole tree, peak kilobytes, exit code
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// The monotonic time in nanoseconds.
static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// User and system time in microseconds.
static long long cpu(const struct rusage *usage) {
  return (usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000LL + usage->ru_utime.tv_usec +
         usage->ru_stime.tv_usec;
}

// Exits with a message.
static void die(const char *what) {
  perror(what);
  exit(71);
}

// Prints the cost of a loop.
static int report_loop(long long start) {
  struct rusage self, children;
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  printf("%lld %lld %lld\n", now() - start, cpu(&self), cpu(&children));
  return 0;
}

// Starts and reaps children, and nothing else.
static int direct(long count, int width) {
  long long start = now();
  char *arguments[] = {"/bin/true", NULL};
  int running = 0;
  while (count > 0 || running > 0) {
    if (count > 0 && running < width) {
      pid_t child;
      if ((errno = posix_spawn(&child, arguments[0], NULL, NULL, arguments, environ))) die("posix_spawn");
      count--, running++;
    } else {
      int status;
      struct rusage usage;
      if (wait4(-1, &status, 0, &usage) < 0) die("wait4");
      if (status) return fputs("a child failed\n", stderr), 70;
      running--;
    }
  }
  return report_loop(start);
}

// A child with pipes.
struct child {
  pid_t id;
  int out[2];  // the read ends of its output and its errors, -1 once they have ended
};

// Starts a child through the shell, with two pipes and its own process group.
static void start_shell(struct child *child) {
  static char *arguments[] = {"sh", "-c", "/bin/true;", NULL};
  int pipes[2][2];
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (int stream = 0; stream < 2; stream++) {
    if (pipe2(pipes[stream], O_CLOEXEC)) die("pipe2");
    posix_spawn_file_actions_adddup2(&actions, pipes[stream][1], stream + 1);
    child->out[stream] = pipes[stream][0];
  }
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  if ((errno = posix_spawn(&child->id, "/bin/sh", &actions, &attributes, arguments, environ))) die("posix_spawn");
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(pipes[0][1]);
  close(pipes[1][1]);
}

// Starts children through the shell, and reads their output to the end.
static int shell(long count, int width) {
  long long start = now();
  struct child children[64];
  struct pollfd polls[128];
  int running = 0;
  char buffer[65536];
  while (count > 0 || running > 0) {
    while (count > 0 && running < width) start_shell(&children[running++]), count--;
    for (int place = 0; place < 2 * running; place++)
      polls[place] = (struct pollfd){children[place / 2].out[place % 2], POLLIN, 0};
    if (poll(polls, (nfds_t)(2 * running), -1) < 0) die("poll");
    for (int place = 0; place < 2 * running; place++) {
      if (polls[place].fd < 0 || !polls[place].revents || read(polls[place].fd, buffer, sizeof buffer) > 0) continue;
      close(polls[place].fd);
      children[place / 2].out[place % 2] = -1;
    }
    for (int place = running - 1; place >= 0; place--) {
      if (children[place].out[0] >= 0 || children[place].out[1] >= 0) continue;
      int status;
      struct rusage usage;
      if (wait4(children[place].id, &status, 0, &usage) < 0) die("wait4");
      if (status) return fputs("a child failed\n", stderr), 70;
      children[place] = children[--running];
    }
  }
  return report_loop(start);
}

// Writes the time to a file.
static int stamp(const char *path) {
  FILE *file = fopen(path, "w");
  if (!file || fprintf(file, "%lld\n", now()) < 0 || fclose(file)) die(path);
  return 0;
}

// Runs a program on its own terminal, or with its output discarded, and prints the cost of its process tree.
static int run(int pty, char **arguments) {
  // Processes that outlive the program become our children, so that all are included.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int master = -1;
  pid_t child;
  long long start = now();
  if (pty) {
    struct winsize size = {.ws_row = 24, .ws_col = 100};
    child = forkpty(&master, NULL, NULL, &size);
    if (child < 0) die("forkpty");
    if (child == 0) {
      setenv("TERM", "xterm-256color", 1);
      execvp(arguments[0], arguments);
      _exit(127);
    }
  } else {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if ((errno = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ))) die(arguments[0]);
  }
  int handle = (int)syscall(SYS_pidfd_open, child, 0);
  if (handle < 0) die("pidfd_open");
  struct pollfd polls[2] = {{handle, POLLIN, 0}, {master, POLLIN, 0}};
  char buffer[65536];
  while (!polls[0].revents) {
    if (poll(polls, 2, -1) < 0) die("poll");
    if (polls[1].revents && read(master, buffer, sizeof buffer) <= 0) polls[1].fd = -1;
  }
  int status, other;
  struct rusage usage, more;
  if (wait4(child, &status, 0, &usage) < 0) die("wait4");
  long long wall = now() - start, time = cpu(&usage), deadline = now() + 2000000000LL;
  long peak = usage.ru_maxrss;
  pid_t left;
  while ((left = wait4(-1, &other, WNOHANG, &more)) >= 0 && now() < deadline) {
    if (left == 0) {
      usleep(1000);
      continue;
    }
    time += cpu(&more);
    if (more.ru_maxrss > peak) peak = more.ru_maxrss;
  }
  printf("%lld %lld %lld %ld %d\n", start, wall, time, peak,
         WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
  return 0;
}

int main(int count, char **arguments) {
  if (count == 4 && !strcmp(arguments[1], "direct")) return direct(atol(arguments[2]), atoi(arguments[3]));
  if (count == 4 && !strcmp(arguments[1], "shell")) return shell(atol(arguments[2]), atoi(arguments[3]));
  if (count == 3 && !strcmp(arguments[1], "stamp")) return stamp(arguments[2]);
  int pty = count > 2 && !strcmp(arguments[2], "--pty");
  if (count > 3 + pty && !strcmp(arguments[1], "run") && !strcmp(arguments[2 + pty], "--"))
    return run(pty, arguments + 3 + pty);
  return fputs("bench-helper: see the comment at the top of its source\n", stderr), 64;
}
