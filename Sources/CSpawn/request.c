// Which signals ask again for the end of a run.
#include "CSpawn.h"

#include <signal.h>

/// Within this time signals of the same number are one request.
enum { same_request_milliseconds = 20 };

bool hw_is_new_request(const struct hw_request *previous, const struct hw_request *next) {
  if (next->number != previous->number) return true;
  if (next->number == SIGHUP && (next->is_from_terminal || previous->is_from_terminal)) return false;
  if (next->is_from_terminal) return true;
  return next->milliseconds - previous->milliseconds >= same_request_milliseconds;
}
