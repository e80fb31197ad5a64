// oneTBB's flow graph, a peer of the graph benchmark, with one case in each process, as launch-graph measures our side.
//
//   launch-tbb SHAPE TASKS
//       SHAPE is wide, chain or layers
//
// Prints the nanoseconds per task, from the creation of the graph to the end, on two threads. Exits with 69 if it was
// built without the library.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if __has_include(<oneapi/tbb/flow_graph.h>)
#include <atomic>
#include <deque>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include "probe.h"

namespace {

using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;

// The number of tasks in a layer.
constexpr int width = 100;

// Creates and runs a graph once; returns the nanoseconds per task.
double run(const char *shape, int count) {
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> ended{0};
  {
    tbb::flow::graph graph;
    tbb::flow::broadcast_node<tbb::flow::continue_msg> start(graph);
    std::deque<Node> nodes;
    uint64_t state = probe_seed;
    for (int place = 0; place < count; ++place) {
      nodes.emplace_back(graph, [&ended](const tbb::flow::continue_msg &) {
        ended.fetch_add(1, std::memory_order_relaxed);
        return tbb::flow::continue_msg();
      });
      if (std::strcmp(shape, "chain") == 0 && place > 0) {
        tbb::flow::make_edge(nodes[place - 1], nodes[place]);
      } else if (std::strcmp(shape, "layers") == 0 && place >= width) {
        const int layer = (place / width - 1) * width;
        for (int edge = 0; edge < 3; ++edge) {
          state = probe_next(state);
          tbb::flow::make_edge(nodes[layer + static_cast<int>(probe_below(state, width))], nodes[place]);
        }
      } else {
        tbb::flow::make_edge(start, nodes[place]);
      }
    }
    start.try_put(tbb::flow::continue_msg());
    graph.wait_for_all();
  }
  if (ended != count) std::abort();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / count;
}

}  // namespace

int main(int argc, char **argv) {
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  if (count < 2) {
    std::puts("launch-tbb: see the comment at the top of its source");
    return 64;
  }
  tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  double least = run(argv[1], count);
  for (int turn = 0; turn < 9; ++turn) least = std::min(least, run(argv[1], count));
  std::printf("%f\n", least);
}
#else
int main() { return 69; }
#endif
