internal import HeadwayLibc

/// Whether a process in the foreground of a terminal reads a pipe, as `tee` or `grep` behind this program in a command line.
///
/// What it prints probably goes to that terminal, too. One whose open files cannot be seen, such as `sudo tee`, counts as well.
///
/// - Parameters:
///   - pipe: A descriptor.
///   - terminal: The descriptor of the terminal.
/// - Returns: Whether there is one; false if the descriptor is no pipe, and where the system cannot tell.
/// - Complexity: O(processes of the machine), and O(open files) of those in the foreground.
package func isRead(pipe: Int32, inForegroundOf terminal: Int32) -> Bool {
  guard let status = FileStatus(descriptor: pipe), status.kind == .pipe else { return false }
  let group = tcgetpgrp(terminal)
  guard group > 0 else { return false }
  return FileSystem.names(in: Array("/proc".utf8)).contains { name in
    guard let process = pid_t(String(decoding: name, as: UTF8.self)), getpgid(process) == group
    else { return false }
    let folder = "/proc/\(process)/fd"
    let open = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard open >= 0 else { return errno == EACCES }
    return FileSystem.names(inOpen: open).contains { file in
      let path = Array("\(folder)/".utf8) + file
      // The permissions of the link are those of the open file: this program and others write to the pipe.
      guard let link = FileStatus(path, followsLinks: false), link.permissions & 0o400 != 0 else {
        return false
      }
      return FileStatus(path)?.identity == status.identity
    }
  }
}
