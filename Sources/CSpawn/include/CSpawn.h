// What the runner needs of Linux and cannot do in Swift: a child that shares memory until execve, the split into
// supervisor and runner, descendants of this process, and waiting. Between fork and execve there are system calls only.
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>
#include <time.h>

// MARK: spawn.c

/// The step at which starting a program failed.
enum hw_stage { HW_STAGE_FORK = 1, HW_STAGE_DIRECTORY = 2, HW_STAGE_EXEC = 3 };

/// A program to start, and its surroundings.
struct hw_spawn_request {
  /// The program and its arguments, terminated by NULL. A name without a slash is looked up in `search_path`.
  char *const *argv;
  /// The whole environment, terminated by NULL.
  char *const *envp;
  /// Directories separated by colons, as in PATH.
  const char *search_path;
  /// The directory to start in, NULL for the current one.
  const char *directory;
  /// The descriptor that becomes standard input.
  int input;
  /// The descriptor that becomes standard output and standard error.
  int output;
  /// The descriptor that becomes descriptor 3, -1 for none.
  int extra;
};

/// Blocks all signals but crashes on the calling thread, as `hw_spawn` requires: a signal handler must not run in a
/// child that shares memory with its parent.
void hw_block_signals(void);

/// Starts a program in a new session and process group, with default signals and no descriptors but 0, 1 and 2, and 3 for `extra`.
///
/// The program is killed when the calling *thread* ends, so that thread must live as long as the run. Not thread safe:
/// all calls must come from one thread, which has called `hw_block_signals`.
/// Returns 0 and sets `pid`, or returns an errno and sets `stage`.
int hw_spawn(const struct hw_spawn_request *request, pid_t *pid, enum hw_stage *stage);

// MARK: processes.c

/// Collects the descendants of `ancestor`, parents before children.
///
/// Returns their number; stores at most `capacity`. Processes that start or end meanwhile may be missed, or listed
/// although they are gone: repeat until none is left.
size_t hw_descendants(pid_t ancestor, pid_t *found, size_t capacity);

/// Collects the children of the first thread, to which orphans belong, and those of the calling thread: the programs that it has
/// started, and what they have made with CLONE_PARENT.
///
/// Returns their number; stores at most `capacity`.
size_t hw_adopted(pid_t *found, size_t capacity);

/// Sends a signal to a process if it is still a descendant of this one, even if its number was reused.
///
/// Returns 0, ESRCH if the process is gone or no descendant, or another errno.
int hw_signal_descendant(pid_t pid, int signal_number);

/// Opens a process, so that its number cannot mean another one. Returns a descriptor, or -1 and sets errno; ENOSYS where
/// the system does not know such descriptors.
int hw_process_open(pid_t pid);

/// Signals a process that was opened with `hw_process_open`, or by its number if the descriptor is -1. Returns 0 or an errno.
int hw_process_signal(int process, pid_t pid, int signal_number);

/// Kills and reaps all descendants of this process.
///
/// Repeats until none is left, for at most `milliseconds`. Sets `ended` to the number of processes that ended, stores
/// at most `capacity` of those that did not end in `left`, and returns their number.
size_t hw_end_descendants(
  int milliseconds, size_t *ended, pid_t *left, size_t capacity);

/// The process group in the foreground of the terminal of a process, 0 if it is not known.
pid_t hw_foreground_group(pid_t pid);

/// The time since a moment of CLOCK_MONOTONIC.
long long hw_milliseconds_since(const struct timespec *start);

/// Reads the name of a process, with `?` in place of all but printable ASCII; "?" if the process is gone. Always
/// terminates it with NUL.
void hw_process_name(pid_t pid, char *name, size_t size);

/// What a child that has ended, and the descendants that were waited for below it, have used.
struct hw_usage {
  /// The time that processors have spent on them.
  long long cpu_nanoseconds;
  /// The memory of the largest of them in bytes, 0 if it is unknown: not more than that of this process.
  long long peak_memory;
};

/// Reaps one child that has ended.
///
/// Returns its process number and sets `used`, and either `code` (at least 0) or `signal_number` (at least 1), and the other
/// to -1. Returns 0 if no child has ended, and -1 if there is no child. Not thread safe.
pid_t hw_reap(int *code, int *signal_number, struct hw_usage *used);

/// The number of processors that this process may run on, 1 if it is not known.
int hw_usable_cores(void);

// MARK: start.c

/// Opens those of descriptors 0, 1 and 2 that are closed, for reading only, so that no other file gets their number.
void hw_open_standard_streams(void);

/// Lets SIGQUIT end the program again, unless it is ignored: the handler of the Swift runtime shows a backtrace of a program that has
/// not failed, and lets it go on.
void hw_undo_quit_handler(void);

/// Makes a failed allocation end the program with a sentence and exit code 69.
///
/// The Swift runtime reports a failed allocation through stdio and then aborts. So `stderr` becomes a stream that recognizes this
/// report, and passes on everything else.
void hw_explain_failed_allocations(void);

/// Runs `body` on a new thread and waits for its end. Returns 0, or an errno if no thread could be created.
///
/// Swift code must not run on the thread that went through a fork: Swift's locks identify their owner by a thread
/// number that is cached per thread, and on that thread the cached number is the parent's.
int hw_on_new_thread(void (*body)(void *), void *context);

/// Notes which process was started, before any copy of it is made.
void hw_note_process(void);

/// Ends the process. In a copy of the one that was started, on a new thread: what `exit` calls is Swift code, too, and may run
/// beside other threads, which then wait for each other without end on a lock whose owner is unknown.
void hw_exit(int code) __attribute__((noreturn));

// MARK: supervisor.c

/// What a viewer has done to its terminal.
enum hw_terminal_state {
  /// The settings are those of the start.
  hw_terminal_unchanged,
  /// The settings may be those of the viewer.
  hw_terminal_changing,
  /// The settings were changed to `changed`, if that is known.
  hw_terminal_changed,
};

/// The terminal of a viewer, in memory that it shares with the process that restores the terminal if the viewer is killed.
struct hw_terminal {
  enum hw_terminal_state state;
  /// Set by the viewer if it shows progress in the desktop's taskbar, which must be cleared.
  int shows_taskbar;
  /// The settings at the start and those of the viewer, and whether they are known.
  struct termios initial, changed;
  int has_initial, has_changed;
  /// The session and the process group of the job at the start.
  pid_t session, group;
};

/// Why a run died.
enum hw_death_reason {
  hw_death_none,
  /// The runner was killed or has crashed.
  hw_death_killed,
  /// The runner was asked twice to end, did not respond, and was killed.
  hw_death_no_response,
  /// A worker had not heard of its runner for too long, and was killed.
  hw_death_lease,
};

/// The maximum number of processes that are named if they could not be ended.
enum { max_named = 16 };

/// What became of a run that did not end by itself.
struct hw_death {
  enum hw_death_reason reason;
  /// How many processes it had left that were ended.
  size_t ended;
  /// Some of those that could not be ended.
  pid_t left[max_named];
  size_t left_count;
};

/// The memory that viewer, supervisor and runner share.
struct hw_shared {
  /// Whether the viewer shows the run, and so says what has become of it. Otherwise it only serves.
  int is_shown;
  /// Whether SIGTSTP was ignored at the start, so that Ctrl-Z stays without effect.
  int ignores_stop;
  /// Set by the runner once it handles signals itself; before, a signal that asks for the end kills it.
  int has_begun;
  /// Set by the runner before it exits normally: there is nothing left to clean up.
  int is_orderly;
  /// Set by the supervisor before it ends: it has cleaned up.
  int is_over;
  /// Set by the viewer if the end of its terminal, or its own, does not ask for the end of the run.
  int detaches_on_hangup;
  /// Set by the viewer before it ends while the run goes on.
  int has_left;
  /// Set by the runner once its streams are its own, so that the supervisor uses them, too.
  int has_own_streams;
  /// The number of signals that asked the viewer for the end of the run, and of all that asked for it. Counted here because
  /// a second signal of the same kind is dropped while the first one is pending.
  int viewer_requests, end_requests;
  /// The first of them, 0 before.
  int end_signal;
  /// Counts the turns of the runner's loop: it responds as long as this grows.
  unsigned turns;
  /// The time of CLOCK_BOOTTIME in milliseconds at which the supervisor kills the runner, 0 for never: a worker that nobody follows
  /// must not go on for longer, even if it was stopped.
  long long lease_end;
  /// The errno of the runner's start, 0 if it was started.
  int error;
  /// What the supervisor found when the runner had died; read once `is_over` is set.
  struct hw_death death;
  /// The terminal of the viewer.
  struct hw_terminal terminal;
  /// The process numbers of the three.
  pid_t viewer, supervisor, runner;
  /// The signals that ask for the end of the run; all three have them blocked.
  sigset_t signals;
};

/// How a program is split, and what it is afterwards.
struct hw_split {
  /// Whether the viewer shows the run, for which it has a stream.
  bool is_shown;
  /// Set: whether this process is the viewer; otherwise it is the runner.
  bool is_viewer;
  /// Set: the end of the stream between the two, -1 without one.
  int stream;
  /// Set in the runner: readable once the supervisor is dead.
  int supervisor_pipe;
};

/// Splits the program into viewer, supervisor and runner. Must be called before any thread is started.
///
/// Returns 0 in the viewer, which is the calling process, and in the runner, with the signals of both blocked. Supervisor and runner
/// have a session of their own. The supervisor kills a runner that was asked twice to end and does not respond, ends all
/// descendants if the runner dies, and asks the run for its end if the viewer dies. Returns an errno, in the calling process,
/// if the split failed.
int hw_supervisor_split(struct hw_shared **shared, struct hw_split *split);

/// Starts a process that restores the terminal if this one is killed, for a program that starts no others. Must be called before any
/// thread is started. Returns 0, or an errno.
int hw_terminal_guard(struct hw_shared **shared);

/// Passes a signal that asks for the end on to the supervisor, in the viewer; one that repeats another one is left out, see
/// `hw_add_request`. Signals that were taken together have the same `milliseconds`, on any clock. Not thread safe.
void hw_pass_on(struct hw_shared *shared, int number, bool is_from_terminal, long long milliseconds);

/// Continues the supervisor, in the viewer.
void hw_continue_supervisor(const struct hw_shared *shared);

/// Notes, in the viewer, that it is about to end while the run goes on.
void hw_leave(struct hw_shared *shared);

/// Reaps the children of the viewer. Returns whether the supervisor was one of them, and sets how it ended, as `waitpid` does.
bool hw_has_supervisor_ended(const struct hw_shared *shared, int *status);

/// Waits until nothing of the run is left, in the viewer of a supervisor that was killed; then it ends what a dead runner has left.
/// Does nothing if the supervisor has cleaned up.
void hw_clean_up_after_supervisor(struct hw_shared *shared);

/// Passes signals on to the supervisor until it ends, and ends this process, the viewer, in the same way.
void hw_serve(struct hw_shared *shared) __attribute__((noreturn));

/// What is said about the death of a run, for people.
const char *hw_death_words(const struct hw_death *death);

/// Marks the runner as handling signals from now on. Must be called on the thread of the run.
void hw_begin(struct hw_shared *shared);

/// Marks a turn of the run loop, which shows the supervisor that the runner responds.
void hw_take_turn(struct hw_shared *shared);

/// What the supervisor of a worker writes to standard error, as a line, once nothing of the run is left on its machine.
const char *hw_nothing_left(void);

/// Lets the supervisor kill the runner if this is not called again within a time. Can be called from any thread.
void hw_set_lease(struct hw_shared *shared, long long milliseconds);

/// The number of forwarded signals that ask for the end of the run.
int hw_end_requests(const struct hw_shared *shared);

/// Replaces the standard streams of the runner, so that neither a terminal nor a pipe of the viewer waits for it: input and output by
/// /dev/null, and errors by a file that the supervisor uses as well, -1 for /dev/null.
void hw_leave_streams(struct hw_shared *shared, int errors);

/// Makes this process die with the supervisor, for when nothing of the run is left.
void hw_die_with_supervisor(const struct hw_shared *shared);

/// Stops this process until it is continued; as Ctrl-Z does it if that comes from the terminal, which has no effect where no
/// shell could continue the process. SIGTSTP and SIGCONT must be blocked; if SIGCONT is pending already, returns at once.
void hw_stop_self(bool is_from_terminal);

/// Ends this process by a signal, without a core dump.
void hw_die_by_signal(int signal_number) __attribute__((noreturn));

// MARK: terminal.c

/// Notes the terminal's settings at the start, if standard input is a terminal.
void hw_note_terminal(struct hw_terminal *terminal);

/// Notes that the viewer is about to change the terminal's settings, unless it is in the background, where it changes none.
void hw_terminal_will_change(struct hw_terminal *terminal);

/// Notes the settings that the viewer has chosen, so that they are only replaced as long as no other program has changed
/// them.
void hw_terminal_did_change(struct hw_terminal *terminal);

/// Notes that the viewer has restored the terminal.
void hw_terminal_is_restored(struct hw_terminal *terminal);

/// Restores the settings of a terminal that the viewer has changed, and clears what was drawn; leaves what another program
/// uses, such as a shell that shows its prompt.
void hw_restore_terminal(const struct hw_terminal *terminal);

/// Waits briefly until a write of a line will not block; writing to a pipe that nobody reads would never return.
bool hw_accepts_output(int descriptor);

// MARK: wait.c

/// A signal that was received.
struct hw_received_signal {
  int number;
  /// As in `hw_request`.
  bool is_from_terminal;
  /// The process that sent it.
  pid_t sender;
};

/// Opens a descriptor that is readable while SIGCHLD or one of the run's signals is pending; in the viewer also for those that stop
/// and continue it.
int hw_signals_open(const struct hw_shared *shared);

/// Takes pending signals without waiting. Returns the number stored.
size_t hw_signals_take(int signals, struct hw_received_signal *found, size_t capacity);

/// Creates a pipe that is closed at execve and whose read end does not block. Returns 0 or an errno.
int hw_pipe(int *read_end, int *write_end);

/// Forks for a run that is repeated. The parent must call `hw_wait_for_run` next, as signals are blocked until then.
///
/// A signal that asks for the end meanwhile reaches the child, or is in the state that `hw_wait_for_run` returns, or both. If the
/// parent dies, the child receives SIGTERM. Must be called before any thread is started. Returns as fork does.
pid_t hw_fork_run(void);

/// Waits for the end of a run, and passes signals on to it.
///
/// Returns the signal that has ended it; otherwise the first one that has asked this process for the end since the fork, even if the
/// run has succeeded; or 0, and then another run may begin.
int hw_wait_for_run(pid_t run);

// MARK: ready.c

/// Whether a port of this machine accepts connections, over IPv4 or IPv6.
bool hw_port_accepts(int port);

/// Opens a socket that receives messages as sd_notify sends them.
///
/// Writes its path, which only this user can reach. Returns its descriptor, or -1 and sets errno.
int hw_notify_open(char *path, size_t size);

/// Takes the messages that have come; returns whether one of them says READY=1.
bool hw_notify_is_ready(int descriptor);

/// Closes the socket and removes it.
void hw_notify_close(int descriptor, const char *path);
