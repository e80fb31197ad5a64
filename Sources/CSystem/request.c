// Which signals ask again for the end of a run.
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "headway_system.h"

#include <signal.h>

/// Within this time signals that programs send are one request.
enum { same_request_milliseconds = 20 };

/// Within this time a program passes on the signal of a key that has sent it to all processes in the foreground.
enum { passed_on_milliseconds = 1000 };

/// Whether a signal is one of those that a service manager or a shell sends together, in any order.
static bool is_of_session_end(int number) { return number == SIGTERM || number == SIGHUP; }

bool hw_add_request(struct hw_request *latest, const struct hw_request *next) {
  long long elapsed = next->milliseconds - latest->milliseconds;
  bool is_same = next->number == latest->number;
  bool is_repeated = false;
  if (is_same && next->number == SIGHUP && (next->is_from_terminal || latest->is_from_terminal))
    is_repeated = true;
  else if (is_same && !next->is_from_terminal)
    is_repeated = elapsed < (latest->is_from_terminal ? passed_on_milliseconds : same_request_milliseconds);
  else if (is_of_session_end(next->number) && is_of_session_end(latest->number))
    // The terminal may be closed long after the signal of the service manager.
    is_repeated = next->number == SIGHUP || elapsed < same_request_milliseconds;
  if (!is_repeated)
    *latest = *next;
  else if (is_same)
    latest->is_from_terminal |= next->is_from_terminal;
  return !is_repeated;
}
