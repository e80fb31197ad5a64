// Replaces malloc and its relatives in glibc to count their calls. Libraries use the functions that the executable
// defines.
#include "malloc_count.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *old);

// The number of calls.
static _Atomic uint64_t calls;

// Counts one call.
static void count(void) { atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed); }

uint64_t malloc_count(void) { return atomic_load_explicit(&calls, memory_order_relaxed); }

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  count();
  *result = __libc_memalign(alignment, size);
  return *result || size == 0 ? 0 : ENOMEM;
}

void free(void *old) { __libc_free(old); }
