// Which signals ask again for the end of a run.
#include "CSpawn.h"

#include <signal.h>

/// Within this time signals of the same number are one request.
enum { same_request_milliseconds = 20 };

bool hw_is_new_request(const struct hw_request *previous, const struct hw_request *next) {
  if (next->is_key || next->number != previous->number) return true;
  if (next->number == SIGHUP) return false;
  return next->milliseconds - previous->milliseconds >= same_request_milliseconds;
}
