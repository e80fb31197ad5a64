// Starts a program in a child that shares the parent's memory until execve. The parent waits for that, so its page
// tables are not copied, and an error of execve comes back in a variable. Like a child of posix_spawn, it runs on a
// stack of its own, because the compiler may reuse the parent's stack frame.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Closes the descriptors at execve; the value of CLOSE_RANGE_CLOEXEC in linux/close_range.h.
enum { close_range_cloexec = 4 };

/// The memory that parent and child share.
struct child {
  const struct hw_spawn_request *request;
  /// Space for the arguments after those of a shell, in case the program is a script without an interpreter line.
  char **script;
  pid_t parent;
  /// The step that the child has reached.
  enum hw_stage stage;
  /// The errno of the failed step, 0 if none has failed.
  int error;
};

/// Executes `path`, with the shell if it has no interpreter line. Returns an errno.
static int execute(const char *path, const struct child *child) {
  const struct hw_spawn_request *request = child->request;
  execve(path, request->argv, request->envp);
  if (errno != ENOEXEC) return errno;
  child->script[0] = "sh";
  child->script[1] = (char *)path;
  size_t i = 0;
  do child->script[i + 2] = request->argv[i + 1];
  while (request->argv[++i]);
  execve("/bin/sh", child->script, request->envp);
  return errno;
}

/// Executes the program, looked up in the search path as a shell does. Returns an errno.
static int execute_found(const struct child *child) {
  const struct hw_spawn_request *request = child->request;
  const char *name = request->argv[0];
  if (strchr(name, '/')) return execute(name, child);
  size_t length = strlen(name);
  int error = ENOENT;
  const char *folder = request->search_path;
  while (folder) {
    const char *end = strchrnul(folder, ':');
    size_t size = (size_t)(end - folder);
    char path[PATH_MAX];
    if (length > 0 && size + 1 + length < sizeof path) {
      // An empty entry is the current directory.
      memcpy(path, folder, size);
      if (size > 0) path[size++] = '/';
      memcpy(path + size, name, length + 1);
      int found = execute(path, child);
      // As a shell does: remembers a file that must not be executed, and ignores one that does not exist.
      if (found == EACCES) error = EACCES;
      else if (found != ENOENT && found != ENOTDIR) return found;
    }
    folder = *end ? end + 1 : NULL;
  }
  return error;
}

/// Discards the pending signals, which were sent to the process group of the parent: Ctrl-C or a terminal that is closed must
/// not end a task that has just been started to clean up. Must be called in the new group, after `hw_block_signals`.
static void discard_signals_of_old_group(void) {
  sigset_t pending;
  if (sigpending(&pending)) return;
  for (int number = 1; number < SIGRTMIN; number++) {
    if (sigismember(&pending, number) != 1) continue;
    // Ignoring a signal discards it.
    if (signal(number, SIG_IGN) != SIG_IGN) signal(number, SIG_DFL);
  }
}

/// Sets up session, descriptors, directory and signals. Makes system calls only, because the memory is the parent's.
static int prepare(struct child *child) {
  const struct hw_spawn_request *request = child->request;
  child->stage = HW_STAGE_FORK;
  // A new session has a process group of its own and no terminal: a program that asks for a password fails instead of
  // hanging, and none can draw over the live region.
  if (setsid() < 0) return errno;
  discard_signals_of_old_group();
  // In addition to the supervisor's clean-up. The parent may have died before this call.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return errno;
  if (getppid() != child->parent) return ESRCH;
  if (dup2(request->input, 0) < 0 || dup2(request->output, 1) < 0 || dup2(1, 2) < 0) return errno;
  // `dup2` would leave O_CLOEXEC set.
  if (request->extra == 3 && fcntl(3, F_SETFD, 0)) return errno;
  if (request->extra > 3 && dup2(request->extra, 3) < 0) return errno;
  // No other descriptor reaches the task. Before Linux 5.11, which lacks this flag, our own are closed by O_CLOEXEC,
  // and the task inherits those that we have inherited.
  syscall(SYS_close_range, request->extra < 0 ? 3 : 4, ~0U, close_range_cloexec);
  child->stage = HW_STAGE_DIRECTORY;
  if (request->directory && chdir(request->directory)) return errno;
  child->stage = HW_STAGE_EXEC;
  // Ignored and blocked signals survive execve.
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  return 0;
}

#if __has_feature(thread_sanitizer)
/// Creates the child as a copy, because ThreadSanitizer does not support one that shares memory. Errors come through
/// a pipe that execve closes.
static pid_t create(struct child *child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  pid_t pid = fork();
  if (pid == 0) {
    child->error = prepare(child);
    if (child->error == 0) child->error = execute_found(child);
    if (write(ends[1], child, sizeof *child) < 0) _exit(126);
    _exit(127);
  }
  close(ends[1]);
  if (pid > 0 && read(ends[0], child, sizeof *child) < 0) child->error = errno;
  close(ends[0]);
  return pid;
}
#else
/// The child's stack: space for a path and for the C library.
enum { child_stack_size = 64 * 1024 };

static int run_child(void *argument) {
  struct child *child = argument;
  child->error = prepare(child);
  if (child->error == 0) child->error = execute_found(child);
  _exit(127);
}

/// Creates the child on a stack of its own, and waits for execve or exit.
static pid_t create(struct child *child) {
  // Most often one thread starts all processes, so they share the stack; others wait for their turn.
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static char stack[child_stack_size] __attribute__((aligned(16)));
  pthread_mutex_lock(&lock);
  pid_t pid = clone(run_child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, child);
  pthread_mutex_unlock(&lock);
  return pid;
}
#endif

void hw_block_signals(void) {
  static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT};
  sigset_t blocked;
  sigfillset(&blocked);
  // A crash still runs the handler that prints its backtrace.
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

int hw_spawn(const struct hw_spawn_request *request, pid_t *pid, enum hw_stage *stage) {
  // The runner keeps its process number for good, and getpid is a system call.
  static pid_t own;
  if (own == 0) own = getpid();
  size_t count = 0;
  while (request->argv[count]) count++;
  char *script[count + 2];
  struct child child = {request, script, own, HW_STAGE_FORK, 0};
  pid_t created = create(&child);
  if (created < 0) child.error = errno;
  *stage = child.stage;
  if (child.error == 0) {
    *pid = created;
    return 0;
  }
  // The child ended before execve; nobody else has to know of it.
  if (created > 0)
    while (waitpid(created, NULL, 0) < 0 && errno == EINTR) continue;
  return child.error;
}
