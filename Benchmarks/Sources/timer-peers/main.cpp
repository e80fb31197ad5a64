// The peers of the timing wheel, one case of one peer in each process.
//
//   timer-peers PEER CASE COUNT
//       PEER is heap, queue, linked, libuv or libevent; CASE one of trial.hpp, which tells what is printed
//       exits with 69 when the library was not there at build time, or cannot do what is asked
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "heaps.hpp"
#include "linked.hpp"
#include "loops.hpp"
#include "trial.hpp"

std::uint64_t virtual_time = virtual_start;

// The time of the event loops is ours: what an executable defines, the libraries that it loads use too. So they expire
// timers tick by tick without waiting. The clocks of processor time are real.
extern "C" int clock_gettime(clockid_t clock, timespec *time) noexcept {
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    return static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  time->tv_sec = static_cast<time_t>(virtual_time / 1000);
  time->tv_nsec = static_cast<long>(virtual_time % 1000 * 1000000);
  return 0;
}

// Runs a case that needs to know the next expiry.
template <class Peer>
static int measure_alone(const std::string &name, std::uint32_t count) {
  if (name == "month") return Trial<Peer>(count).month(), 0;
  if (name == "far") return Trial<Peer>(count).far(), 0;
  return 69;
}

// Runs a case that every peer can do.
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
