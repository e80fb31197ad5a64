#include "headway_lock.h"

#include <pthread.h>
#include <stdlib.h>

struct hw_semaphore {
  pthread_mutex_t lock;
  pthread_cond_t posted;
  unsigned long count;
};

struct hw_semaphore *hw_semaphore_create(void) {
  struct hw_semaphore *semaphore = malloc(sizeof *semaphore);
  if (!semaphore) abort();
  pthread_mutex_init(&semaphore->lock, NULL);
  pthread_cond_init(&semaphore->posted, NULL);
  semaphore->count = 0;
  return semaphore;
}

void hw_semaphore_post(struct hw_semaphore *semaphore, unsigned long count) {
  // Signalled under the lock: a woken thread may destroy the semaphore as soon as it is unlocked.
  pthread_mutex_lock(&semaphore->lock);
  semaphore->count += count;
  if (count == 1) {
    pthread_cond_signal(&semaphore->posted);
  } else {
    pthread_cond_broadcast(&semaphore->posted);
  }
  pthread_mutex_unlock(&semaphore->lock);
}

void hw_semaphore_wait(struct hw_semaphore *semaphore) {
  pthread_mutex_lock(&semaphore->lock);
  while (semaphore->count == 0) pthread_cond_wait(&semaphore->posted, &semaphore->lock);
  semaphore->count -= 1;
  pthread_mutex_unlock(&semaphore->lock);
}

void hw_semaphore_destroy(struct hw_semaphore *semaphore) {
  pthread_cond_destroy(&semaphore->posted);
  pthread_mutex_destroy(&semaphore->lock);
  free(semaphore);
}
