#include "headway_time.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct hw_gate {
  pthread_mutex_t lock;
  pthread_cond_t posted;
  unsigned long count;
};

struct hw_gate *hw_gate_create(void) {
  struct hw_gate *signal = malloc(sizeof *signal);
  if (!signal) abort();
  pthread_mutex_init(&signal->lock, NULL);
  pthread_cond_init(&signal->posted, NULL);
  signal->count = 0;
  return signal;
}

void hw_gate_post(struct hw_gate *signal, unsigned long count) {
  // Told under the lock: whoever goes on may destroy the signal as soon as it is left.
  pthread_mutex_lock(&signal->lock);
  signal->count += count;
  if (count == 1) {
    pthread_cond_signal(&signal->posted);
  } else {
    pthread_cond_broadcast(&signal->posted);
  }
  pthread_mutex_unlock(&signal->lock);
}

void hw_gate_wait(struct hw_gate *signal) {
  pthread_mutex_lock(&signal->lock);
  while (signal->count == 0) pthread_cond_wait(&signal->posted, &signal->lock);
  signal->count -= 1;
  pthread_mutex_unlock(&signal->lock);
}

void hw_gate_destroy(struct hw_gate *signal) {
  pthread_cond_destroy(&signal->posted);
  pthread_mutex_destroy(&signal->lock);
  free(signal);
}

unsigned hw_processor_count(void) {
  long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count > 0 ? (unsigned)count : 1;
}
