#pragma once

#include <cstdint>

#include "pool.hpp"

// The time of the event loops, in milliseconds: see clock_gettime in main.cpp. A tick is a millisecond.
extern std::uint64_t virtual_time;

// The time of the event loops at tick 0.
constexpr std::uint64_t virtual_start = 1000000;

#if __has_include(<uv.h>)
#include <uv.h>
#define HAVE_UV 1

// The timers of libuv. It reads the clock once per iteration of its loop, and an iteration polls.
class LibUV {
 public:
  struct Timer {
    uv_timer_t handle;
    Timer *next;
    std::uint64_t payload;
    bool ready;
  };
  using Token = Timer *;
  static constexpr bool polls = true;

  LibUV() {
    virtual_time = virtual_start;
    uv_loop_init(&loop_);
    loop_.data = this;
  }

  template <class Body>
  void within(Body body) { body(); }

  Token arm(std::uint64_t deadline, std::uint64_t payload) {
    Timer *timer = pool_.take();
    if (!timer->ready) {
      uv_timer_init(&loop_, &timer->handle);
      timer->handle.data = timer;
      timer->ready = true;
    }
    timer->payload = payload;
    uv_timer_start(&timer->handle, expired, deadline + virtual_start - uv_now(&loop_), 0);
    return timer;
  }

  void cancel(Token timer) {
    uv_timer_stop(&timer->handle);
    pool_.give(timer);
  }

  template <class Expire>
  void advance(std::uint64_t now, Expire expire) {
    virtual_time = virtual_start + now;
    context_ = &expire;
    call_ = [](void *context, std::uint64_t payload) { (*static_cast<Expire *>(context))(payload); };
    uv_run(&loop_, UV_RUN_NOWAIT);
  }

 private:
  // Called by libuv when a timer is due.
  static void expired(uv_timer_t *handle) {
    LibUV *self = static_cast<LibUV *>(handle->loop->data);
    Timer *timer = static_cast<Timer *>(handle->data);
    self->pool_.give(timer);
    self->call_(self->context_, timer->payload);
  }

  uv_loop_t loop_;
  Pool<Timer> pool_;
  void *context_ = nullptr;
  void (*call_)(void *, std::uint64_t) = nullptr;
};
#endif

#if __has_include(<event2/event.h>)
#include <event2/event.h>
#include <event2/event_struct.h>
#define HAVE_EVENT 1

// The timers of libevent. It caches the time only during a callback, so timers are scheduled inside one.
class LibEvent {
 public:
  struct Timer {
    event handle;
    Timer *next;
    LibEvent *owner;
    std::uint64_t payload;
  };
  using Token = Timer *;
  static constexpr bool polls = true;

  LibEvent() {
    virtual_time = virtual_start;
    event_config *config = event_config_new();
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    base_ = event_base_new_with_config(config);
    event_config_free(config);
  }

  template <class Body>
  void within(Body body) {
    event_base_once(base_, -1, EV_TIMEOUT, [](int, short, void *body) { (*static_cast<Body *>(body))(); }, &body, nullptr);
    event_base_loop(base_, EVLOOP_NONBLOCK);
  }

  Token arm(std::uint64_t deadline, std::uint64_t payload) {
    Timer *timer = pool_.take();
    if (timer->owner == nullptr) {
      evtimer_assign(&timer->handle, base_, expired, timer);
      timer->owner = this;
    }
    timer->payload = payload;
    std::uint64_t delay = deadline + virtual_start - virtual_time;
    timeval time = {static_cast<time_t>(delay / 1000), static_cast<suseconds_t>(delay % 1000 * 1000)};
    evtimer_add(&timer->handle, &time);
    return timer;
  }

  void cancel(Token timer) {
    evtimer_del(&timer->handle);
    pool_.give(timer);
  }

  template <class Expire>
  void advance(std::uint64_t now, Expire expire) {
    virtual_time = virtual_start + now;
    context_ = &expire;
    call_ = [](void *context, std::uint64_t payload) { (*static_cast<Expire *>(context))(payload); };
    event_base_loop(base_, EVLOOP_NONBLOCK);
  }

 private:
  // Called by libevent when a timer is due.
  static void expired(evutil_socket_t, short, void *argument) {
    Timer *timer = static_cast<Timer *>(argument);
    LibEvent *self = timer->owner;
    self->pool_.give(timer);
    self->call_(self->context_, timer->payload);
  }

  event_base *base_;
  Pool<Timer> pool_;
  void *context_ = nullptr;
  void (*call_)(void *, std::uint64_t) = nullptr;
};
#endif
