import Glibc
import HeadwayProgress
import HeadwayRelay
import ProgressFixtures

// A process that publishes or watches, for tests of two processes.
//
//   RelayPeer publish LABEL [FILE]
//   RelayPeer watch own|everything|kind:KIND|file:PATH|id:ID
//   RelayPeer trees SEED COUNT          trees that change at random
//   RelayPeer follow                    their trees, as they arrive
//   RelayPeer zig 48|128 PROGRAM ARGUMENT…
//
// The last one starts a program, and shows its progress as a program written in Zig does, with records of that many bytes.
//
// What it publishes has the kind in RELAY_PEER_KIND. It reads commands from its standard input, one a line, and prints what happens.

/// The kind of what is published, by which a test sees only what is its own.
let kind = unsafe getenv("RELAY_PEER_KIND").map { unsafe String(cString: $0) } ?? "test"

/// Writes a line at once, as only a system call does.
@Sendable func printLine(_ line: String) {
  var bytes = Array("\(line)\n".utf8)
  if unsafe write(STDOUT_FILENO, &bytes, bytes.count) != bytes.count { exit(3) }
}

/// Publishes a tree and changes it as it is told.
func publish(_ label: String, file: String?) {
  var root: ProgressNode? = ProgressNode(label, total: 100)
  var children: [ProgressNode] = []
  var shares: [ProcessShare] = []
  root?.onCancel { printLine("cancelled") }
  root?.onPause { printLine("paused") }
  root?.onResume { printLine("resumed") }
  let publication = root?.publish(kind: kind, name: "name of \(label)", file: file) {
    printLine("problem: \($0)")
  }
  printLine("id \(publication?.id ?? "")")
  while let line = readLine() {
    let words = line.split(separator: " ").map { String($0) }
    switch words.first {
    case "complete": root?.complete(Int(words[1]) ?? 1)
    case "child": if let root { children.append(root.child(words[1], units: 10, total: 10)) }
    case "share":
      if let root {
        let share = root.share(of: 20).forProcess(words[1])
        shares.append(share)
        for (name, value) in share.environment { printLine("environment \(name)=\(value)") }
      }
    case "close": shares.popLast()?.finish()
    case "start":
      if let root {
        let share = root.share(of: 20).forProcess(words[1])
        shares.append(share)
        let error = share.withZigDescriptor { descriptor in
          start(Array(words[2...]), share.environment, progress: descriptor, as: 3).error
        }
        if error != 0 { printLine("error \(error)") }
      }
    case "tree": if let root { printLine("tree \(outline(root.snapshot()))") }
    case "refuse": root?.isCancellable = false
    case "poll": root?.onRead {}
    case "watched": printLine("watched \(publication?.isWatched ?? false)")
    case "exit-on-cancel": root?.onCancel { exit(7) }
    case "block-on-cancel":
      root?.onCancel {
        printLine("blocked")
        while true { pause() }
      }
    case "fill": fillDescriptors()
    case "free": freeDescriptors()
    case "limit": limitDescriptors(rlim_t(words[1]) ?? 1_024)
    case "copies":
      if let root { forkCopies(Int(words[1]) ?? 1, countingOn: root) }
    case "unpublish": publication?.unpublish()
    case "finish": root?.finish()
    case "drop":
      children = []
      root = nil
    case "run":
      // Counts for ever.
      while true { root?.complete(1) }
    case "fork":
      let child = fork()
      if child == 0 {
        // The copy lives on, and tries to publish.
        let copy = ProgressNode("copy").publish()
        printLine("copy \(getpid()) \(copy.problem.map { "\($0)" } ?? "published")")
        while true { pause() }
      }
    case "exit": exit(0)
    default: printLine("unknown command '\(line)'")
    }
    printLine("done \(words.first ?? "")")
  }
}

/// Starts a program with further variables, and with the pipe to which it writes its progress.
func start(
  _ words: [String], _ variables: [String: String] = [:], progress: Int32?, as number: Int32
) -> (pid: pid_t, error: Int32) {
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  // What it prints is not for the test, and the commands are not for it.
  unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
  unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
  if let progress { unsafe posix_spawn_file_actions_adddup2(&actions, progress, number) }
  var environment = variables
  if progress != nil { environment[ZigPacket.variable] = "\(number)" }
  var entry = unsafe environ
  while let text = unsafe entry.pointee {
    let parts = unsafe String(cString: text).split(separator: "=", maxSplits: 1)
    if let name = parts.first.map({ String($0) }), environment[name] == nil {
      environment[name] = parts.count > 1 ? String(parts[1]) : ""
    }
    unsafe entry += 1
  }
  var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  var block = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
  defer {
    for place in unsafe arguments.indices { unsafe free(arguments[place]) }
    for place in unsafe block.indices { unsafe free(block[place]) }
  }
  var pid: pid_t = 0
  let error = unsafe posix_spawnp(&pid, words[0], &actions, nil, &arguments, &block)
  return (pid, error)
}

/// Starts a program, and shows its tree in the place of a node, as Zig does.
func reportAsZig(_ layout: ZigPacket.Layout, _ words: [String]) {
  guard let text = unsafe getenv(ZigPacket.variable),
    let output = unsafe Int32(String(cString: text))
  else { exit(4) }
  let root = ZigPacket.Node("zig", total: 1, parent: nil)
  func show(_ nodes: [ZigPacket.Node]) {
    let bytes = ZigPacket([root] + nodes).encoded(layout)
    if unsafe write(output, bytes, bytes.count) != bytes.count { exit(5) }
  }
  show([ZigPacket.Node("program", parent: 0)])
  var ends: [Int32] = [-1, -1]
  guard unsafe pipe(&ends) == 0 else { exit(6) }
  for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
  // F_SETPIPE_SZ, as Zig does since 0.16.
  if layout == .long { _ = fcntl(ends[1], 1_031, 32_768) }
  _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
  let (pid, error) = start(words, progress: ends[1], as: layout == .long ? 9 : 3)
  guard error == 0 else { exit(7) }
  close(ends[1])
  var unread: [UInt8] = []
  var room = [UInt8](repeating: 0, count: 32_768)
  while true {
    let count = unsafe read(ends[0], &room, room.count)
    guard count > 0 else { break }
    unread += room[..<count]
    while let first = unread.first, unread.count >= layout.packetSize(nodes: Int(first)) {
      let size = layout.packetSize(nodes: Int(first))
      guard let packet = ZigPacket(unread[..<size], layout: layout) else { exit(8) }
      unread.removeFirst(size)
      show(
        packet.nodes.map { node in
          var node = node
          node.parent = node.parent.map { $0 + 1 } ?? 0
          return node
        })
    }
  }
  var status: Int32 = 0
  unsafe waitpid(pid, &status, 0)
  exit(status >> 8)
}

/// Publishes a tree and counts, without a command.
func count(_ label: String, units: Int) {
  let root = ProgressNode(label, total: units)
  let publication = root.publish(kind: kind, name: "name of \(label)") {
    printLine("problem: \($0)")
  }
  printLine("id \(publication.id)")
  for _ in 0..<units {
    root.complete(1)
    usleep(200)
  }
  root.finish()
  printLine("finished")
  while readLine() != nil {}
}

/// Publishes trees that change at random, one for each seed.
func publishTrees(_ seeds: Range<UInt64>) {
  var trees = seeds.map { RandomTree(seed: $0) }
  var publications: [Publication] = []
  while let line = readLine() {
    switch line {
    case "step": for index in trees.indices { trees[index].step() }
    case "publish":
      publications = zip(seeds, trees).map { seed, tree in
        tree.root.publish(kind: kind, name: "\(seed)") { printLine("problem: \($0)") }
      }
    case "digests":
      printLine(digests(zip(seeds, trees).map { ("\($0)", $1.root.snapshot()) }))
    default: printLine("unknown command '\(line)'")
    }
  }
  withExtendedLifetime(publications) {}
}

/// The publications that were found.
actor Found {
  private(set) var works: [WatchedPublication] = []

  func add(_ work: WatchedPublication) { works.append(work) }
}

/// Follows all publications, and says what their trees are.
func follow() async {
  let found = Found()
  let watching = Task {
    for await work in Subscription(.kind(kind), onProblem: { printLine("problem: \($0)") }) {
      await found.add(work)
    }
  }
  while readLine() != nil {
    printLine(digests(await found.works.map { ($0.name ?? "", $0.node.snapshot()) }))
  }
  watching.cancel()
}

/// A line with a hash of everything in each tree.
func digests(_ trees: [(name: String, tree: ProgressSnapshot)]) -> String {
  let words = trees.sorted { $0.name < $1.name }.map { name, tree in
    // FNV-1a
    let hash = "\(tree)".utf8.reduce(14_695_981_039_346_656_037 as UInt64) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    return "\(name):\(String(hash, radix: 16))"
  }
  return (["digests"] + words).joined(separator: " ")
}

/// Limits the descriptors that this process may have open.
func limitDescriptors(_ count: rlim_t) {
  var limit = rlimit()
  unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  limit.rlim_cur = min(count, limit.rlim_max)
  unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}

/// The descriptors that only take up room.
nonisolated(unsafe) var fillers: [Int32] = []

/// Opens descriptors until there is no room for another one.
func fillDescriptors() {
  while true {
    let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    unsafe fillers.append(descriptor)
  }
}

func freeDescriptors() {
  for descriptor in unsafe fillers { close(descriptor) }
  unsafe fillers = []
}

/// Makes copies of this process that end by themselves, one after the other, and waits for them.
func forkCopies(_ count: Int, countingOn root: ProgressNode) {
  for number in 0..<count {
    root.complete(1)
    let child = fork()
    if child == 0 {
      root.complete(1)
      exit(0)
    }
    var status: Int32 = 0
    unsafe waitpid(child, &status, 0)
    if status != 0 { printLine("copy \(number) ended with \(status)") }
  }
}

/// The labels and counts of a tree.
func outline(_ tree: ProgressSnapshot) -> String {
  let children = tree.children.map { outline($0) }.joined(separator: ", ")
  return "\(tree.label) \(tree.completed)/\(tree.total.map { "\($0)" } ?? "?") [\(children)]"
}

/// Follows a publication to its end.
@Sendable func follow(_ work: WatchedPublication) async {
  let label = work.node.snapshot().label
  printLine("began \(work.id) \(label) \(work.kind) old=\(work.isOld) pid=\(work.pid)")
  for await snapshot in work.node.feed() {
    printLine(
      "state \(label) \(snapshot.completed) children=\(snapshot.children.map(\.label)) "
        + "cancelled=\(snapshot.isCancelled) paused=\(snapshot.isPaused)")
  }
  let end = await work.ended()
  printLine("ended \(label) \(end.map { "\($0)" } ?? "")")
}

func filter(_ text: String) -> Subscription.Filter {
  let parts = text.split(separator: ":", maxSplits: 1).map { String($0) }
  return switch parts[0] {
  case "kind": .kind(parts[1])
  case "file": .file(parts[1])
  case "id": .id(parts[1])
  case "everything": .all
  default: .kind(kind)
  }
}

/// Watches, and asks for what it is told.
func watch(_ filter: Subscription.Filter) async {
  let subscription = Subscription(filter) { printLine("problem: \($0)") }
  let watching = Task {
    await withDiscardingTaskGroup { group in
      for await work in subscription { group.addTask { await follow(work) } }
    }
  }
  printLine("watching")
  while let line = readLine() {
    let words = line.split(separator: " ").map { String($0) }
    if line == "look" {
      let works = await Subscription(filter) { printLine("problem: \($0)") }.current()
      printLine("found \(works.map { "\($0.pid)" }.sorted())")
      continue
    }
    let chosen = Subscription(words.count > 1 ? .id(words[1]) : filter)
    // Long, because a busy machine with sanitizers may answer late.
    for work in await chosen.current(within: .seconds(60)) {
      do throws(RelayError) {
        switch words.first {
        case "cancel": try await work.cancel()
        case "pause": try await work.pause()
        case "resume": try await work.resume()
        case "tree": printLine("tree \(outline(work.node.snapshot()))")
        case "list": printLine("listed \(work.id) \(work.node.snapshot().completed)")
        default: printLine("unknown command '\(line)'")
        }
        printLine("done \(words.first ?? "")")
      } catch {
        printLine("refused: \(error)")
      }
    }
  }
  watching.cancel()
}

signal(SIGPIPE, SIG_IGN)
if let text = unsafe getenv("PEER_FILES"), let limit = unsafe rlim_t(String(cString: text)) {
  limitDescriptors(limit)
}
let words = CommandLine.arguments
switch words.dropFirst().first {
case "publish": publish(words[2], file: words.count > 3 ? words[3] : nil)
case "trees":
  let first = UInt64(words[2]) ?? 0
  publishTrees(first..<first + (UInt64(words[3]) ?? 1))
case "follow": await follow()
case "count": count(words[2], units: words.count > 3 ? Int(words[3]) ?? .max : .max)
case "zig":
  guard let layout = ZigPacket.Layout(recordSize: words[2]) else { exit(2) }
  reportAsZig(layout, Array(words[3...]))
case "watch": await watch(filter(words[2]))
default: exit(2)
}
