internal import HeadwayProgress
internal import HeadwayRun

/// The limits of the protocol, which `docs/protocol.md` lists for readers.
///
/// Each bounds what another process can make this one store or do.
package enum RelayLimits {
  /// The version of the protocol, which is that of all lines.
  package static let version = RunEvent.formatVersion
  /// The most bytes of a line towards a watcher, with its end: a buffer that many connections can have.
  package static let eventBytes = 262_144
  /// The most bytes of a request, with its end: a path and a little more.
  package static let requestBytes = 8_192
  /// The most lines of one moment of a tree.
  ///
  /// A writer needs half of them for 1,000 nodes with the longest texts.
  package static let parts = 64
  /// The most nodes of a tree, and the most changes of one moment: what a snapshot copies in one hold of the lock.
  package static let nodes = 1_000
  /// The most nodes of all trees of a connection that a watcher follows; of all programs of a run together that report below its tasks.
  ///
  /// A node takes about 700 bytes, and more with long texts.
  package static let watchedNodes = 20_000
  /// The most nodes of changes that a watcher keeps because their last part has not come.
  package static let waitingNodes = 4_000
  /// The most bytes of an ID, a name, a label or a kind: more than a line of a terminal.
  package static let nameBytes = 256
  /// The most bytes of a detail: a few lines of a terminal.
  package static let detailBytes = 1_024
  /// The most bytes of a path: `PATH_MAX` of Linux.
  package static let pathBytes = 4_096
  /// The most watchers of a process; the shell allows fewer if the limit on descriptors is low.
  package static let watchers = 1_024
  /// The most publications of a process at a time.
  package static let publications = 10_000
  /// The most requests of a watcher that wait for their answer; then no more are read.
  package static let pendingRequests = 64
  /// How long a new connection may ask for nothing.
  package static let silence: Duration = .seconds(5)
  /// How long a watcher may read nothing of what is there for it.
  package static let stall: Duration = .seconds(30)
  /// The least time between two frames: a screen shows no more.
  package static let frameInterval: Duration = .nanoseconds(16_666_667)
  /// The longest time between two frames that a watcher can ask for: after that it may as well ask again.
  package static let longestInterval: Duration = .seconds(3_600)
  /// Copying the trees of a frame is followed by a pause of so many times its processor time, so that it costs at most 2 %.
  package static let costMultiple = 50
  /// The longest such pause: what took very long once must not keep the work from being seen.
  package static let longestPause: Duration = .seconds(1)
  /// The size from which an outgoing buffer is not filled any further.
  package static let outgoingBytes = 262_144
}

extension TreeChange {
  /// The change with texts that a reader accepts: labels and details are cut, and longer paths are left out.
  ///
  /// - Complexity: O(nodes + texts).
  var withinLimits: TreeChange {
    withTexts(
      label: { JSONLine.prefix(of: $0, bytes: RelayLimits.nameBytes) },
      detail: { JSONLine.prefix(of: $0, bytes: RelayLimits.detailBytes) },
      path: { JSONLine.prefix(of: $0, bytes: RelayLimits.pathBytes) == $0 ? $0 : nil })
  }

  /// The change with other texts.
  ///
  /// - Parameters:
  ///   - label: Returns the text for a label.
  ///   - detail: Returns the text for a detail.
  ///   - path: Returns the text for a path, nil to leave it out.
  /// - Returns: The change.
  /// - Complexity: O(nodes), and that of the functions for each text.
  func withTexts(
    label: (String) -> String, detail: (String) -> String, path: (String) -> String?
  ) -> TreeChange {
    var change = self
    for index in change.nodes.indices {
      let node = nodes[index]
      if let text = node.label { change.nodes[index].label = label(text) }
      if case .some(.some(let text)) = node.detail { change.nodes[index].detail = detail(text) }
      if let text = node.values?[ProgressKeys.FilePath.self] {
        change.nodes[index].values?[ProgressKeys.FilePath.self] = path(text)
      }
    }
    return change
  }

  /// Which text is too long, nil if none is.
  ///
  /// - Complexity: O(nodes).
  var excess: String? {
    for node in nodes {
      if (node.label ?? "").utf8.count > RelayLimits.nameBytes { return "a label" }
      if case .some(.some(let detail)) = node.detail, detail.utf8.count > RelayLimits.detailBytes {
        return "a detail"
      }
      let path = node.values?[ProgressKeys.FilePath.self]
      if (path ?? "").utf8.count > RelayLimits.pathBytes { return "a path" }
    }
    return nil
  }
}
