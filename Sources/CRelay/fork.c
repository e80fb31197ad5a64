// Descriptors that a forked child must not keep.
#ifdef __linux__
#define _GNU_SOURCE
#include "headway_relay.h"
#include "owned.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum {
  /// The descriptors that can be owned: all, unless the system's own limit was raised. Pages of the set that are not used
  /// take no memory.
  max_owned = 1 << 20,
  bits_of_word = sizeof(unsigned long) * CHAR_BIT,
};

/// Guards the set, and keeps forks out while a descriptor is created.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// The owned descriptors, as bits.
static unsigned long owned[max_owned / bits_of_word];
/// The words of the set that were ever used.
static size_t used_words;
/// The process that has the owned descriptors, 0 before the first one.
static _Atomic pid_t owner;

static void before_fork(void) { pthread_mutex_lock(&lock); }

static void after_fork_in_parent(void) { pthread_mutex_unlock(&lock); }

/// Closes all owned descriptors; system calls only, as other threads may have held any lock.
static void after_fork_in_child(void) {
  for (size_t word = 0; word < used_words; word++) {
    while (owned[word]) {
      int bit = __builtin_ctzl(owned[word]);
      close((int)(word * bits_of_word) + bit);
      owned[word] &= owned[word] - 1;
    }
  }
  // This thread has locked it in the parent.
  pthread_mutex_unlock(&lock);
}

static void install(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void hw_owned_begin(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
  pthread_mutex_lock(&lock);
}

int hw_owned_end(int descriptor) {
  int error = errno;
  if (descriptor >= max_owned) {
    close(descriptor);
    descriptor = -1;
    error = EMFILE;
  }
  if (descriptor >= 0) {
    size_t word = (size_t)descriptor / bits_of_word;
    owned[word] |= 1ul << (descriptor % bits_of_word);
    if (used_words <= word) used_words = word + 1;
    pid_t nobody = 0;
    atomic_compare_exchange_strong(&owner, &nobody, getpid());
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return descriptor;
}

/// Whether a descriptor is in the set; the lock must be held.
static bool is_owned(int descriptor) {
  return descriptor >= 0 && descriptor < max_owned
    && owned[descriptor / bits_of_word] >> (descriptor % bits_of_word) & 1;
}

void hw_relay_close(int descriptor) {
  pthread_mutex_lock(&lock);
  if (is_owned(descriptor)) {
    owned[descriptor / bits_of_word] &= ~(1ul << (descriptor % bits_of_word));
    close(descriptor);
  }
  pthread_mutex_unlock(&lock);
}

bool hw_relay_owns(int descriptor) {
  pthread_mutex_lock(&lock);
  bool found = is_owned(descriptor);
  pthread_mutex_unlock(&lock);
  return found;
}

bool hw_relay_is_copy(void) {
  pid_t process = atomic_load(&owner);
  return process && process != getpid();
}
#else
// A file without declarations is not valid C.
typedef int hw_no_fork_handlers;
#endif
