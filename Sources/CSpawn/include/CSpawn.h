// What the runner needs of Linux that Swift cannot say: a child that shares our memory until it is a program, the
// keeper, and the processes below us. What runs between a fork and the program only makes system calls.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// MARK: spawn.c

/// The step at which a child failed to become the program.
enum hw_stage { HW_STAGE_FORK = 1, HW_STAGE_DIRECTORY = 2, HW_STAGE_EXEC = 3 };

/// What to start, and where.
struct hw_spawn_request {
  /// The program and its arguments, ended by NULL. A name without a slash is looked up in `search_path`.
  char *const *argv;
  /// The whole environment, ended by NULL.
  char *const *envp;
  /// Folders between colons, as in PATH.
  const char *search_path;
  /// The folder to start in, NULL for the current one.
  const char *directory;
  /// The descriptor that becomes standard input.
  int input;
  /// The descriptor that becomes standard output and standard error.
  int output;
};

/// Starts a program in a session and process group of its own, with default signals and no descriptor but 0, 1 and 2.
///
/// It is killed when the calling *thread* ends, so that thread must live as long as the run.
/// Not thread safe: one thread starts everything. Returns 0 and sets `pid`, or returns an errno and sets `stage`.
int hw_spawn(const struct hw_spawn_request *request, pid_t *pid, enum hw_stage *stage);

// MARK: processes.c

/// Collects the processes below `ancestor`, parents before children.
///
/// Returns how many there are; at most `capacity` of them are stored. Processes that come or go meanwhile may
/// be missed or listed in vain: repeat until nothing is left.
size_t hw_descendants(pid_t ancestor, pid_t *found, size_t capacity);

/// Collects the processes that lost their parent and were given to this one.
///
/// Those that another thread than the first has started are not among them. Returns how many there are; stores at
/// most `capacity`. Not thread safe.
size_t hw_adopted(pid_t *found, size_t capacity);

/// Sends a signal to a process if it is still below this one; a number that was given to a stranger meanwhile
/// is left alone. Returns 0, ESRCH when it is gone or a stranger, or another errno.
int hw_signal_descendant(pid_t pid, int signal_number);

/// Ends everything below this process by force, and reaps it.
///
/// Repeats until nothing is left, for at most `milliseconds`. Stores the processes that could not be ended.
/// Returns how many those are, and sets `ended` to how many processes ended.
size_t hw_end_descendants(
  int milliseconds, size_t *ended, pid_t *left, size_t capacity);

/// Reads the name of a process, "?" when it is gone. Always ends it with NUL.
void hw_process_name(pid_t pid, char *name, size_t size);

/// Reaps one child that has ended, if there is one.
///
/// Returns its process number and sets either `code` (at least 0) or `signal_number` (at least 1), the other
/// is -1; returns 0 when none has ended, -1 when there is no child at all.
pid_t hw_reap(int *code, int *signal_number);

// MARK: keeper.c

/// What keeper and runner share in memory.
struct hw_shared {
  /// Set by the runner when it ends by itself: nothing is left to clean up.
  int is_orderly;
  /// Set by the runner while the terminal is not as it was found.
  int is_terminal_changed;
  /// Whether the task bar of the desktop was told of the run, so that it must be told that it is over.
  int shows_taskbar;
  /// How many signals that ask for the end the keeper has passed on. Counted here, because a signal that is
  /// pending already swallows the next of its kind.
  int wishes;
  /// The number of the keeper.
  pid_t keeper;
  /// The signals that the keeper passes on, as the runner has them blocked.
  sigset_t signals;
};

/// Splits the program into keeper and runner. Call it before any thread exists.
///
/// The parent becomes the keeper and never returns: it waits, passes signals and stops on, ends every
/// descendant when the runner dies, and ends as the runner ended. The child returns 0, with the signals of
/// `hw_shared.signals` and SIGCHLD blocked; `alive` becomes readable when the keeper is gone.
/// Returns an errno when the split failed.
int hw_keeper_split(struct hw_shared **shared, int *alive);

/// Makes sure that descriptors 0, 1 and 2 are open, so that nothing else is taken for them.
void hw_open_standard_streams(void);

/// Runs `body` on a new thread and waits for its end. Returns 0 or an errno; the body has not run then.
///
/// The thread that went through a fork must not run Swift beside others: the locks of Swift's runtime name their
/// owner by a thread number that they remember per thread, and after a fork the remembered number is the parent's.
/// A new thread remembers its own.
int hw_on_new_thread(void (*body)(void *), void *context);

/// How many signals that ask for the end the keeper has passed on.
int hw_wishes(const struct hw_shared *shared);

/// Has this process die with the keeper, once nothing of the run is left.
void hw_die_with_keeper(const struct hw_shared *shared);

/// Has this process be asked to end when the keeper is gone; it is told on the calling thread's behalf, while that lives.
void hw_end_with_keeper(const struct hw_shared *shared);

/// Stops this process as the terminal's stop key would; returns when it goes on, or at once where nobody could
/// make it go on.
void hw_stop_self(void);

/// Ends this process by a signal, without a core file.
void hw_die_by_signal(int signal_number) __attribute__((noreturn));

/// The number of processors that this process may run on, 1 when that is not known.
int hw_usable_cores(void);

// MARK: wait.c

/// Opens a set of descriptors to wait for. Returns -1 and sets errno when there is no descriptor left.
int hw_poller_open(void);

/// Adds a descriptor, which answers with `token` while it can be read. Returns 0 or an errno.
int hw_poller_add(int poller, int descriptor, uint64_t token);

/// Takes a descriptor away.
void hw_poller_remove(int poller, int descriptor);

/// Waits until something can be read.
///
/// Returns how many tokens it stored; 0 when a signal came.
size_t hw_poller_wait(int poller, uint64_t *tokens, size_t capacity);

/// A signal that came.
struct hw_signal {
  /// Its number.
  int number;
  /// Whether the terminal sent it, which tells the keeper, too.
  bool is_from_terminal;
};

/// Opens a descriptor that can be read when a signal of the run, or SIGCHLD, has come.
int hw_signals_open(const struct hw_shared *shared);

/// Takes signals that have come, without waiting. Returns how many it stored.
size_t hw_signals_take(int signals, struct hw_signal *found, size_t capacity);

/// Makes a pipe that no program inherits and whose reading never waits. Returns 0 or an errno.
int hw_pipe(int *read_end, int *write_end);

/// Opens a descriptor by which one thread wakes another.
int hw_bell_open(void);

/// Makes a bell readable, from any thread.
void hw_bell_ring(int bell);

/// Makes a bell unreadable until it rings again.
void hw_bell_silence(int bell);
