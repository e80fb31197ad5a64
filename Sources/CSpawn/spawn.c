// A child that shares our memory until it becomes the program: the parent waits for that, so neither the size of the
// parent nor its page tables cost anything, and an error of execve is a plain variable. It has a stack of its own, as
// the C library's posix_spawn gives it, because a child on our stack would be at the mercy of the compiler.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// Has the kernel close the descriptors when the program begins, as linux/close_range.h has it.
enum { close_range_cloexec = 4 };

/// What parent and child share.
struct child {
  /// What is to be started.
  const struct hw_spawn_request *request;
  /// Room for the arguments with a shell in front, should the program turn out to be a script.
  char **script;
  /// The process that waits.
  pid_t parent;
  /// The step that the child is at.
  enum hw_stage stage;
  /// Why it could not go on, 0 while it could.
  int error;
};

/// Becomes `path`; a file without an interpreter line is given to the shell, as a shell would do.
static int become(const char *path, const struct child *child) {
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

/// Becomes the program, looking its name up as a shell would.
static int become_found(const struct child *child) {
  const struct hw_spawn_request *request = child->request;
  const char *name = request->argv[0];
  if (strchr(name, '/')) return become(name, child);
  size_t length = strlen(name);
  int error = ENOENT;
  const char *folder = request->search_path;
  while (folder) {
    const char *end = strchrnul(folder, ':');
    size_t size = (size_t)(end - folder);
    char path[PATH_MAX];
    if (length > 0 && size + 1 + length < sizeof path) {
      // An empty folder means the current one.
      memcpy(path, folder, size);
      if (size > 0) path[size++] = '/';
      memcpy(path + size, name, length + 1);
      int found = become(path, child);
      // As a shell does: a file that may not be run is remembered, what is not there is passed over.
      if (found == EACCES) error = EACCES;
      else if (found != ENOENT && found != ENOTDIR) return found;
    }
    folder = *end ? end + 1 : NULL;
  }
  return error;
}

/// Makes the child's surroundings those of a task. Only system calls: the memory is the parent's.
static int prepare(struct child *child) {
  const struct hw_spawn_request *request = child->request;
  child->stage = HW_STAGE_FORK;
  // A session of its own is a process group of its own, without a terminal: what would ask the person for a password
  // fails at once in place of hanging, and nothing draws over the live region.
  if (setsid() < 0) return errno;
  // The second net under the keeper; the parent may have died before it was stretched.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return errno;
  if (getppid() != child->parent) return ESRCH;
  if (dup2(request->input, 0) < 0 || dup2(request->output, 1) < 0 || dup2(1, 2) < 0) return errno;
  // Whatever we inherited or opened stays with us. Before Linux 5.11 ours are closed by their
  // flag, and what was inherited reaches the task as it would reach a child of any shell.
  syscall(SYS_close_range, 3, ~0U, close_range_cloexec);
  child->stage = HW_STAGE_DIRECTORY;
  if (request->directory && chdir(request->directory)) return errno;
  child->stage = HW_STAGE_EXEC;
  // Ignored signals stay ignored over execve; ours must not reach the task.
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  return 0;
}

#if __has_feature(thread_sanitizer)
/// Makes the child as a copy, because ThreadSanitizer does not bear one that shares our memory; it tells an error
/// through a pipe that its program closes.
static pid_t make(struct child *child) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  pid_t made = fork();
  if (made == 0) {
    child->error = prepare(child);
    if (child->error == 0) child->error = become_found(child);
    if (write(ends[1], child, sizeof *child) < 0) _exit(126);
    _exit(127);
  }
  close(ends[1]);
  if (made > 0 && read(ends[0], child, sizeof *child) < 0) child->error = errno;
  close(ends[0]);
  return made;
}
#else
/// The stack of the child: room for a path and for what the C library needs.
enum { child_stack_size = 64 * 1024 };

/// The child's life, until it is the program or cannot be.
static int live(void *argument) {
  struct child *child = argument;
  child->error = prepare(child);
  if (child->error == 0) child->error = become_found(child);
  _exit(127);
}

/// Makes the child on a stack of its own, and waits until it has left it.
static pid_t make(struct child *child) {
  // One for all: a single thread starts everything.
  static char stack[child_stack_size] __attribute__((aligned(16)));
  return clone(live, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, child);
}
#endif

int hw_spawn(const struct hw_spawn_request *request, pid_t *pid, enum hw_stage *stage) {
  size_t count = 0;
  while (request->argv[count]) count++;
  char *script[count + 2];
  struct child child = {request, script, getpid(), HW_STAGE_FORK, 0};
  sigset_t all, before;
  // No handler may run in the child while it shares our memory.
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t made = make(&child);
  if (made < 0) child.error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  *stage = child.stage;
  if (child.error == 0) {
    *pid = made;
    return 0;
  }
  // The child ended before it became anything: nobody else may see it.
  if (made > 0)
    while (waitpid(made, NULL, 0) < 0 && errno == EINTR) continue;
  return child.error;
}
