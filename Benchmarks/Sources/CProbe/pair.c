#include "pair.h"

#include <pthread.h>
#include <stdlib.h>

// The data that both threads share.
struct pair {
  pthread_barrier_t barrier;
  void (*body)(void *, int32_t);
  void *context;
};

// The data of one thread.
struct half {
  struct pair *pair;
  int32_t number;
  uint64_t start, end;
};

// Binds the thread to the given one of the available processors, if there are that many.
static void stay(int32_t number) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all)) return;
  for (int place = 0; place < CPU_SETSIZE; place++) {
    if (!CPU_ISSET(place, &all) || number-- > 0) continue;
    CPU_ZERO(&one);
    CPU_SET(place, &one);
    sched_setaffinity(0, sizeof one, &one);
    return;
  }
}

// One of the threads.
static void *run(void *argument) {
  struct half *half = argument;
  stay(half->number);
  pthread_barrier_wait(&half->pair->barrier);
  half->start = probe_read(CLOCK_MONOTONIC);
  half->pair->body(half->pair->context, half->number);
  half->end = probe_read(CLOCK_MONOTONIC);
  return NULL;
}

uint64_t probe_pair(void (*body)(void *, int32_t), void *context) {
  struct pair pair = {.body = body, .context = context};
  struct half halves[2] = {{&pair, 0, 0, 0}, {&pair, 1, 0, 0}};
  pthread_t threads[2];
  if (pthread_barrier_init(&pair.barrier, NULL, 2)) abort();
  for (int thread = 0; thread < 2; thread++) {
    if (pthread_create(&threads[thread], NULL, run, &halves[thread])) abort();
  }
  for (int thread = 0; thread < 2; thread++) pthread_join(threads[thread], NULL);
  pthread_barrier_destroy(&pair.barrier);
  uint64_t start = halves[0].start < halves[1].start ? halves[0].start : halves[1].start;
  uint64_t end = halves[0].end > halves[1].end ? halves[0].end : halves[1].end;
  return end - start;
}
