#include "headway_lock.h"

#include <pthread.h>
#include <stdlib.h>

struct hw_gate {
  pthread_mutex_t lock;
  pthread_cond_t posted;
  unsigned long count;
};

struct hw_gate *hw_gate_create(void) {
  struct hw_gate *gate = malloc(sizeof *gate);
  if (!gate) abort();
  pthread_mutex_init(&gate->lock, NULL);
  pthread_cond_init(&gate->posted, NULL);
  gate->count = 0;
  return gate;
}

void hw_gate_post(struct hw_gate *gate, unsigned long count) {
  // Told under the lock: whoever goes on may destroy the signal as soon as it is left.
  pthread_mutex_lock(&gate->lock);
  gate->count += count;
  if (count == 1) {
    pthread_cond_signal(&gate->posted);
  } else {
    pthread_cond_broadcast(&gate->posted);
  }
  pthread_mutex_unlock(&gate->lock);
}

void hw_gate_wait(struct hw_gate *gate) {
  pthread_mutex_lock(&gate->lock);
  while (gate->count == 0) pthread_cond_wait(&gate->posted, &gate->lock);
  gate->count -= 1;
  pthread_mutex_unlock(&gate->lock);
}

void hw_gate_destroy(struct hw_gate *gate) {
  pthread_cond_destroy(&gate->posted);
  pthread_mutex_destroy(&gate->lock);
  free(gate);
}
