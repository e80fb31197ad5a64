#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "linked.hpp"
#include "probe.h"

// The linked wheel as threads share it: behind a mutex, with delays in milliseconds from the time of a clock.
class Shared {
 public:
  // Schedules a timer.
  Linked::Token arm(std::uint64_t delay) {
    std::uint64_t deadline = now() + delay + 1;
    std::lock_guard<std::mutex> lock(mutex_);
    return wheel_.arm(deadline, 0);
  }

  // Cancels a scheduled timer.
  void cancel(Linked::Token token) {
    std::lock_guard<std::mutex> lock(mutex_);
    wheel_.cancel(token);
  }

 private:
  // The clock of TimerService.
  static std::uint64_t now() { return probe_read(CLOCK_BOOTTIME) / 1000000; }

  std::mutex mutex_;
  Linked wheel_;
};

// Cancels each of many timers with the same delay, from the oldest on, and schedules it again; measures the second
// round: nanoseconds for both. timer-wheel has the same with our service, in Services.swift; change both together.
inline void measure_shared(std::uint32_t count) {
  const std::uint64_t delay = 30000;
  // The locks of the C library cost less while there is one thread, but a service has two.
  std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  static Shared timers;
  std::vector<Linked::Token> tokens(count);
  for (auto &token : tokens) token = timers.arm(delay);
  std::uint64_t start = 0;
  for (int round = 0; round < 2; round++) {
    start = probe_cpu();
    for (auto &token : tokens) {
      timers.cancel(token);
      token = timers.arm(delay);
    }
  }
  std::printf("%f\n", static_cast<double>(probe_cpu() - start) / count);
  std::fflush(stdout);
  // Without waiting for the other thread.
  _exit(0);
}
