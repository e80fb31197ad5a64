// The terminal that a runner leaves when it dies.
#include "CSpawn.h"

#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/// How long the supervisor waits for a terminal that accepts no output.
enum { terminal_milliseconds = 500 };

void hw_note_terminal(struct hw_shared *shared) {
  shared->has_terminal = tcgetattr(STDIN_FILENO, &shared->initial_terminal) == 0;
}

void hw_set_terminal_changed(struct hw_shared *shared, bool is_changed) {
  is_changed = is_changed && tcgetpgrp(STDIN_FILENO) == getpgrp();
  if (is_changed && tcgetattr(STDIN_FILENO, &shared->run_terminal) == 0) shared->has_run_terminal = 1;
  __atomic_store_n(&shared->is_terminal_changed, is_changed, __ATOMIC_RELEASE);
}

bool hw_accepts_output(int descriptor) {
  struct pollfd output = {.fd = descriptor, .events = POLLOUT};
  return poll(&output, 1, terminal_milliseconds) > 0 && (output.revents & POLLOUT);
}

/// Writes an escape sequence to the terminal. Returns whether that was possible.
static bool write_sequence(const char *sequence) {
  return write(STDOUT_FILENO, sequence, strlen(sequence)) >= 0;
}

/// Whether another program has changed the terminal's settings since the run did, such as a shell that shows its prompt.
static bool is_used_by_others(const struct hw_shared *shared) {
  const struct termios *run = &shared->run_terminal;
  struct termios found;
  if (!shared->has_run_terminal || tcgetattr(STDIN_FILENO, &found)) return false;
  return found.c_iflag != run->c_iflag || found.c_oflag != run->c_oflag || found.c_cflag != run->c_cflag
    || found.c_lflag != run->c_lflag || memcmp(found.c_cc, run->c_cc, sizeof found.c_cc);
}

void hw_restore_terminal(const struct hw_shared *shared) {
  if (!shared->is_terminal_changed || !shared->has_terminal) return;
  bool is_ours = !is_used_by_others(shared);
  if (is_ours) tcsetattr(STDIN_FILENO, TCSANOW, &shared->initial_terminal);
  if (!hw_accepts_output(STDOUT_FILENO)) return;
  // Ends a synchronized update, turns line wrapping and the cursor on, resets the text style.
  if (!write_sequence("\033[?2026l\033[?7h\033[?25h\033[0m")) return;
  // Clears the live region, unless a prompt is there.
  if (is_ours && !write_sequence("\r\033[J")) return;
  // Some terminals show this sequence as a notification, so it is sent only if the run has used it.
  if (shared->shows_taskbar) write_sequence("\033]9;4;0\033\\");
}
