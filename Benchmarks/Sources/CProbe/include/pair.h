// Runs something on two threads at once.
#pragma once

// First, because it asks glibc for more than the standard.
#include "probe.h"

// Calls a body with 0 on one thread and with 1 on another, each on a processor of its own where there are two, once
// both are ready. Answers the nanoseconds from the first beginning to the last end.
uint64_t probe_pair(void (*body)(void *context, int32_t thread), void *context);
