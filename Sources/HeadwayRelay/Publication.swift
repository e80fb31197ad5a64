internal import HeadwayLock
public import HeadwayProgress
package import HeadwayRun
internal import HeadwaySystem
internal import Synchronization

/// A node that other programs of this user can see.
///
/// It lasts until its node finishes or ``unpublish()`` is called; to drop it changes nothing. Safe from any thread.
///
/// ```swift
/// let publication: Publication = node.publish(kind: "backup")
/// if let problem: RelayError = publication.problem { show("nobody sees it: \(problem)") }
/// publication.unpublish()  // the work goes on
/// ```
public final class Publication: Sendable, Identifiable {
  /// What other programs may ask the work for.
  public struct Requests: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8

    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// To end early; see `cancel()`.
    public static let cancel = Requests(rawValue: AcceptedRequests.cancel.rawValue)
    /// To pause and to resume; see `pause()`.
    public static let pause = Requests(rawValue: AcceptedRequests.pause.rawValue)
  }

  let published: Published

  init(_ published: Published) { self.published = published }

  /// The ID of the publication, such as `12345.1`: no other one of the machine has it.
  ///
  /// It consists of the number of the process and a number that the process counts.
  public var id: String { published.id.text }

  /// Why nobody can see the work, nil while there is no reason.
  ///
  /// The work goes on. As the socket is created by another thread, the reason may come a moment after
  /// ``HeadwayProgress/ProgressNode/publish(kind:name:file:accepts:onProblem:)`` has returned.
  public var problem: RelayError? { published.failure }

  /// Whether another program watches the work at this moment.
  ///
  /// - Complexity: O(1): one relaxed atomic load.
  public var isWatched: Bool { published.isWatched }

  /// Passes a forecast of the remaining time on to those who watch; an older one is replaced.
  package func update(_ forecast: RunForecast) {
    #if os(Linux)
      RelayLoop.shared.post(.forecast(published.id, forecast))
    #endif
  }

  /// Tells those who watch what has ended, and removes the socket, as the end of the process does otherwise.
  ///
  /// For a process that ends by a signal. It waits for slow watchers, at most 0.2 s. Nothing can be published afterwards.
  package static func endOfProcess() {
    #if os(Linux)
      RelayLoop.shared.endOfProcess()
    #endif
  }

  /// Notes that the work has failed, which those who watch are told when its node finishes.
  ///
  /// ```swift
  /// let publication = node.publish()
  /// do {
  ///   try await copy(files, node)
  /// } catch {
  ///   node.detail = "\(error)"
  ///   publication.fail()
  /// }
  /// node.finish()
  /// ```
  ///
  /// The `detail` of the node says why. Work that was cancelled has not failed.
  ///
  /// - Complexity: O(1).
  public func fail() { published.hasFailed = true }

  /// Ends the publication, while the work goes on; a second call does nothing.
  ///
  /// - Complexity: O(1); the watchers are told by another thread.
  public func unpublish() {
    #if os(Linux)
      RelayLoop.shared.post(.unpublish(published.id, .unpublished))
    #endif
  }
}

extension ProgressNode {
  /// Lets other programs of this user see this node and the nodes below it, and cancel or pause them.
  ///
  /// ```swift
  /// let node = ProgressNode("Backing up", total: files.count)
  /// node.publish()
  /// for file in files {
  ///   try await node.checkpoint()
  ///   try await backUp(file)
  ///   node.complete(1)
  /// }
  /// ```
  ///
  /// The publication lasts until the node finishes or is dropped, or until ``Publication/unpublish()`` is called. Watchers see a
  /// tree as `snapshot(limit:)` with 1,000 nodes does, at most 60 times a second. A thread named `headway-relay` serves all
  /// publications and watchers of the process. While nobody watches, the tree is not read; while nothing changes, nothing
  /// is sent and nothing wakes up. Watchers never make the work wait.
  ///
  /// If the work cannot be published, it goes on unpublished: there is no usable directory for the socket, the process is a
  /// copy made by `fork`, or `HEADWAY_PUBLISH=off` is set. ``Publication/problem`` says why. It counts as a read:
  /// afterwards, the tree cannot be added to another.
  ///
  /// - Parameters:
  ///   - kind: What the work is, for watchers of that kind, such as `download`; at most 256 bytes are shown.
  ///   - name: A name by which people can choose the work; at most 256 bytes are shown.
  ///   - file: The path of the file or directory that the work is about, for watchers of it; by default the `filePath` of the
  ///     node at this moment. A relative path is that in the current directory. Links are not followed.
  ///   - accepts: What other programs may ask the work for. What they may not is refused, and they are told so.
  ///   - onProblem: Called with each problem, such as that the work cannot be published, or that a program was
  ///     disconnected. Called by another thread, which must not be held up.
  /// - Returns: The publication. Publishing twice makes two publications.
  /// - Complexity: O(1): the socket is created by another thread.
  @discardableResult
  public func publish(
    kind: String = "work", name: String? = nil, file: String? = nil,
    accepts: Publication.Requests = [.cancel, .pause],
    onProblem: (@Sendable (RelayError) -> Void)? = nil
  ) -> Publication {
    publish(
      kind: kind, name: name, file: file, accepts: accepts, onWatch: nil, onProblem: onProblem)
  }

  /// Publishes this node, and tells when that begins or ends to be watched.
  ///
  /// - Parameters:
  ///   - kind: What the work is.
  ///   - name: A name for people.
  ///   - file: The path that the work is about.
  ///   - accepts: What other programs may ask the work for.
  ///   - onWatch: Called when ``Publication/isWatched`` has changed, by another thread, which must not be held up.
  ///   - requests: Takes what is asked of the whole, and of tasks, as a run does; nil to cancel and pause this node.
  ///   - onProblem: Called with each problem, by that thread.
  /// - Returns: The publication.
  @discardableResult
  package func publish(
    kind: String, name: String? = nil, file: String? = nil,
    accepts: Publication.Requests = [.cancel, .pause], onWatch: (@Sendable () -> Void)?,
    requests: RequestQueue? = nil, onProblem: (@Sendable (RelayError) -> Void)?
  ) -> Publication {
    let id = PublicationID(
      "\(processNumber).\(lastPublication.add(1, ordering: .relaxed).newValue)")
    #if os(Linux)
      let observer = TreeObserver(self) { RelayLoop.shared.post(.changed(id)) }
      let zigObserver =
        environmentValue(ZigPacket.variable) == nil
        ? nil : TreeObserver(self) { RelayLoop.shared.post(.zigChanged(id)) }
    #else
      let observer = TreeObserver(self) {}
      let zigObserver: TreeObserver? = nil
    #endif
    var accepted = AcceptedRequests(rawValue: accepts.rawValue)
    if requests != nil { accepted.insert(.control) }
    let published = Published(
      id, kind: kind, name: name, path: (file ?? filePath).map { absolutePath($0) },
      accepts: accepted, observer: observer,
      zigObserver: zigObserver, onWatch: onWatch, onProblem: onProblem, requests: requests)
    if let problem = RelayError.ofPublisher {
      published.fail(problem)
    } else {
      #if os(Linux)
        RelayLoop.shared.post(.publish(published))
        // If it has finished already, this ends the publication at once.
        holdUntilFinished(PublicationEndHook(id))
      #endif
    }
    return Publication(published)
  }
}

/// The number of the last publication of this process.
private let lastPublication = Atomic<Int>(0)

extension RelayError {
  /// Why this process cannot publish, nil if it can.
  static var ofPublisher: RelayError? {
    if let error = ofProcess { return error }
    return environmentValue("HEADWAY_PUBLISH") == "off" ? .turnedOff : nil
  }

  /// Why this process can neither publish nor watch, nil if it can.
  static var ofProcess: RelayError? {
    #if os(Linux)
      return isForkedCopy ? .forked : nil
    #else
      return .notSupported
    #endif
  }
}
