// The terminal that a viewer leaves when it dies.
#include "CSpawn.h"

#include <poll.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/// How long the supervisor waits for a terminal that accepts no output.
enum { terminal_milliseconds = 500 };

void hw_note_terminal(struct hw_terminal *terminal) {
  terminal->has_initial = tcgetattr(STDIN_FILENO, &terminal->initial) == 0;
  terminal->session = getsid(0);
  terminal->group = getpgrp();
}

/// Sets the state of the terminal.
static void set_state(struct hw_terminal *terminal, enum hw_terminal_state state) {
  __atomic_store_n(&terminal->state, state, __ATOMIC_RELEASE);
}

void hw_terminal_will_change(struct hw_terminal *terminal) {
  if (tcgetpgrp(STDIN_FILENO) == getpgrp()) set_state(terminal, hw_terminal_changing);
}

void hw_terminal_did_change(struct hw_terminal *terminal) {
  if (terminal->state != hw_terminal_changing) return;
  terminal->has_changed = tcgetattr(STDIN_FILENO, &terminal->changed) == 0;
  set_state(terminal, hw_terminal_changed);
}

void hw_terminal_is_restored(struct hw_terminal *terminal) { set_state(terminal, hw_terminal_unchanged); }

bool hw_accepts_output(int descriptor) {
  struct pollfd output = {.fd = descriptor, .events = POLLOUT};
  return poll(&output, 1, terminal_milliseconds) > 0 && (output.revents & POLLOUT);
}

/// The descriptor of the terminal: a run is shown on standard error, `headway watch` on standard output.
static int screen(void) { return isatty(STDERR_FILENO) ? STDERR_FILENO : STDOUT_FILENO; }

/// Writes an escape sequence to the terminal. Returns whether that was possible.
static bool write_sequence(const char *sequence) {
  return write(screen(), sequence, strlen(sequence)) >= 0;
}

/// Whether another program has changed the terminal's settings since the viewer did, such as a shell that edits lines.
static bool has_other_settings(const struct hw_terminal *terminal) {
  const struct termios *changed = &terminal->changed;
  struct termios found;
  if (terminal->state != hw_terminal_changed || !terminal->has_changed) return false;
  if (tcgetattr(STDIN_FILENO, &found)) return false;
  return found.c_iflag != changed->c_iflag || found.c_oflag != changed->c_oflag || found.c_cflag != changed->c_cflag
    || found.c_lflag != changed->c_lflag || memcmp(found.c_cc, changed->c_cc, sizeof found.c_cc);
}

/// Whether another job is in the foreground, such as a shell that changes no settings for its prompt.
static bool is_in_background(const struct hw_terminal *terminal) {
  // The supervisor is in another session, and cannot ask the terminal itself.
  pid_t foreground = hw_foreground_group(terminal->session);
  return foreground > 0 && foreground != terminal->group;
}

void hw_restore_terminal(const struct hw_terminal *terminal) {
  if (terminal->state == hw_terminal_unchanged || !terminal->has_initial) return;
  bool has_own_settings = !has_other_settings(terminal);
  if (has_own_settings) tcsetattr(STDIN_FILENO, TCSANOW, &terminal->initial);
  if (!hw_accepts_output(screen())) return;
  // Ends a synchronized update, turns line wrapping and the cursor on, resets the text style.
  if (!write_sequence("\033[?2026l\033[?7h\033[?25h\033[0m")) return;
  // Clears the live region, unless a prompt is there.
  bool may_clear = has_own_settings && !is_in_background(terminal);
  if (may_clear && !write_sequence("\r\033[J")) return;
  // Some terminals show this sequence as a notification, so it is sent only if the viewer has used it.
  if (terminal->shows_taskbar) write_sequence("\033]9;4;0\033\\");
}
