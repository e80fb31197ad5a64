// The start of the process: what must be true before the Swift runtime and the run begin.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

/// The exit code if something is not available; see docs/exit-codes.md.
enum { unavailable_code = 69 };

/// Ends a static program in a sentence if /proc is missing: the Swift runtime, which looks for the program there before
/// `main`, would end it with a crash. Runs before the runtime's own initializers.
__attribute__((constructor(101))) static void require_proc(void) {
  static const char message[] = "headway: /proc is not mounted, and this static binary needs it\n";
  // Without an interpreter the program is static.
  if (getauxval(AT_BASE) != 0 || access("/proc/self/exe", F_OK) == 0) return;
  if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(unavailable_code);
  _exit(unavailable_code);
}

void hw_open_standard_streams(void) {
  // A new descriptor gets the lowest free number, so these are filled from below. Writing to them fails, so that a command
  // whose output is lost says so.
  for (int stream = 0; stream <= 2; stream++)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0) return;
}

void hw_undo_quit_handler(void) {
  struct sigaction action;
  if (sigaction(SIGQUIT, NULL, &action) || action.sa_handler == SIG_IGN) return;
  signal(SIGQUIT, SIG_DFL);
}

#ifdef __GLIBC__
/// Writes a text to standard error without allocating memory.
static void write_error(const char *text) {
  // There is nobody to tell if it fails.
  if (write(STDERR_FILENO, text, strlen(text)) < 0) return;
}

/// Ends the program, which has no memory left, in a sentence.
static void end_without_memory(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur == RLIM_INFINITY) {
    write_error("headway: no memory is left\n");
    _exit(unavailable_code);
  }
  // The digits from the last one; `snprintf` may allocate memory.
  char digits[24], *first = digits + sizeof digits - 1;
  *first = 0;
  rlim_t megabytes = limit.rlim_cur >> 20;
  do *--first = (char)('0' + megabytes % 10);
  while (megabytes /= 10);
  write_error("headway: no memory is left: the limit is ");
  write_error(first);
  write_error(" MB; raise it with `ulimit -v`\n");
  _exit(unavailable_code);
}

/// Writes to standard error, unless the text is the Swift runtime's report of a failed allocation.
static ssize_t write_report(void *cookie, const char *text, size_t size) {
  static const char failed_allocation[] = "Fatal error: failed to allocate ";
  (void)cookie;
  if (memmem(text, size, failed_allocation, sizeof failed_allocation - 1)) end_without_memory();
  ssize_t written;
  do written = write(STDERR_FILENO, text, size);
  while (written < 0 && errno == EINTR);
  // Such a function must not return a negative number.
  return written < 0 ? 0 : written;
}
#endif

void hw_explain_failed_allocations(void) {
#ifdef __GLIBC__
  FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_report});
  if (!stream) return;
  setvbuf(stream, NULL, _IONBF, 0);
  stderr = stream;
#endif
}

/// The function that a new thread runs, and its argument.
struct thread_start {
  void (*body)(void *);
  void *context;
};

static void *run_thread(void *argument) {
  struct thread_start *start = argument;
  start->body(start->context);
  return NULL;
}

int hw_on_new_thread(void (*body)(void *), void *context) {
  struct thread_start start = {body, context};
#ifdef __GLIBC__
  // One thread does nearly all the work; by default glibc gives each thread a heap of its own.
  mallopt(M_ARENA_MAX, 1);
#endif
  pthread_t thread;
  int error = pthread_create(&thread, NULL, run_thread, &start);
  if (error == 0) pthread_join(thread, NULL);
  return error;
}

/// The process that was started, before any copy of it was made.
static pid_t started;

void hw_note_process(void) { started = getpid(); }

static void *exit_process(void *code) { exit(*(int *)code); }

void hw_exit(int code) {
  pthread_t thread;
  if (getpid() != started && pthread_create(&thread, NULL, exit_process, &code) == 0)
    for (;;) pause();
  exit(code);
}
