// Threads, processors, signals, waiting and locks of files, in C because Swift cannot express them on every platform.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Starts a detached thread.
///
/// The thread, and the processes that it starts, inherit the caller's signal mask; with `blocks_signals` all signals are
/// blocked in the thread. The name is cut after 15 bytes. Returns 0 or the error number of pthread_create.
int hw_thread_start(const char *name, int blocks_signals, void (*body)(void *), void *context);

/// The number of this thread, 0 before it has one.
extern _Thread_local unsigned hw_own_thread_number;

/// Gives this thread a number and returns it.
unsigned hw_assign_thread_number(void);

/// A small number that differs between threads that live at the same time, as long as they are few.
static inline unsigned hw_thread_number(void) {
  return hw_own_thread_number ? hw_own_thread_number : hw_assign_thread_number();
}

/// The processor time of this thread, in nanoseconds.
int64_t hw_thread_processor_time(void);

/// The number of processors that are online.
unsigned hw_processor_count(void);

/// A signal that asks for the end of the run.
struct hw_request {
  int number;
  /// Whether the kernel sent it on behalf of the terminal: for a key, or because the terminal was closed.
  bool is_from_terminal;
  /// When it came, on any clock.
  long long milliseconds;
};

/// Adds a signal to the requests that have come before. Returns whether it is a request of its own.
///
/// `latest` is the latest request, all zero if there was none. Each key is a request. These signals only repeat one:
/// - the same signal within 20 ms: `timeout` sends one to the process and another one to its group;
/// - SIGHUP after SIGTERM, however late, and SIGTERM within 20 ms of SIGHUP: at the end of a session a service manager sends
///   both, and the terminal is closed some time later;
/// - the signal of a key from a program, within a second of the key: the program has received the key as well;
/// - when the terminal is closed, the SIGHUP of the kernel and that of the shell, however far apart they are.
bool hw_add_request(struct hw_request *latest, const struct hw_request *next);

/// Opens the pipe through which handlers pass signals on; again if it was lost. Returns 0 or an errno.
///
/// Not thread safe, like all functions for handlers except `hw_handlers_wait`. No handler may be installed before.
int hw_handlers_open(void);

/// Closes the pipe, if there is no thread that waits for signals.
void hw_handlers_close(void);

/// Waits for the next signal that a handler has received; called by one thread. Returns false if the pipe was closed.
bool hw_handlers_wait(struct hw_request *received);

/// Installs a handler that passes a signal on, unless the signal is ignored, and keeps the previous one. The number must be
/// less than 32.
void hw_handler_install(int number);

/// Installs the previous handler of a signal again, unless somebody else has installed one since.
void hw_handler_restore(int number);

/// Sends a signal to this process.
void hw_signal_process(int number);

/// Ends the process by a signal, with the effect that it has by default. Writes what is in the buffers of standard output and
/// standard error before, unless another thread uses them.
_Noreturn void hw_end_by_signal(int number);

/// Passes what is written to `stdout` and `stderr` on to a function, from now on until the process ends.
///
/// The function is called by the thread that prints, under the lock of the stream, and returns how many bytes it has taken.
/// Programs that write to the descriptors themselves are not affected, and neither are child processes. Returns false if a
/// thread was just printing, so that it has to be tried again. Called by one thread at a time; a second call does nothing for
/// streams that were replaced. Does nothing where the C library cannot replace its streams.
bool hw_output_pass_on(size_t (*function)(int descriptor, const char *bytes, size_t count));

/// Gives memory that was freed back to the system, where the C library can do so. It takes about a millisecond for each MB.
void hw_release_free_memory(void);

/// Writes what is in the buffer of standard output, unless another thread uses it.
void hw_flush_output(void);

#ifdef __linux__
/// What a descriptor is watched for, and what it is ready for.
enum hw_poller_state {
  /// Reading does not block: there are bytes, the end or an error.
  HW_READABLE = 1,
  /// Writing does not block.
  HW_WRITABLE = 2,
  /// The other end is closed, or there is an error; reported whether or not it is watched for.
  HW_HUNG_UP = 4,
};

/// A descriptor that is ready.
struct hw_ready_descriptor {
  /// The value that it was added with.
  uint64_t token;
  /// Bits of `hw_poller_state`.
  uint32_t state;
};

/// Opens a set of descriptors to wait for. Returns -1 and sets errno if that fails.
int hw_poller_open(void);

/// Adds a descriptor, reported with `token` while it is ready for what `interest` says. Returns 0 or an errno.
int hw_poller_add(int poller, int descriptor, uint64_t token, uint32_t interest);

/// Changes what a descriptor is reported for. Returns 0 or an errno.
int hw_poller_change(int poller, int descriptor, uint64_t token, uint32_t interest);

/// Removes a descriptor.
void hw_poller_remove(int poller, int descriptor);

/// Waits until a descriptor is ready, for at most `nanoseconds`; without limit if that is negative.
///
/// Returns the number of descriptors stored, 0 after the time-out or a signal. Never ends early for the time-out.
size_t hw_poller_wait(
  int poller, struct hw_ready_descriptor *ready, size_t capacity, int64_t nanoseconds);
#endif

/// Locks a file as long as it is open: alone, if it is open for writing, or with others that share the lock, if it is open
/// for reading. Returns 0 or an errno.
int hw_file_lock(int descriptor, bool is_shared);

/// Asks whether another open file has the lock, without taking it. Returns 1, 0, or -1 if the file system knows no locks.
int hw_file_is_locked(int descriptor);
