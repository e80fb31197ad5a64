#if os(Linux)
  internal import CRelay
  internal import HeadwayLibc
  internal import HeadwaySystem

  /// Finds out when sockets appear in runtime directories, and when they disappear.
  ///
  /// One descriptor serves all directories, because a user can have few: 128, usually. Not thread safe: it belongs to one
  /// loop.
  package final class DirectoryWatch {
    /// A change in a directory.
    package enum Change: Hashable, Sendable {
      /// A socket can be connected to.
      case appeared(String, RuntimeDirectory)
      /// A socket was removed.
      case disappeared(String, RuntimeDirectory)
      /// The directory was created, removed or replaced: add it again, and list its sockets.
      case replaced(RuntimeDirectory)
      /// Changes were lost: list the sockets of all directories.
      case lost
    }

    /// What a number of the system stands for.
    private enum Target: Hashable {
      /// The sockets of a directory.
      case sockets(RuntimeDirectory)
      /// The directory above it.
      case parent(RuntimeDirectory)

      /// The directory that is meant in the end.
      var directory: RuntimeDirectory {
        switch self {
        case .sockets(let directory), .parent(let directory): directory
        }
      }
    }

    /// Readable while there are changes, for a `Poller`.
    package let descriptor: Int32
    /// What the numbers of the system stand for.
    private var targets: [Int32: Target] = [:]

    /// The bytes that are read at a time: a change takes 16 and its name.
    private static let readSize = 16_384

    /// Creates a watch without directories.
    ///
    /// - Throws: `RelayError` if the limit on such descriptors is reached; then list the sockets again from time to time.
    package init() throws(RelayError) {
      descriptor = hw_relay_open_watch()
      if descriptor < 0 { throw Self.failure(errno, "directories") }
    }

    deinit { hw_relay_close(descriptor) }

    /// Watches a directory, which need not exist.
    ///
    /// List its sockets afterwards, not before, so that none is missed. Its creation and its removal are noticed in the
    /// directory above it. Where other users share that, it is not watched, as it may change all the time: there the
    /// creation is not noticed at all, and the removal only if sockets are removed with it.
    ///
    /// - Parameter directory: The directory; what was known of it is forgotten.
    /// - Throws: `RelayError` if it exists and cannot be used, or a limit of the system is reached; then its sockets are not
    ///   watched.
    package func add(_ directory: RuntimeDirectory) throws(RelayError) {
      remove(directory)
      // First, so that a directory that is created in between is noticed.
      if let parent = directory.parent,
        let folder = try? PrivateDirectory(path: parent, creates: false)
      {
        try add(.parent(directory), folder, HW_ALL)
      }
      if directory.exists {
        try add(.sockets(directory), directory.open(creates: false), HW_CONTENTS)
      }
    }

    /// Watches an open directory.
    private func add(
      _ target: Target, _ folder: PrivateDirectory, _ scope: hw_relay_scope
    ) throws(RelayError) {
      let number = unsafe hw_relay_add_directory(descriptor, folder.descriptorPath("."), scope)
      guard number >= 0 else {
        // Removed in between: the directory above it reports that.
        if errno == ENOENT { return }
        throw Self.failure(errno, "'\(folder.path)'")
      }
      targets[number] = target
    }

    /// Watches a directory no longer.
    package func remove(_ directory: RuntimeDirectory) {
      for (number, target) in targets where target.directory == directory {
        targets[number] = nil
        hw_relay_remove_directory(descriptor, number)
      }
    }

    /// Takes changes that have happened, without waiting.
    ///
    /// - Returns: The changes in their order. There may be more while the descriptor is readable.
    package func changes() -> [Change] {
      var changes: [Change] = []
      unsafe withUnsafeTemporaryAllocation(byteCount: Self.readSize, alignment: 8) { room in
        let count = unsafe hw_relay_read_changes(descriptor, room.baseAddress, room.count)
        var offset = 0
        var found = hw_relay_change()
        while unsafe hw_relay_next_change(room.baseAddress, count, &offset, &found) {
          // The function has checked that the name is in the bytes that were read.
          let bytes = unsafe room[found.name_start..<found.name_start + found.name_length]
          note(found, String(validating: unsafe Array(bytes), as: UTF8.self), into: &changes)
        }
      }
      return changes
    }

    /// Adds what a change of the system means.
    ///
    /// - Parameters:
    ///   - found: The change.
    ///   - name: The name that it is about, empty if it is about the directory; nil if that is not valid UTF-8.
    ///   - changes: Receives what it means.
    private func note(_ found: hw_relay_change, _ name: String?, into changes: inout [Change]) {
      if found.has_overflowed {
        if changes.last != .lost { changes.append(.lost) }
        return
      }
      // Changes from before a directory was removed from the watch stand for nothing.
      guard let target = targets[found.directory] else { return }
      var isReplaced = found.is_gone
      switch target {
      case .parent:
        if name == RuntimeDirectory.name {
          isReplaced = isReplaced || found.has_appeared || found.has_disappeared
        }
      case .sockets(let directory):
        if let name, RuntimeDirectory.isSocketName(name) {
          if found.has_appeared { changes.append(.appeared(name, directory)) }
          if found.has_disappeared {
            changes.append(.disappeared(name, directory))
            if directory.parent == nil, !directory.exists { isReplaced = true }
          }
        }
      }
      if found.is_removed {
        targets[found.directory] = nil
        isReplaced = true
      }
      let change = Change.replaced(target.directory)
      if isReplaced, changes.last != change { changes.append(change) }
    }

    /// The error for an error number.
    private static func failure(_ code: Int32, _ what: String) -> RelayError {
      let reason =
        switch code {
        case EMFILE:
          "the limit on open files or watches is reached (ulimit -n, fs.inotify.max_user_instances)"
        case ENOSPC: "the limit on watches is reached (fs.inotify.max_user_watches)"
        default: errorDescription(code)
        }
      return .system("cannot watch \(what)", reason: reason)
    }
  }
#endif
