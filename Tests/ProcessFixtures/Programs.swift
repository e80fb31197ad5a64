internal import Glibc

/// Makes a program out of a text, such as a script that stands for a program of the system.
///
/// Another process writes it. If this one did, a child that another test creates just then would have the file open for
/// writing until it executes a program of its own, and starting the file meanwhile fails with "Text file busy".
///
/// - Parameters:
///   - text: What the program says, without NUL and shorter than 128 KiB.
///   - path: Where it is put, all at once; the folder must exist.
public func installProgram(_ text: String, at path: String) {
  let script = #"printf %s "$2" >"$1.new" && chmod 755 "$1.new" && mv -f "$1.new" "$1""#
  let words = ["sh", "-c", script, "sh", path, text]
  var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
  defer { for place in unsafe arguments.indices { unsafe free(arguments[place]) } }
  // A PATH of its own, so that no program of a test takes the place of chmod or mv.
  var variables = unsafe [strdup("PATH=/usr/bin:/bin"), nil]
  defer { for place in unsafe variables.indices { unsafe free(variables[place]) } }
  var pid: pid_t = 0
  let error = unsafe posix_spawn(&pid, "/bin/sh", nil, nil, &arguments, &variables)
  precondition(error == 0, "cannot start a shell: error \(error)")
  var status: Int32 = 0
  while unsafe waitpid(pid, &status, 0) < 0, errno == EINTR {}
  precondition(ProcessEnd(status: status) == .code(0), "cannot make the program \(path)")
}
