#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "headway_system.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct start {
  void (*body)(void *);
  void *context;
  char name[16];
};

static void *run(void *argument) {
  struct start start = *(struct start *)argument;
  free(argument);
#ifdef __linux__
  pthread_setname_np(pthread_self(), start.name);
#else
  pthread_setname_np(start.name);
#endif
  start.body(start.context);
  return NULL;
}

int hw_thread_start(const char *name, int blocks_signals, void (*body)(void *), void *context) {
  struct start *start = malloc(sizeof *start);
  if (!start) return ENOMEM;
  start->body = body;
  start->context = context;
  strncpy(start->name, name, sizeof start->name - 1);
  start->name[sizeof start->name - 1] = 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  if (blocks_signals) {
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
  }
  pthread_t thread;
  int error = pthread_create(&thread, &attributes, run, start);
  if (blocks_signals) pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&attributes);
  if (error) free(start);
  return error;
}

_Thread_local unsigned hw_own_thread_number = 0;

unsigned hw_assign_thread_number(void) {
  static _Atomic unsigned next = 0;
  return hw_own_thread_number = atomic_fetch_add_explicit(&next, 1, memory_order_relaxed) + 1;
}

unsigned hw_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (unsigned)count : 1;
}

int64_t hw_thread_processor_time(void) {
  struct timespec time = {0};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
