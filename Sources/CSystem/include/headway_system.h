// Threads and processors of the system, in C because Swift cannot express them on every platform.
#pragma once

/// Starts a detached thread.
///
/// The thread, and the processes that it starts, inherit the caller's signal mask; with `blocks_signals` all signals are
/// blocked in the thread. The name is cut after 15 bytes. Returns 0 or the error number of pthread_create.
int hw_thread_start(const char *name, int blocks_signals, void (*body)(void *), void *context);

/// A small number that differs between threads that live at the same time, as long as they are few.
unsigned hw_thread_number(void);

/// The number of processors that are online.
unsigned hw_processor_count(void);
