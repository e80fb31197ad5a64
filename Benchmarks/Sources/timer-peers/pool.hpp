#pragma once

#include <cstddef>
#include <memory>
#include <vector>

// Timers of one kind at fixed addresses; the last freed one is reused first. The timer has a pointer `next`.
template <class Timer>
class Pool {
 public:
  // Returns a timer, in the state in which it was freed.
  Timer *take() {
    if (free_ == nullptr) grow();
    Timer *timer = free_;
    free_ = static_cast<Timer *>(timer->next);
    return timer;
  }

  // Frees a timer.
  void give(Timer *timer) {
    timer->next = free_;
    free_ = timer;
  }

 private:
  // Allocates another block of timers.
  void grow() {
    const std::size_t size = 4096;
    blocks_.emplace_back(new Timer[size]());
    for (std::size_t place = size; place-- > 0;) give(&blocks_.back()[place]);
  }

  std::vector<std::unique_ptr<Timer[]>> blocks_;
  Timer *free_ = nullptr;
};
