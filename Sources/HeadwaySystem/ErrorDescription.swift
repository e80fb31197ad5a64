internal import HeadwayLibc

/// The text for an error number of the system; for a limit, its name and the command that changes it.
package func errorDescription(_ code: Int32) -> String {
  switch code {
  case EAGAIN: "the limit on processes and threads is reached (ulimit -u)"
  case EMFILE: "the limit on open files is reached (ulimit -n)"
  case EFBIG: "the limit on the size of files is reached (ulimit -f)"
  default: unsafe String(cString: strerror(code))
  }
}
