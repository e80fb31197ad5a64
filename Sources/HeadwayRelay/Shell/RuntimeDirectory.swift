#if os(Linux)
  internal import CRelay
  internal import HeadwayLibc
  package import HeadwaySystem

  /// A directory for the sockets of one user's processes.
  ///
  /// Only its user can change it, and the directory above it is either private as well or does not let others replace what
  /// is in it, as `/tmp`. It is opened for each use and closed again: the directory may be removed and created anew at any
  /// time, and the system reports the removal of a directory only once nobody has it open.
  ///
  /// A socket that can be connected to has the name `PID-RANDOM.sock`. It gets it when it listens, by renaming, so one that
  /// refuses a connection is left over from a process that has died. Names are unique: a number of a process that is used
  /// again makes another name. Safe from any thread.
  package struct RuntimeDirectory: Hashable, Sendable {
    /// The path, without a trailing slash.
    package let path: String
    /// The directory above it, which only this user can change; nil if others use that too.
    let parent: String?
    /// Whether the environment names it.
    private let isChosen: Bool

    /// The name below a directory of the user.
    static let name = "headway"
    /// Who may use a directory that is created: this user.
    private static let permissions: UInt16 = 0o700
    /// The end of the name of a socket that can be connected to.
    private static let suffix = ".sock"
    /// The end of the name of a socket that stands for one on another machine, which only those find who are told.
    private static let forwardedSuffix = ".forwarded"
    /// The end of the name of a file that says how to report for a process.
    static let shareSuffix = ".share"
    /// The age from which a socket that is not listening yet is left over; it takes less than a second.
    private static let patience: Duration = .seconds(60)

    /// Creates the directory in one that belongs to a user.
    ///
    /// - Parameters:
    ///   - parent: The directory above it, an absolute path.
    ///   - isChosen: Whether the environment names it.
    package init(in parent: String, isChosen: Bool = false) {
      var parent = parent
      while parent.utf8.count > 1, parent.utf8.last == UInt8(ascii: "/") { parent.removeLast() }
      self.parent = parent
      self.isChosen = isChosen
      path = parent == "/" ? "/\(Self.name)" : "\(parent)/\(Self.name)"
    }

    /// Creates a directory in one that all users share.
    ///
    /// - Parameter path: Its path, which contains the number of its user.
    package init(shared path: String) {
      self.path = path
      parent = nil
      isChosen = false
    }

    // MARK: Finding

    /// The places of this user in the order of preference: `$XDG_RUNTIME_DIR/headway`, `/run/user/UID/headway` and
    /// `/tmp/headway-UID`.
    package static var places: [RuntimeDirectory] {
      places(user: geteuid(), variable: environmentValue("XDG_RUNTIME_DIR"))
    }

    /// The places of a user, each once.
    ///
    /// - Parameters:
    ///   - user: The number of the user.
    ///   - variable: `XDG_RUNTIME_DIR`; a relative path does not count.
    /// - Returns: The places in the order of preference.
    package static func places(user: UInt32, variable: String?) -> [RuntimeDirectory] {
      var places: [RuntimeDirectory] = []
      if let variable, variable.hasPrefix("/") {
        places.append(RuntimeDirectory(in: variable, isChosen: true))
      }
      let usual = RuntimeDirectory(in: "/run/user/\(user)")
      if places.first?.path != usual.path { places.append(usual) }
      places.append(RuntimeDirectory(shared: "/tmp/headway-\(user)"))
      return places
    }

    /// Finds the first place that can be used, and creates the directory if necessary.
    ///
    /// - Parameter places: The places in the order of preference, at least one.
    /// - Returns: The directory.
    /// - Throws: `RelayError` if there is none: about the place that the environment names, or else about the last one.
    package static func first(
      of places: [RuntimeDirectory]
    ) throws(RelayError) -> RuntimeDirectory {
      var found: RelayError?
      for place in places {
        do throws(RelayError) {
          _ = try place.open(creates: true)
          return place
        } catch {
          if found == nil || places.first?.isChosen != true { found = error }
        }
      }
      throw found ?? .noDirectory(path: "/tmp", reason: "there is no place for it")
    }

    /// Finds the directories in which processes of this user may publish.
    ///
    /// These are all that exist, because a process that was started with another environment may use another one, and the
    /// first that can be used, which is created if necessary.
    ///
    /// - Parameter places: The places in the order of preference, at least one.
    /// - Returns: The directories, each once, and why others cannot be used.
    package static func all(
      of places: [RuntimeDirectory]
    ) -> (directories: [RuntimeDirectory], problems: [RelayError]) {
      var directories: [(place: RuntimeDirectory, folder: PrivateDirectory)] = []
      var problems: [RelayError] = []
      var first: RuntimeDirectory?
      do throws(RelayError) {
        first = try Self.first(of: places)
      } catch {
        problems.append(error)
      }
      for place in places where place == first || place.exists {
        // Such as that of the user in the environment of `sudo`: it is nobody's mistake.
        if let parent = place.parent,
          (try? PrivateDirectory(path: parent, creates: false)) == nil
        {
          continue
        }
        do throws(RelayError) {
          let folder = try place.open(creates: false)
          // Two paths may lead to the same directory.
          if directories.contains(where: { $0.folder.isSame(as: folder) }) { continue }
          directories.append((place, folder))
        } catch {
          if !problems.contains(error) { problems.append(error) }
        }
      }
      return (directories.map(\.place), problems)
    }

    /// Whether there is something at its path.
    var exists: Bool { FileStatus(path, followsLinks: false) != nil }

    /// Opens the directory.
    ///
    /// - Parameter creates: Whether it is created if it does not exist; the one above it never is.
    /// - Returns: The directory, which the caller should not keep.
    /// - Throws: `RelayError` if it does not exist, belongs to another user, can be written by others or is a link.
    package func open(creates: Bool) throws(RelayError) -> PrivateDirectory {
      do throws(DirectoryError) {
        guard let parent else {
          return try PrivateDirectory(path: path, creates: creates, permissions: Self.permissions)
        }
        return try PrivateDirectory(path: parent, creates: false)
          .directory(Self.name, creates: creates, permissions: Self.permissions)
      } catch {
        // The directory above it is not meant for Headway, so nobody should remove that.
        if let owner = error.owner, error.path == path { throw .otherUser(path: path, uid: owner) }
        throw .noDirectory(path: error.path, reason: error.reason)
      }
    }

    // MARK: Sockets

    /// A name for a socket of this process that no other one has.
    package static func newSocketName() -> String { newName(suffix) }

    /// A name for a socket of this process that stands for one on another machine.
    package static func newForwardedName() -> String { newName(forwardedSuffix) }

    private static func newName(_ suffix: String) -> String {
      let digits = String(UInt64.random(in: .min ... .max), radix: 16)
      let zeros = String(repeating: "0", count: 16 - digits.utf8.count)
      return "\(getpid())-\(zeros)\(digits)\(suffix)"
    }

    /// Whether a name is that of a socket that can be connected to.
    package static func isSocketName(_ name: String) -> Bool {
      name.hasSuffix(suffix) && name.utf8.first != UInt8(ascii: ".")
    }

    /// The name of a socket until it listens.
    static func temporaryName(for name: String) -> String {
      ".\(name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name).new"
    }

    /// The number of the process that has made a name, nil if the name says none.
    static func process(of name: String) -> Int32? {
      name.split(separator: "-", maxSplits: 1).first.flatMap { Int32($0) }
    }

    /// The names of the sockets that can be connected to, unordered; empty if the directory cannot be used.
    ///
    /// - Complexity: O(names in the directory).
    package func socketNames() -> [String] {
      ((try? open(creates: false))?.names() ?? []).filter(Self.isSocketName)
    }

    /// Removes a socket, such as that of this process when it is closed; nothing happens if it is gone.
    package func remove(_ name: String) { (try? open(creates: false))?.remove(name) }

    /// Removes what processes that have died have left behind.
    ///
    /// A socket whose process does not exist may be that of another container, so it is connected to before it is removed. That
    /// of a later process with the same number stays until somebody connects to it.
    ///
    /// - Complexity: O(names in the directory).
    package func removeLeftovers() {
      guard let folder = try? open(creates: false) else { return }
      for name in folder.names() {
        if Self.isSocketName(name) || name.hasSuffix(Self.forwardedSuffix) {
          guard let process = Self.process(of: name), process > 0, kill(process, 0) != 0,
            errno == ESRCH
          else { continue }
          // Removes it if nobody listens; a connection is closed at once.
          _ = try? RelaySocket.connect(in: self, name: name)
        } else if name.hasSuffix(Self.shareSuffix), !name.hasPrefix(".") {
          guard let process = Self.process(of: name), process > 0, kill(process, 0) != 0,
            errno == ESRCH
          else { continue }
          folder.remove(name)
        } else if name.hasPrefix("."), name.hasSuffix(".new"),
          let age = folder.age(of: name), age > Self.patience
        {
          folder.remove(name)
        }
      }
    }
  }
#endif
