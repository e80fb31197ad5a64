#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

// A heap with four children per node, and a table of each timer's position in it, so that cancelling is O(log n).
//
// Entries are 16 bytes, and the four children of a node share a cache line: the root is at position 3, and the children
// of position p begin at 4 (p - 2). In its favor, stale tokens are not checked.
class Heap {
 public:
  using Token = std::uint64_t;
  // Whether a tick costs a system call that is unrelated to timers.
  static constexpr bool polls = false;

  // Runs the body where timers are usually scheduled.
  template <class Body>
  void within(Body body) { body(); }

  // Schedules a timer.
  Token arm(std::uint64_t deadline, std::uint64_t payload) {
    std::uint32_t id = free_;
    if (id == none) {
      id = static_cast<std::uint32_t>(payloads_.size());
      payloads_.push_back(payload);
      places_.push_back(0);
    } else {
      free_ = places_[id];
      payloads_[id] = payload;
    }
    if (end_ / 4 == lines_.size()) lines_.emplace_back();
    rise(end_++, {deadline, id, 0});
    return id;
  }

  // Cancels a scheduled timer.
  void cancel(Token token) {
    std::uint32_t id = static_cast<std::uint32_t>(token);
    remove(places_[id]);
    release(id);
  }

  // Passes on the payload of every timer that is due.
  template <class Expire>
  void advance(std::uint64_t now, Expire expire) {
    while (end_ > root && at(root).deadline <= now) {
      std::uint32_t id = at(root).id;
      std::uint64_t payload = payloads_[id];
      remove(root);
      release(id);
      expire(payload);
    }
  }

  // The earliest deadline; at least one timer is scheduled.
  std::uint64_t next() const { return lines_[root / 4].entries[root % 4].deadline; }

 private:
  struct Entry {
    std::uint64_t deadline;
    std::uint32_t id, unused;
  };
  struct alignas(64) Line {
    Entry entries[4];
  };
  static constexpr std::uint32_t none = ~0u, root = 3;

  Entry &at(std::uint32_t place) { return lines_[place / 4].entries[place % 4]; }

  // Writes an entry and its position.
  void put(std::uint32_t place, Entry entry) {
    at(place) = entry;
    places_[entry.id] = place;
  }

  // Inserts an entry at a position or above it.
  void rise(std::uint32_t place, Entry entry) {
    while (place > root) {
      std::uint32_t parent = place / 4 + 2;
      if (at(parent).deadline <= entry.deadline) break;
      put(place, at(parent));
      place = parent;
    }
    put(place, entry);
  }

  // Inserts an entry at a position or below it.
  void sink(std::uint32_t place, Entry entry) {
    for (;;) {
      std::uint32_t first = 4 * (place - 2), least = first;
      if (first >= end_) break;
      std::uint32_t last = first + 4 < end_ ? first + 4 : end_;
      for (std::uint32_t child = first + 1; child < last; child++)
        if (at(child).deadline < at(least).deadline) least = child;
      if (entry.deadline <= at(least).deadline) break;
      put(place, at(least));
      place = least;
    }
    put(place, entry);
  }

  // Removes the entry at a position.
  void remove(std::uint32_t place) {
    Entry last = at(--end_);
    if (place == end_) return;
    if (place > root && last.deadline < at(place / 4 + 2).deadline)
      rise(place, last);
    else
      sink(place, last);
  }

  // Keeps an id for the next timer.
  void release(std::uint32_t id) {
    places_[id] = free_;
    free_ = id;
  }

  std::vector<Line> lines_ = std::vector<Line>(1);
  std::vector<std::uint32_t> places_;
  std::vector<std::uint64_t> payloads_;
  std::uint32_t end_ = root, free_ = none;
};

// The priority queue of the standard library. The entry of a cancelled timer stays until it reaches the top, or until
// there are more dead entries than live ones: then all dead ones are dropped and the heap is rebuilt.
class Queue {
 public:
  using Token = std::uint64_t;
  static constexpr bool polls = false;

  template <class Body>
  void within(Body body) { body(); }

  Token arm(std::uint64_t deadline, std::uint64_t payload) {
    std::uint32_t id = free_;
    if (id == none) {
      id = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({payload, 0, none});
    } else {
      free_ = nodes_[id].next;
      nodes_[id].payload = payload;
    }
    entries_.push({deadline, id, nodes_[id].generation});
    return static_cast<Token>(nodes_[id].generation) << 32 | id;
  }

  void cancel(Token token) {
    std::uint32_t id = static_cast<std::uint32_t>(token);
    if (nodes_[id].generation != token >> 32) return;
    release(id);
    dead_++;
    if (dead_ > entries_.size() - dead_ + 64) {
      entries_.drop(nodes_);
      dead_ = 0;
    }
  }

  template <class Expire>
  void advance(std::uint64_t now, Expire expire) {
    while (!entries_.empty() && entries_.top().deadline <= now) {
      Entry entry = entries_.top();
      entries_.pop();
      if (nodes_[entry.id].generation != entry.generation) {
        dead_--;
        continue;
      }
      std::uint64_t payload = nodes_[entry.id].payload;
      release(entry.id);
      expire(payload);
    }
  }

  std::uint64_t next() const { return entries_.top().deadline; }

 private:
  struct Entry {
    std::uint64_t deadline;
    std::uint32_t id, generation;
    bool operator>(const Entry &other) const { return deadline > other.deadline; }
  };
  struct Node {
    std::uint64_t payload;
    std::uint32_t generation, next;
  };
  struct Entries : std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> {
    // Drops the entries of timers that are no longer scheduled.
    void drop(const std::vector<Node> &nodes) {
      std::size_t kept = 0;
      for (const Entry &entry : c)
        if (nodes[entry.id].generation == entry.generation) c[kept++] = entry;
      c.resize(kept);
      std::make_heap(c.begin(), c.end(), comp);
    }
  };
  static constexpr std::uint32_t none = ~0u;

  // Makes an id's tokens and entries stale, and keeps it for the next timer.
  void release(std::uint32_t id) {
    nodes_[id].generation++;
    nodes_[id].next = free_;
    free_ = id;
  }

  Entries entries_;
  std::vector<Node> nodes_;
  std::size_t dead_ = 0;
  std::uint32_t free_ = none;
};
