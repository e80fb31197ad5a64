#if os(Linux)
  internal import CRelay
  internal import HeadwayLibc
  internal import HeadwayProgress
  internal import HeadwaySystem

  /// The pipe through which a program reports as those written in Zig do.
  ///
  /// Opened by any thread; all else belongs to the thread of a ``RelayLoop``.
  // Only that thread uses what can change.
  final class ZigInput: @unchecked Sendable {
    /// The share that the program reports for.
    let share: String
    /// The reading end.
    let descriptor: Int32
    /// Makes the node in which the tree is shown, nil if there is no place for it.
    private let makeRoot: @Sendable () -> ProgressNode?
    /// Changes the texts of the program, nil to show them as they are.
    private let masked: TextMask?
    private var reader = ZigReader()
    /// The tree, nil before the first packet.
    private var mirror: ProgressMirror?
    private var isClosed = false

    /// The bytes of one read, more than programs write in a second.
    private static let readSize = 65_536

    private init(
      share: String, descriptor: Int32, masked: TextMask?,
      makeRoot: @escaping @Sendable () -> ProgressNode?
    ) {
      self.masked = masked
      (self.share, self.descriptor, self.makeRoot) = (share, descriptor, makeRoot)
    }

    deinit { end() }

    /// Whether the environment turns the protocol of Zig off.
    static var isOff: Bool { environmentValue("HEADWAY_ZIG") == "off" }

    /// Opens a pipe and begins to read from it.
    ///
    /// - Parameters:
    ///   - share: The token of the share, with which the pipe is closed.
    ///   - masked: Changes the texts of the program, nil to show them as they are.
    ///   - makeRoot: Makes the node in which the tree is shown, nil if there is no place for it. Called once at most, with the
    ///     first packet, by the thread of the loop.
    /// - Returns: The writing end, nil if there is no pipe. The caller closes it.
    static func open(
      share: String, masked: TextMask? = nil, makeRoot: @escaping @Sendable () -> ProgressNode?
    ) -> Int32? {
      guard !isOff, RelayError.ofPublisher == nil else { return nil }
      guard let pipe = openPipe() else { return nil }
      RelayLoop.shared.post(
        .readZig(
          ZigInput(share: share, descriptor: pipe.reader, masked: masked, makeRoot: makeRoot)))
      return pipe.writer
    }

    /// Opens a pipe with the capacity by which programs of this package know each other; nil if the system refuses it.
    static func openPipe() -> (reader: Int32, writer: Int32)? {
      var writer: Int32 = -1
      let reader = unsafe hw_relay_open_pipe(Int32(ZigPacket.Layout.ownCapacity), &writer)
      return reader < 0 ? nil : (reader, writer)
    }

    /// Closes a writing end.
    static func close(_ writer: Int32) { _ = HeadwayLibc.close(writer) }

    /// What has become of a pipe.
    enum State {
      /// More may come.
      case open
      /// Nothing can come any more, or nothing more is wanted.
      case ended
    }

    /// Reads what is there, as a whole, and shows it.
    ///
    /// - Parameter report: Takes the problem if the bytes are not progress; called once at most.
    /// - Returns: What has become of the pipe.
    func receive(_ report: (RelayError) -> Void) -> State {
      let bytes: [UInt8]
      switch readSome(descriptor, most: Self.readSize) {
      case .bytes(let some): bytes = some
      case .nothing: return .open
      case .end, .failed: return .ended
      }
      do throws(ZigReader.InvalidBytes) {
        let change = try reader.received(bytes[...])
        return change == TreeChange() ? .open : apply(change)
      } catch {
        report(.notZigProgress)
        return .open
      }
    }

    private func apply(_ change: TreeChange) -> State {
      let nameSize = (reader.layout ?? .long).nameSize
      let change = masked.map { change.masked(by: $0, nameSize: nameSize) } ?? change
      if mirror == nil {
        guard let root = makeRoot() else { return .ended }
        // The protocol has no requests.
        root.isCancellable = false
        root.isPausable = false
        mirror = ProgressMirror(limit: ZigReader.maximumNodes, root: root) { _, _ in }
      }
      do throws(MirrorProblem) {
        try mirror?.apply(change)
        return .open
      } catch {
        return .ended
      }
    }

    /// Ends the tree and closes the pipe, as the program or its share has ended; a second call does nothing.
    func end() {
      guard !isClosed else { return }
      isClosed = true
      hw_relay_close(descriptor)
      mirror?.end(detail: nil)
      mirror = nil
    }
  }
#endif
