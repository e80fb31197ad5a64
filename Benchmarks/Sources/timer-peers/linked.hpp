#pragma once

#include <cstdint>

#include "pool.hpp"

// A hierarchical timing wheel as it is usually implemented, after Varghese and Lauck, scheme 7: 11 levels of 64 slots,
// each a doubly linked list of timers, and a bitmap per level. A timer is on the level of the highest digit in which
// its deadline differs from now, so it moves down at most once per level.
class Linked {
 private:
  struct Links {
    Links *next, *previous;
  };

 public:
  struct Timer : Links {
    std::uint64_t deadline, payload;
  };
  using Token = Timer *;
  static constexpr bool polls = false;

  Linked() {
    for (auto &level : slots_)
      for (Links &slot : level) slot = {&slot, &slot};
  }

  template <class Body>
  void within(Body body) { body(); }

  Token arm(std::uint64_t deadline, std::uint64_t payload) {
    Timer *timer = pool_.take();
    timer->deadline = deadline;
    timer->payload = payload;
    file(timer);
    return timer;
  }

  void cancel(Token timer) {
    Links *next = timer->next, *previous = timer->previous;
    next->previous = previous;
    previous->next = next;
    // Both neighbours are the same only if the timer was alone, and then they are the slot.
    if (next == previous) {
      auto place = next - &slots_[0][0];
      occupied_[place / 64] &= ~(std::uint64_t{1} << place % 64);
    }
    pool_.give(timer);
  }

  template <class Expire>
  void advance(std::uint64_t now, Expire expire) {
    int level;
    std::uint64_t time;
    while (find(level, time) && time <= now) {
      now_ = time;
      std::uint64_t digit = time >> 6 * level & 63;
      Links list = slots_[level][digit];
      // The list gets its own head, because expiring may schedule timers.
      list.next->previous = list.previous->next = &list;
      slots_[level][digit] = {&slots_[level][digit], &slots_[level][digit]};
      occupied_[level] &= ~(std::uint64_t{1} << digit);
      while (list.next != &list) {
        Timer *timer = static_cast<Timer *>(list.next);
        list.next = timer->next;
        list.next->previous = &list;
        if (level > 0) {
          file(timer);
        } else {
          std::uint64_t payload = timer->payload;
          pool_.give(timer);
          expire(payload);
        }
      }
    }
    now_ = now;
  }

  // The start of the first slot that is not empty, which is never after the earliest deadline.
  std::uint64_t next() const {
    int level;
    std::uint64_t time = 0;
    find(level, time);
    return time;
  }

 private:
  // Inserts a timer by its deadline, which is not before now.
  void file(Timer *timer) {
    std::uint64_t difference = timer->deadline ^ now_;
    int level = difference == 0 ? 0 : (63 - __builtin_clzll(difference)) / 6;
    std::uint64_t digit = timer->deadline >> 6 * level & 63;
    Links *slot = &slots_[level][digit];
    timer->next = slot;
    timer->previous = slot->previous;
    slot->previous->next = timer;
    slot->previous = timer;
    occupied_[level] |= std::uint64_t{1} << digit;
  }

  // Finds the first slot that is not empty: it is on the lowest such level.
  bool find(int &level, std::uint64_t &time) const {
    for (level = 0; level < 11; level++) {
      if (occupied_[level] == 0) continue;
      std::uint64_t digit = static_cast<std::uint64_t>(__builtin_ctzll(occupied_[level]));
      int above = 6 * (level + 1);
      time = (above < 64 ? now_ >> above << above : 0) | digit << 6 * level;
      return true;
    }
    return false;
  }

  std::uint64_t now_ = 0;
  std::uint64_t occupied_[11] = {};
  Links slots_[11][64];
  Pool<Timer> pool_;
};
