#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "probe.h"

// The cases with one peer. timer-wheel has the same with our wheel; change both together.
template <class Peer>
class Trial {
 public:
  explicit Trial(std::uint32_t count) : count_(count), tokens_(count) {}

  // Schedules all timers and cancels them in another random order; measures the second round: nanoseconds per timer.
  void arm_cancel() {
    std::vector<std::uint32_t> order(count_);
    for (std::uint32_t place = 0; place < count_; place++) {
      order[place] = place;
      std::swap(order[place], order[probe_below(random(), place + 1)]);
    }
    std::uint64_t start = 0;
    for (int round = 0; round < 2; round++) {
      start = probe_cpu();
      fill();
      peer_.within([&] {
        for (std::uint32_t timer : order) peer_.cancel(tokens_[timer]);
      });
    }
    std::printf("%f\n", per(probe_cpu() - start, count_));
  }

  // Cancels a random timer and schedules it again, while so little time passes that one in 200 expires; two changes per
  // timer, after one per timer for warm-up: nanoseconds for both, bytes per timer.
  void churn() {
    std::uint64_t before = probe_bytes();
    fill();
    change(count_);
    std::uint64_t start = probe_cpu();
    change(2 * static_cast<std::uint64_t>(count_));
    std::uint64_t taken = probe_cpu() - start;
    std::printf("%f %f %f\n", per(taken, 2.0 * count_), per(probe_bytes() - before, count_), expired_ / (3.0 * count_));
  }

  // Cancels the oldest of all timers, which have the same delay, and schedules it again: nanoseconds for both.
  void fifo() {
    peer_.within([&] {
      for (std::uint32_t timer = 0; timer < count_; timer++) tokens_[timer] = peer_.arm(probe_span, timer);
    });
    turn();
    std::uint64_t start = probe_cpu();
    turn();
    std::printf("%f\n", per(probe_cpu() - start, count_));
  }

  // Expires all timers tick by tick: nanoseconds per timer, and the bytes of a scheduled one.
  void expire() {
    std::uint64_t idle = polls(), before = probe_bytes();
    fill();
    std::uint64_t bytes = probe_bytes() - before, start = probe_cpu();
    for (std::uint64_t tick = 0; tick < probe_span; tick++) peer_.advance(++now_, [&](std::uint64_t timer) { take(timer); });
    std::uint64_t taken = probe_cpu() - start;
    check();
    std::printf("%f %f\n", per(taken > idle ? taken - idle : 0, count_), per(bytes, count_));
  }

  // Expires all timers in one step: nanoseconds per timer.
  void jump() {
    fill();
    std::uint64_t start = probe_cpu();
    peer_.advance(probe_span, [&](std::uint64_t timer) { take(timer); });
    std::uint64_t taken = probe_cpu() - start;
    check();
    std::printf("%f\n", per(taken, count_));
  }

  // Expires all timers tick by tick: milliseconds of the slowest tick, of this thread's processor time, so that other
  // programs do not count.
  void worst() {
    fill();
    std::uint64_t worst = 0;
    for (std::uint64_t tick = 0; tick < probe_span; tick++) {
      std::uint64_t start = probe_thread();
      peer_.advance(++now_, [&](std::uint64_t timer) { take(timer); });
      std::uint64_t taken = probe_thread() - start;
      if (taken > worst) worst = taken;
    }
    check();
    std::printf("%f\n", static_cast<double>(worst) / 1e6);
  }

  // Jumps over 30 days of milliseconds to the only timer, which is scheduled again each time: microseconds per jump.
  void month() {
    const std::uint64_t days = 30ull * 24 * 60 * 60 * 1000, jumps = 1000;
    std::uint64_t start = probe_cpu();
    for (std::uint64_t jump = 0; jump < jumps; jump++) {
      peer_.arm(now_ + days, 0);
      now_ += days;
      peer_.advance(now_, [&](std::uint64_t timer) { take(timer); });
    }
    std::uint64_t taken = probe_cpu() - start;
    if (expired_ != jumps) fail();
    std::printf("%f\n", per(taken, jumps) / 1e3);
  }

  // Advances from one next expiry to the next until a timer 2^40 ticks away is due: the number of advances.
  void far() {
    std::uint64_t turns = 0;
    peer_.arm(std::uint64_t{1} << 40, 0);
    while (expired_ == 0) {
      peer_.advance(peer_.next(), [&](std::uint64_t timer) { take(timer); });
      turns++;
    }
    std::printf("%llu\n", static_cast<unsigned long long>(turns));
  }

 private:
  std::uint64_t random() { return state_ = probe_next(state_); }

  // Schedules all timers at random deadlines.
  void fill() {
    peer_.within([&] {
      for (std::uint32_t timer = 0; timer < count_; timer++) tokens_[timer] = peer_.arm(probe_delay(random()), timer);
    });
  }

  // Cancels random timers and schedules them again, in ticks of count/300.
  void change(std::uint64_t times) {
    const std::uint64_t most = count_ / 300 + 1;
    while (times > 0) {
      std::uint64_t some = times < most ? times : most;
      peer_.within([&] {
        for (std::uint64_t change = 0; change < some; change++) {
          std::uint64_t timer = probe_below(random(), count_);
          peer_.cancel(tokens_[timer]);
          tokens_[timer] = peer_.arm(now_ + probe_delay(random()), timer);
        }
      });
      times -= some;
      now_++;
      peer_.advance(now_, [&](std::uint64_t timer) {
        tokens_[timer] = peer_.arm(now_ + probe_delay(random()), timer);
        expired_++;
      });
    }
  }

  // Cancels all timers from the oldest on and schedules each again, in ticks of count/300.
  void turn() {
    const std::uint32_t most = count_ / 300 + 1;
    for (std::uint32_t first = 0; first < count_; first += most) {
      std::uint32_t end = count_ - first < most ? count_ : first + most;
      peer_.within([&] {
        for (std::uint32_t timer = first; timer < end; timer++) {
          peer_.cancel(tokens_[timer]);
          tokens_[timer] = peer_.arm(now_ + probe_span, timer);
        }
      });
      peer_.advance(++now_, [&](std::uint64_t) { fail(); });
    }
  }

  // Receives an expired timer.
  void take(std::uint64_t timer) {
    expired_++;
    sum_ += timer;
  }

  // The processor time of as many iterations of an event loop as there are ticks, with one timer that stays: it does
  // not belong to timers and is subtracted.
  std::uint64_t polls() {
    if (!Peer::polls) return 0;
    auto timer = peer_.arm(2 * probe_span, 0);
    std::uint64_t start = probe_cpu();
    for (std::uint64_t tick = 0; tick < probe_span; tick++) peer_.advance(0, [&](std::uint64_t) { fail(); });
    peer_.cancel(timer);
    return probe_cpu() - start;
  }

  // Exits unless every timer has expired once.
  void check() {
    if (expired_ != count_ || sum_ != static_cast<std::uint64_t>(count_) * (count_ - 1) / 2) fail();
  }

  [[noreturn]] static void fail() {
    std::fputs("timer-peers: the wrong timers expired\n", stderr);
    std::exit(70);
  }

  static double per(std::uint64_t sum, double count) { return static_cast<double>(sum) / count; }

  Peer peer_;
  std::uint32_t count_;
  std::vector<typename Peer::Token> tokens_;
  std::uint64_t state_ = probe_seed, now_ = 0, expired_ = 0, sum_ = 0;
};
