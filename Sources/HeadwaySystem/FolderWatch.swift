internal import HeadwayLibc

#if os(Linux)

  /// Notices that something in folders has changed, by inotify.
  ///
  /// It says that something has changed and not what, so whoever waits looks again. What changes while nobody waits is kept.
  /// Safe from any thread.
  package final class FolderWatch: Sendable {
    /// Readable while there are changes that were not cleared; -1 if the system had no inotify instance left.
    package let descriptor: Int32

    /// What counts as a change: a new, removed, renamed or written file.
    private static let changes = UInt32(
      IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO
        | IN_DELETE_SELF | IN_MOVE_SELF)
    /// The number of bytes of one read.
    private static let readSize = 16_384
    /// The maximum number of bytes of one event.
    private static let eventSize = 272

    /// Creates a watch without folders.
    package init() { descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Adds a folder; one that is watched already stays so.
    ///
    /// - Parameter folder: The path of the folder.
    /// - Returns: 0, or an errno: `ENOSPC` if this user watches too many folders.
    package func add(_ folder: PathBytes) -> Int32 {
      guard descriptor >= 0 else { return EMFILE }
      let number = unsafe FileSystem.withPath(folder) {
        unsafe inotify_add_watch(descriptor, $0, Self.changes | UInt32(IN_ONLYDIR))
      }
      return number < 0 ? errno : 0
    }

    /// Waits until something has changed since the last wait.
    ///
    /// - Parameter limit: The maximum time to wait, nil for no limit.
    /// - Returns: Whether something has changed.
    package func wait(for limit: Duration?) -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&entry, 1, PollTimeout.milliseconds(limit)) > 0 else { return false }
      clear()
      return true
    }

    /// Forgets the changes until now; each that comes later is noticed.
    package func clear() {
      unsafe withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 8) { room in
        // A read that leaves room for another event has taken all of them.
        while unsafe read(descriptor, room.baseAddress, room.count) > room.count - Self.eventSize {}
      }
    }
  }
#else
  /// Notices nothing: the logs are read at intervals.
  package final class FolderWatch: Sendable {
    /// -1: there is nothing to wait for.
    package let descriptor: Int32 = -1

    /// Creates a watch without folders.
    package init() {}

    /// Refuses the folder.
    package func add(_ folder: PathBytes) -> Int32 { ENOTSUP }

    /// Does not wait.
    package func wait(for limit: Duration?) -> Bool { false }

    /// Does nothing.
    package func clear() {}
  }
#endif
