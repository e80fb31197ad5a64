// The start of the process: what must be true before the Swift runtime and the run begin.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <sys/auxv.h>
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
