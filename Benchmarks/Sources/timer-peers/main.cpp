// The peers of the timing wheel, with one case of one peer in each process.
//
//   timer-peers PEER CASE COUNT
//       PEER is heap, queue, linked, libuv or libevent; CASE is one of trial.hpp, which describes the output
//   timer-peers shared fifo COUNT
//       shared.hpp
//       exits with 69 if the library was missing at build time, or does not support the case
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "heaps.hpp"
#include "linked.hpp"
#include "loops.hpp"
#include "shared.hpp"
#include "trial.hpp"

std::uint64_t virtual_time = virtual_start;

// Replaces the clock of the event loops: libraries use the functions that the executable defines. So they expire timers
// tick by tick without waiting. The clocks of processor time are real, and so is the clock that no event loop uses.
extern "C" int clock_gettime(clockid_t clock, timespec *time) noexcept {
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  // Not a system call, which would cost more than in a program that does not replace the function.
  static const auto real = reinterpret_cast<int (*)(clockid_t, timespec *)>(dlsym(RTLD_NEXT, "clock_gettime"));
  if (clock == CLOCK_BOOTTIME) return real(clock, time);
  time->tv_sec = static_cast<time_t>(virtual_time / 1000);
  time->tv_nsec = static_cast<long>(virtual_time % 1000 * 1000000);
  return 0;
}

// Runs a case that needs the next expiry.
template <class Peer>
static int measure_alone(const std::string &name, std::uint32_t count) {
  if (name == "month") return Trial<Peer>(count).month(), 0;
  if (name == "far") return Trial<Peer>(count).far(), 0;
  return 69;
}

// Runs a case that every peer supports.
template <class Peer>
static int measure(const std::string &name, std::uint32_t count) {
  if (name == "arm+cancel") return Trial<Peer>(count).arm_cancel(), 0;
  if (name == "churn") return Trial<Peer>(count).churn(), 0;
  if (name == "fifo") return Trial<Peer>(count).fifo(), 0;
  if (name == "expire") return Trial<Peer>(count).expire(), 0;
  if (name == "jump") return Trial<Peer>(count).jump(), 0;
  if (name == "worst") return Trial<Peer>(count).worst(), 0;
  if constexpr (!Peer::polls) return measure_alone<Peer>(name, count);
  return 69;
}

int main(int count, char **arguments) {
  if (count != 4) return std::fputs("timer-peers: see the comment at the top of its source\n", stderr), 64;
  probe_pin();
  std::string peer = arguments[1], name = arguments[2];
  std::uint32_t size = static_cast<std::uint32_t>(std::stoul(arguments[3]));
  if (peer == "shared" && name == "fifo") return measure_shared(size), 0;
  if (peer == "heap") return measure<Heap>(name, size);
  if (peer == "queue") return measure<Queue>(name, size);
  if (peer == "linked") return measure<Linked>(name, size);
#ifdef HAVE_UV
  if (peer == "libuv") return measure<LibUV>(name, size);
#endif
#ifdef HAVE_EVENT
  if (peer == "libevent") return measure<LibEvent>(name, size);
#endif
  return 69;
}
