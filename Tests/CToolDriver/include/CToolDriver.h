// Pipes, terminals and cores for tests, and programs that are started.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/// Starts a program.
///
/// With `columns` above 0 it gets a session and a terminal of that size, otherwise an empty input and a pipe.
/// `port` is the test's end of either, and does not wait when it is read. `presence` can be read to its end
/// when the program and whoever inherited its descriptor 9 are gone. The program inherits no other descriptor above 2.
/// Returns 0 or an errno.
int td_start(
  char *const *argv, char *const *envp, const char *folder, int columns, int rows, pid_t *pid,
  int *port, int *presence);

/// Creates a pipe that no process inherits. Returns 0 or an errno.
int td_open_pipe(int *reader, int *writer);

/// Opens a terminal of a size that no process inherits: `port` is the test's end, `line` the program's end.
/// Returns 0 or an errno.
int td_open_terminal(int columns, int rows, int *port, int *line);

/// Changes the size of a terminal, which tells the programs in it.
void td_resize(int port, int columns, int rows);

/// Makes the orphans below this process its children, as the runner does. Returns whether that was possible.
int td_adopt_orphans(void);

/// Runs `body` in a copy of this process with one thread and a process group of its own, which receives SIGHUP all the time. All
/// signals are blocked. Returns what `body` returns, 0 to 125, or -1 if there was an error.
int td_run_under_signals(int (*body)(void *), void *context);

/// Sends a signal to a copy of this process, which has one thread. Returns the number of the signal that has ended the copy, 0 if
/// none did, or -1 if there was an error.
int td_signal_copy(int number);

/// Whether the tests were built with AddressSanitizer or ThreadSanitizer, which need more memory than any limit leaves.
bool td_has_sanitizer(void);

/// The number of cores that the calling thread may run on, 0 after an error.
int td_count_cores(void);

/// Lets the calling thread run on fewer cores: the first `count` that it may run on now. Returns 0 or an errno.
int td_limit_cores(int count);

/// Starts a process that makes a sibling of its own, which waits for signals, and ends.
///
/// Returns the number of the sibling, -1 if that failed.
int td_start_sibling(void);

/// Sends SIGINT to the calling thread, as a program or as a key of the terminal does.
void td_interrupt_self(bool is_from_terminal);
