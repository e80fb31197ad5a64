internal import HeadwayLock
public import HeadwayProgress
internal import HeadwaySystem

/// Some units of a node for which another program reports, with all programs that it starts.
///
/// ```swift
/// let share: ProcessShare = node.share(of: 3).forProcess("compile")
/// var environment = ProcessInfo.processInfo.environment
/// environment.merge(share.environment) { _, new in new }
/// // … start a program with these variables, and wait for its end.
/// share.finish()
/// ```
///
/// A program that was started with ``environment`` and publishes a node with
/// ``HeadwayProgress/ProgressNode/publish(kind:name:file:accepts:onProblem:)`` appears below ``node`` instead of among the publications of
/// the user; a shell script does the same with `headway tell`. Cancel, pause and resume of the node reach the programs. If ``node`` has no
/// total, the first program stands for all of it, and later ones are shown but count for nothing.
///
/// It ends with ``finish()``, at the latest when it is dropped. A program that lives on then publishes its work as its own. Safe
/// from any thread.
public final class ProcessShare: Sendable {
  /// The node that stands for the units.
  public let node: ProgressNode

  private let opened: OpenShare

  /// Opens a node for other programs.
  ///
  /// - Parameter node: The node for which they report. Dropping this object finishes it.
  /// - Complexity: O(1): one lock.
  public init(_ node: ProgressNode) {
    self.node = node
    opened = OpenShare(node)
    #if os(Linux)
      if RelayError.ofPublisher == nil {
        RelayLoop.shared.post(.openShare(opened))
      } else {
        opened.set(address: nil)
      }
    #else
      opened.set(address: nil)
    #endif
  }

  deinit { finish() }

  /// The variables for the environment of a program.
  ///
  /// They replace those of the same name. They are the same for all programs, however these are started. If programs cannot
  /// report, there are none, and they run as usual.
  ///
  /// - Complexity: O(1). The first call in a process waits until its socket was created, which takes less than a
  ///   millisecond.
  public var environment: [String: String] {
    guard let address = opened.address else { return [:] }
    var variables = [OpenShare.variable: "\(OpenShare.version);\(opened.token);\(address)"]
    // The pipe is that of this process; a program must not report through it as well.
    if environmentValue(ZigPacket.variable) != nil { variables[ZigPacket.variable] = "" }
    return variables
  }

  /// Opens a pipe for a program that reports its progress as programs written in Zig do.
  ///
  /// The program needs the descriptor, under any number, and that number in the variable `ZIG_PROGRESS`. Programs that use
  /// Headway need only ``environment``.
  ///
  /// ```swift
  /// let error = share.withZigDescriptor { descriptor in
  ///   if let descriptor {
  ///     posix_spawn_file_actions_adddup2(&actions, descriptor, 3)
  ///     environment["ZIG_PROGRESS"] = "3"
  ///   }
  ///   return posix_spawn(&pid, path, &actions, nil, arguments, variables(environment))
  /// }
  /// ```
  ///
  /// The tree of the program is shown below ``node`` until the program ends, or until the share is finished. The protocol has
  /// no names for programs, so call this once for each of them. It has no requests either: a handler of ``node`` that ends the
  /// program makes it cancellable.
  ///
  /// - Parameter start: Starts the program before it returns. Takes a descriptor that is valid until then and is not inherited
  ///   unless you duplicate it, as above; nil if there is no pipe, such as with `HEADWAY_ZIG=off`.
  /// - Returns: The result of `start`.
  /// - Throws: The error of `start`.
  /// - Complexity: O(1): five system calls.
  public func withZigDescriptor<Result, Failure: Error>(
    _ start: (_ descriptor: Int32?) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    #if os(Linux)
      let node = node
      let writer = ZigInput.open(share: opened.token) { node.makePlaceOfProgram() }
      defer { if let writer { ZigInput.close(writer) } }
      return try start(writer)
    #else
      return try start(nil)
    #endif
  }

  /// Ends the share and completes its units; a second call does nothing.
  public func finish() {
    node.finish()
    #if os(Linux)
      if opened.close() {
        RelayLoop.shared.post(.closeShare(opened.token))
      }
    #endif
  }
}

extension ProgressShare {
  /// Opens these units for another program.
  ///
  /// - Parameter label: A short name of the work; empty for none.
  /// - Returns: The share of the program.
  /// - Complexity: O(1): one lock.
  public consuming func forProcess(_ label: String = "") -> ProcessShare {
    ProcessShare(start(label))
  }
}
