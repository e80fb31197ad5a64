// Streams of the C library whose bytes go through a function, so that what is printed does not destroy what is drawn.
#define _GNU_SOURCE
#include "headway_system.h"

#include <stdio.h>
#include <unistd.h>

#if defined(__GLIBC__)

static size_t (*passed_to)(int descriptor, const char *bytes, size_t count);

static ssize_t pass_on(void *cookie, const char *bytes, size_t count) {
  return (ssize_t)passed_to((int)(intptr_t)cookie, bytes, count);
}

/// Puts a stream in the place of another one, once. Returns whether that is done.
static bool replace(FILE **stream, int descriptor) {
  static bool is_replaced[STDERR_FILENO + 1];
  FILE *old = *stream;
  // The program may have put another one there.
  if (is_replaced[descriptor] || !old || fileno(old) != descriptor) return true;
  cookie_io_functions_t functions = {.write = pass_on};
  FILE *new = fopencookie((void *)(intptr_t)descriptor, "w", functions);
  if (!new) return false;
  bool is_unbuffered = old->_flags & 2;
  setvbuf(new, NULL, is_unbuffered ? _IONBF : _IOLBF, BUFSIZ);
  // A thread that is printing would be waited for, which may take as long as the terminal likes.
  if (ftrylockfile(old) != 0) {
    fclose(new);
    return false;
  }
  fflush_unlocked(old);
  // `fileno` answers as before.
  new->_fileno = descriptor;
  // Both have one lock: a thread that waits for the lock of the old one unlocks the new one later.
  new->_lock = old->_lock;
  *stream = new;
  is_replaced[descriptor] = true;
  funlockfile(old);
  return true;
}

bool hw_output_pass_on(size_t (*function)(int descriptor, const char *bytes, size_t count)) {
  passed_to = function;
  bool has_output = replace(&stdout, STDOUT_FILENO);
  bool has_error = replace(&stderr, STDERR_FILENO);
  return has_output && has_error;
}

#else

// No other library allows it.
bool hw_output_pass_on(size_t (*function)(int descriptor, const char *bytes, size_t count)) {
  (void)function;
  return true;
}

#endif
