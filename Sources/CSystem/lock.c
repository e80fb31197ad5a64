// Locks of files that belong to the open file, not to the process: the kernel drops them when the last descriptor is
// closed, however that happens.

#define _GNU_SOURCE

#include "headway_system.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#ifdef F_OFD_SETLK

static struct flock whole(short type) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

int hw_file_lock(int descriptor, bool is_shared) {
  struct flock lock = whole(is_shared ? F_RDLCK : F_WRLCK);
  return fcntl(descriptor, F_OFD_SETLK, &lock) == 0 ? 0 : errno;
}

int hw_file_is_locked(int descriptor) {
  struct flock lock = whole(F_WRLCK);
  if (fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return -1;
  return lock.l_type != F_UNLCK;
}

#else

int hw_file_lock(int descriptor, bool is_shared) {
  (void)descriptor;
  (void)is_shared;
  return ENOTSUP;
}

int hw_file_is_locked(int descriptor) {
  (void)descriptor;
  return -1;
}

#endif
