// Counts what a process asks of malloc.
#pragma once

#include <stdint.h>

// The calls of malloc, calloc, realloc and their relatives since the start.
uint64_t malloc_count(void);
