// Counts the calls of malloc in a process.
#pragma once

#include <stdint.h>

// The number of calls of malloc, calloc, realloc and their relatives since the start.
uint64_t malloc_count(void);
