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
  var status = stat()
  guard unsafe fstat(pipe, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return false }
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
      var (link, target) = (stat(), stat())
      // The permissions of the link are those of the open file: this program and others write to the pipe.
      let (linked, isOpen) = unsafe FileSystem.withPath(path) { path in
        (unsafe lstat(path, &link), unsafe stat(path, &target))
      }
      return linked == 0 && isOpen == 0 && link.st_mode & S_IRUSR != 0
        && target.st_dev == status.st_dev && target.st_ino == status.st_ino
    }
  }
}
