// A child made with vfork: the parent waits until the child has become the program, so neither the size of the
// parent nor its page tables cost anything, and an error of execve is a plain variable.
#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// Becomes `path`; a file without an interpreter line is given to the shell, as a shell would do.
static int become(const char *path, const struct hw_spawn_request *request) {
  execve(path, request->argv, request->envp);
  if (errno != ENOEXEC) return errno;
  size_t count = 0;
  while (request->argv[count]) count++;
  char *script[count + 2];
  script[0] = "sh";
  script[1] = (char *)path;
  for (size_t i = 1; i <= count; i++) script[i + 1] = request->argv[i];
  execve("/bin/sh", script, request->envp);
  return errno;
}

/// Becomes the program, looking its name up as a shell would.
static int become_found(const struct hw_spawn_request *request) {
  const char *name = request->argv[0];
  if (strchr(name, '/')) return become(name, request);
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
      int found = become(path, request);
      // As a shell does: a file that may not be run is remembered, what is not there is passed over.
      if (found == EACCES) error = EACCES;
      else if (found != ENOENT && found != ENOTDIR) return found;
    }
    folder = *end ? end + 1 : NULL;
  }
  return error;
}

/// The child's part, on the parent's memory: only system calls, nothing that the parent would miss.
static int prepare_and_become(
  const struct hw_spawn_request *request, pid_t parent, volatile enum hw_stage *stage
) {
  *stage = HW_STAGE_FORK;
  // A session of its own is a process group of its own, without a terminal: what would ask the person for a password
  // fails at once in place of hanging, and nothing draws over the live region.
  if (setsid() < 0) return errno;
  // The second net under the keeper; the parent may have died before it was stretched.
  if (prctl(PR_SET_PDEATHSIG, SIGKILL)) return errno;
  if (getppid() != parent) return ESRCH;
  if (dup2(request->input, 0) < 0 || dup2(request->output, 1) < 0 || dup2(1, 2) < 0) return errno;
  // Whatever we inherited or opened stays with us. Without close_range (Linux < 5.9) ours are closed by their
  // flag, and what was inherited reaches the task as it would reach a child of any shell.
  syscall(SYS_close_range, 3, ~0U, 0);
  *stage = HW_STAGE_DIRECTORY;
  if (request->directory && chdir(request->directory)) return errno;
  *stage = HW_STAGE_EXEC;
  // Ignored signals stay ignored over execve; ours must not reach the task.
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  return become_found(request);
}

int hw_spawn(const struct hw_spawn_request *request, pid_t *pid, enum hw_stage *stage) {
  sigset_t all, before;
  volatile int error = 0;
  volatile enum hw_stage reached = HW_STAGE_FORK;
  pid_t parent = getpid();
  // No handler may run in the child while it stands on our stack.
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = vfork();
  if (child == 0) {
    error = prepare_and_become(request, parent, &reached);
    _exit(127);
  }
  if (child < 0) error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  *stage = reached;
  if (error == 0) {
    *pid = child;
    return 0;
  }
  // The child ended before it became anything: nobody else may see it.
  if (child > 0)
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return error;
}
