// Runs a function on two threads at the same time.
#pragma once

// First, because it asks glibc for more than the standard.
#include "probe.h"

// Calls a function with 0 on one thread and with 1 on another, each on a processor of its own if there are two, once
// both are ready. Returns the nanoseconds from the first start to the last end.
uint64_t probe_pair(void (*body)(void *context, int32_t thread), void *context);
