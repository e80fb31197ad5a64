#if os(Linux)
  /// A socket of a process that publishes.
  struct SocketName: Hashable, Sendable {
    let directory: RuntimeDirectory
    let name: String

    /// The number of the process, nil if the name has another form.
    var process: Int32? { processNumber(ofSocket: name) }
  }

  /// The sockets in the runtime directories of this user, as they come and go; one for all subscriptions.
  final class SocketList {
    /// Why some directories cannot be used or watched.
    private(set) var problems: [RelayError] = []
    private unowned let thread: RelayThread
    private var watch: DirectoryWatch?
    private var token: UInt64?
    private var directories: [RuntimeDirectory] = []

    /// How often the directories are listed if changes in them are not reported.
    private static let scanInterval: Duration = .seconds(1)

    /// Begins to watch the directories.
    init(thread: RelayThread) {
      self.thread = thread
      (directories, problems) = RuntimeDirectory.all(of: RuntimeDirectory.places)
      do throws(RelayError) {
        let watch = try DirectoryWatch()
        self.watch = watch
        token = thread.add(watch.descriptor, .directories)
        for directory in directories { try watch.add(directory) }
      } catch {
        problems.append(error)
        scanLater()
      }
    }

    deinit {
      if let watch, let token { thread.remove(watch.descriptor, token) }
    }

    /// The sockets that are there now.
    func names() -> [SocketName] { directories.flatMap { names(in: $0) } }

    private func names(in directory: RuntimeDirectory) -> [SocketName] {
      directory.socketNames().map { SocketName(directory: directory, name: $0) }
    }

    /// Takes in what has changed in the directories.
    func takeChanges() {
      for change in watch?.changes() ?? [] {
        switch change {
        case .appeared(let name, let directory):
          thread.socketAppeared(SocketName(directory: directory, name: name))
        case .disappeared: break
        case .replaced(let directory):
          do throws(RelayError) { try watch?.add(directory) } catch { thread.report(error) }
          for name in names(in: directory) { thread.socketAppeared(name) }
        case .lost: scan()
        }
      }
    }

    private func scan() {
      for name in names() { thread.socketAppeared(name) }
    }

    private func scanLater() {
      thread.call(after: Self.scanInterval) { [weak self] in
        self?.scan()
        self?.scanLater()
      }
    }
  }
#endif
