#if os(Linux)
  import CRelay
  import Glibc
  import HeadwaySystem
  import ProcessFixtures
  import Testing

  @testable import HeadwayRelay

  /// Noticing sockets and directories that come and go.
  ///
  /// The system reports each change before the call that makes it returns, so nothing is waited for.
  struct DirectoryWatchTests {
    private let folder = Folder()
    private var directory: RuntimeDirectory { RuntimeDirectory(in: folder.path) }

    /// All changes that are there.
    private static func all(of watch: DirectoryWatch) -> [DirectoryWatch.Change] {
      var all: [DirectoryWatch.Change] = []
      while true {
        let changes = watch.changes()
        // What is read may stand for nothing.
        var poll = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
        all += changes
        if unsafe Glibc.poll(&poll, 1, 0) == 0 { return all }
      }
    }

    @Test func `A socket is reported once, when it listens, and when it is removed`() throws {
      _ = try directory.open(creates: true)
      let watch = try DirectoryWatch()
      try watch.add(directory)
      #expect(watch.changes() == [])
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      #expect(Self.all(of: watch) == [.appeared(name, directory)])
      directory.remove(name)
      #expect(Self.all(of: watch) == [.disappeared(name, directory)])
      _ = socket
    }

    @Test func `Other names are not reported`() throws {
      let opened = try directory.open(creates: true)
      let watch = try DirectoryWatch()
      try watch.add(directory)
      #expect(opened.replace("notes", with: [1]) == 0)
      #expect(opened.rename("notes", to: ".hidden.sock") == 0)
      opened.remove(".hidden.sock")
      folder.write("beside", "x")
      #expect(Self.all(of: watch) == [])
    }

    @Test func `A directory that does not exist yet is reported when it is created`() throws {
      let watch = try DirectoryWatch()
      try watch.add(directory)
      _ = try directory.open(creates: true)
      #expect(Self.all(of: watch) == [.replaced(directory)])
      try watch.add(directory)
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      #expect(Self.all(of: watch) == [.appeared(name, directory)])
      _ = socket
    }

    @Test func `A directory that is removed with a socket that listens is reported`() throws {
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: directory, name: name)
      let watch = try DirectoryWatch()
      try watch.add(directory)
      directory.remove(name)
      #expect(unsafe rmdir(directory.path) == 0)
      #expect(
        Self.all(of: watch) == [.disappeared(name, directory), .replaced(directory)])
      // And is watched again when it is there again.
      try watch.add(directory)
      let second = try RelaySocket.listen(in: directory, name: name)
      #expect(Self.all(of: watch).contains(.replaced(directory)))
      try watch.add(directory)
      directory.remove(name)
      #expect(Self.all(of: watch) == [.disappeared(name, directory)])
      _ = (socket, second)
    }

    @Test func `A directory that is moved away is reported`() throws {
      _ = try directory.open(creates: true)
      let watch = try DirectoryWatch()
      try watch.add(directory)
      #expect(unsafe rename(directory.path, "\(folder.path)/other") == 0)
      #expect(Set(Self.all(of: watch)) == [.replaced(directory)])
    }

    @Test func `What is beside a directory that others share is not watched`() throws {
      let shared = RuntimeDirectory(shared: "\(folder.path)/headway-1")
      let watch = try DirectoryWatch()
      try watch.add(shared)
      let name = RuntimeDirectory.newSocketName()
      let socket = try RelaySocket.listen(in: shared, name: name)
      folder.write("headway", "x")
      var poll = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
      #expect(unsafe Glibc.poll(&poll, 1, 0) == 0)
      try watch.add(shared)
      #expect(unsafe rename(shared.path, "\(folder.path)/moved") == 0)
      #expect(Self.all(of: watch) == [.replaced(shared)])
      _ = socket
    }

    @Test func `Several directories share one watch, until they are removed from it`() throws {
      let watch = try DirectoryWatch()
      let others = (0..<3).map { index in
        RuntimeDirectory(shared: "\(folder.path)/headway-\(index)")
      }
      var sockets: [RelaySocket] = []
      for other in others {
        _ = try other.open(creates: true)
        try watch.add(other)
      }
      watch.remove(others[1])
      for other in others {
        sockets.append(try RelaySocket.listen(in: other, name: "1-1.sock"))
      }
      #expect(
        Self.all(of: watch) == [.appeared("1-1.sock", others[0]), .appeared("1-1.sock", others[2])])
    }

    @Test func `A directory that cannot be used is refused`() throws {
      let shared = RuntimeDirectory(shared: "\(folder.path)/headway-1")
      folder.write("headway-1", "x")
      let watch = try DirectoryWatch()
      #expect(throws: RelayError.noDirectory(path: shared.path, reason: "it is not a directory")) {
        try watch.add(shared)
      }
    }

    @Test func `Without descriptors there is no watch, and the error names the limits`() async {
      await #expect(processExitsWith: .success) {
        limitDescriptors(0)
        do throws(RelayError) {
          _ = try DirectoryWatch()
          exit(1)
        } catch {
          exit(error.description.contains("ulimit -n") ? 0 : 2)
        }
      }
    }

    @Test func `Bytes that are cut off or lost are no trap`() {
      /// A change as the system writes it.
      func bytes(_ mask: UInt32, length: UInt32, _ name: [UInt8]) -> [UInt8] {
        [3, mask, 0, length].flatMap { word in
          (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        } + name
      }
      /// What is read from bytes: the names, and whether changes were lost.
      func read(_ bytes: [UInt8]) -> [String] {
        var (offset, found) = (0, hw_relay_change())
        var names: [String] = []
        unsafe bytes.withUnsafeBytes { room in
          while unsafe hw_relay_next_change(room.baseAddress, room.count, &offset, &found) {
            let name = unsafe room[found.name_start..<found.name_start + found.name_length]
            let text = unsafe String(decoding: name, as: UTF8.self)
            names.append(found.has_overflowed ? "lost" : text)
          }
        }
        return names
      }
      let name = Array("a.sock\0\0".utf8)
      let whole = bytes(0x80, length: 8, name) + bytes(0x4000, length: 0, [])
      #expect(read(whole) == ["a.sock", "lost"])
      for count in 0..<24 { #expect(read(Array(whole.prefix(count))) == []) }
      for count in 24..<40 { #expect(read(Array(whole.prefix(count))) == ["a.sock"]) }
      #expect(read(bytes(0x80, length: .max, name)) == [])
    }
  }
#endif
