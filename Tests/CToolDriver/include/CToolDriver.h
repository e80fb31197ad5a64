// Starts a program for a test, in a pipe or in a terminal of its own.
#pragma once

#include <sys/types.h>

/// Starts a program.
///
/// With `columns` above 0 it gets a session and a terminal of that size, otherwise an empty input and a pipe.
/// `port` is the test's end of either, and does not wait when it is read. `presence` can be read to its end
/// when the program and whoever inherited its descriptor 9 are gone. Returns 0 or an errno.
int td_start(
  char *const *argv, char *const *envp, const char *folder, int columns, int rows, pid_t *pid,
  int *port, int *presence);

/// Changes the size of a terminal, which tells the programs in it.
void td_resize(int port, int columns, int rows);
