// Publishes work, and measures what that costs and how late it arrives at another process.
//
//   relay-trial lateness WATCHERS CHANGES PAUSE
//       changes a number CHANGES times, PAUSE milliseconds apart; prints the median and the 99th percentile of the lateness at the
//       watchers in nanoseconds, the bytes of a change, and the processor time of a change in nanoseconds
//   relay-trial publications COUNT WATCHERS SECONDS
//       changes COUNT publications, each once a second; prints the median and the 99th percentile of the lateness in
//       nanoseconds, and the processor time of a second in nanoseconds
//   relay-trial cancel TIMES
//       prints the median and the 99th percentile of the time from the request of a watcher to the moment at which the
//       work finds itself cancelled, in nanoseconds
//   relay-trial idle WATCHERS SECONDS
//       prints how often the thread of the relay was scheduled, and how many reads had bytes for the watchers
//   relay-trial increment COUNT plain|published|watched
//       prints the processor time of an increment in nanoseconds
//   relay-trial zig CHANGES PAUSE NODES PROGRAM
//       starts Benchmarks/Peers/zig_progress.zig, of which PROGRAM is the path, and reads the pipe that it writes to; prints the
//       median and the 99th percentile of the lateness in nanoseconds, the bytes of a change, the processor time of a change in
//       nanoseconds, and the bytes of a second without a change
//
// The watchers are connections of relay-client, which stands beside this program.

import CProbe
import Glibc
import HeadwayProgress
import HeadwayRelay
import Stopwatch

/// The time that the client uses, too.
func now() -> Int { Int(probe_read(CLOCK_MONOTONIC)) }

/// A running `relay-client`.
struct Client {
  /// Its standard output.
  let output: Int32
  private let pid: pid_t

  init(_ words: [String]) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { exit(70) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
    let own = CommandLine.arguments[0]
    let path =
      own.lastIndex(of: "/").map { own[...$0] + "relay-client" }.map { String($0) }
      ?? "relay-client"
    var arguments = unsafe ([path] + words).map { unsafe strdup($0) } + [nil]
    var child: pid_t = 0
    guard unsafe posix_spawn(&child, path, &actions, nil, &arguments, Glibc.environ) == 0 else {
      exit(69)
    }
    unsafe posix_spawn_file_actions_destroy(&actions)
    for place in unsafe arguments.indices { unsafe free(arguments[place]) }
    close(ends[1])
    (output, pid) = (ends[0], child)
  }

  /// Reads all numbers that it prints, and waits for its end.
  func numbers() -> [Double] {
    var text: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(output, &room, room.count)
      guard count > 0 else { break }
      text += room[..<count]
    }
    waitpid(pid, nil, 0)
    return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
      .compactMap { Double(String($0)) }
  }

  /// Reads the next time.
  func time() -> Int {
    var value: Int64 = 0
    guard unsafe read(output, &value, 8) == 8 else { exit(70) }
    return Int(value)
  }
}

/// The runtime directory of this process alone.
let folder: String = {
  var name = Array("/tmp/relay-trial-XXXXXX".utf8CString)
  guard unsafe mkdtemp(&name) != nil else { exit(70) }
  let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  unsafe setenv("XDG_RUNTIME_DIR", path, 1)
  // As a part of a run, only that could see it.
  unsafe unsetenv("HEADWAY_PROGRESS")
  return path
}()
let sockets = "\(folder)/headway"

func pause(milliseconds: Int) { usleep(UInt32(milliseconds) * 1_000) }

/// Waits until a publication is watched, and has been read once.
func waitForWatchers(_ publication: Publication) {
  while !publication.isWatched { usleep(1_000) }
  usleep(300_000)
}

func percentile(_ values: [Int], _ part: Double) -> Int {
  let sorted = values.sorted()
  return sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
}

/// The number of times that the thread of the relay was scheduled.
func switches() -> Int {
  var total = 0
  guard let directory = unsafe opendir("/proc/self/task") else { return -1 }
  defer { unsafe closedir(directory) }
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
      unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard Int(name) != nil, text("/proc/self/task/\(name)/comm").hasPrefix("headway-relay") else {
      continue
    }
    for line in text("/proc/self/task/\(name)/status").split(separator: "\n")
    where line.contains("ctxt_switches") {
      total += line.split(separator: "\t").last.flatMap { Int($0) } ?? 0
    }
  }
  return total
}

func text(_ path: String) -> String {
  let file = unsafe open(path, O_RDONLY)
  guard file >= 0 else { return "" }
  defer { close(file) }
  var room = [UInt8](repeating: 0, count: 8192)
  let count = unsafe read(file, &room, room.count)
  return String(decoding: room.prefix(max(count, 0)), as: UTF8.self)
}

func lateness(_ watchers: Int, _ changes: Int, _ milliseconds: Int) {
  let node = ProgressNode("work", total: nil)
  let publication = node.publish()
  let client = Client(["lateness", sockets, "\(watchers)"])
  waitForWatchers(publication)
  let begin = probe_cpu()
  for _ in 0..<changes {
    pause(milliseconds: milliseconds)
    node.setCompleted(now())
  }
  pause(milliseconds: 100)
  let cost = Double(probe_cpu() - begin) / Double(changes)
  node.finish()
  let numbers = client.numbers()
  guard numbers.count == 4, numbers[2] > 0 else { exit(70) }
  print(numbers[0], numbers[1], numbers[3] / numbers[2], cost)
}

func publications(_ count: Int, _ watchers: Int, _ seconds: Int) {
  let nodes = (0..<count).map { ProgressNode("work \($0)") }
  let all = nodes.map { $0.publish() }
  let client = Client(["lateness", sockets, "\(watchers)"])
  waitForWatchers(all[count - 1])
  pause(milliseconds: 700)
  let begin = probe_cpu()
  let start = now()
  for turn in 0..<count * seconds {
    let due = start + turn * 1_000_000_000 / count
    let left = due - now()
    if left > 0 { usleep(UInt32(left / 1_000)) }
    nodes[turn % count].setCompleted(now())
  }
  let cost = Double(probe_cpu() - begin) / Double(seconds)
  pause(milliseconds: 200)
  for node in nodes { node.finish() }
  let numbers = client.numbers()
  guard numbers.count == 4 else { exit(70) }
  print(numbers[0], numbers[1], cost)
}

func cancel(_ times: Int) {
  // One that stays, so that the socket does.
  let kept = ProgressNode("kept")
  let publication = kept.publish(accepts: [])
  let client = Client(["cancel", sockets])
  waitForWatchers(publication)
  _ = client.time()
  var found: [Int] = []
  for _ in 0..<times {
    let node = ProgressNode("work")
    node.publish()
    while !node.isCancelled { usleep(50) }
    let end = now()
    found.append(end - client.time())
    node.finish()
    pause(milliseconds: 20)
  }
  print(percentile(found, 0.5), percentile(found, 0.99))
}

func idle(_ watchers: Int, _ seconds: Int) {
  let node = ProgressNode("work", total: 10)
  let publication = node.publish()
  let client = Client(["idle", sockets, "\(watchers)"])
  waitForWatchers(publication)
  pause(milliseconds: 1_500)
  let before = switches()
  pause(milliseconds: seconds * 1_000)
  let woken = switches() - before
  if woken < 0 || before <= 0 { exit(70) }
  publication.unpublish()
  // The end itself is one read on each connection, or two.
  let reads = client.numbers().first.map { max($0 - Double(2 * watchers), 0) } ?? -1
  print(woken, reads)
}

func increment(_ count: Int, _ kind: String) {
  let node = ProgressNode("work", total: .max)
  var client: Client?
  if kind != "plain" {
    let publication = node.publish()
    if kind == "watched" {
      client = Client(["lateness", sockets, "1"])
      waitForWatchers(publication)
    }
  }
  print(
    Stopwatch.least(for: count, with: node) { node in
      for _ in 0..<count { node.complete(1) }
    })
  node.finish()
  _ = client?.numbers()
}

/// Reads what a program in Zig writes, as its parent does.
func zig(_ changes: Int, _ milliseconds: Int, _ nodes: Int, _ program: String) {
  var ends: [Int32] = [0, 0]
  guard unsafe pipe(&ends) == 0 else { exit(70) }
  // F_SETPIPE_SZ, as Zig does.
  _ = fcntl(ends[1], 1_031, 32_768)
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 9)
  _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
  _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
  _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
  unsafe setenv("ZIG_PROGRESS", "9", 1)
  let words = [program, "times", "\(changes)", "\(milliseconds)", "\(nodes)"]
  var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  var child: pid_t = 0
  guard unsafe posix_spawn(&child, program, &actions, nil, &arguments, Glibc.environ) == 0 else {
    exit(69)
  }
  close(ends[1])
  // One byte, then 8 of counts and 120 of a name for each node, then one for the parent of each.
  var room = [UInt8](repeating: 0, count: 65_536)
  var unread: [UInt8] = []
  var (latenesses, last) = ([Int](), UInt32(0))
  var (bytes, idleBytes, changed) = (0, 0, now())
  while true {
    let count = unsafe read(ends[0], &room, room.count)
    guard count > 0 else { break }
    let time = now()
    unread += room[..<count]
    while let first = unread.first, unread.count >= 1 + 129 * Int(first) {
      let completed = (1...4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(unread[$1]) }
      let size = 1 + 129 * Int(first)
      unread.removeFirst(size)
      if completed != last {
        last = completed
        changed = time
        bytes += size + idleBytes
        idleBytes = 0
        latenesses.append(Int(UInt32(truncatingIfNeeded: time / 1_000) &- completed) * 1_000)
      } else {
        idleBytes += size
      }
    }
  }
  let idle = Double(now() - changed) / 1e9
  var usage = rusage()
  guard unsafe wait4(child, nil, 0, &usage) == child, latenesses.count > 1 else { exit(70) }
  let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
  let cpu = Double(seconds) * 1e9 + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3
  print(
    percentile(latenesses, 0.5), percentile(latenesses, 0.99), Double(bytes) / Double(changes),
    cpu / Double(changes), Double(idleBytes) / idle)
}

let words = Array(CommandLine.arguments.dropFirst())
let numbers = words.dropFirst().map { Int($0) ?? 0 }
switch (words.first, numbers.count) {
case ("lateness", 3): lateness(numbers[0], numbers[1], numbers[2])
case ("publications", 3): publications(numbers[0], numbers[1], numbers[2])
case ("cancel", 1): cancel(numbers[0])
case ("idle", 2): idle(numbers[0], numbers[1])
case ("increment", 2): increment(numbers[0], words[2])
case ("zig", 4): zig(numbers[0], numbers[1], numbers[2], words[4])
default: exit(69)
}
unsafe rmdir(sockets)
unsafe rmdir(folder)
