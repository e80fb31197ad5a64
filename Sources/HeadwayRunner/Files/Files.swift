internal import HeadwayLibc
internal import HeadwaySystem

/// Changes the current directory.
///
/// - Throws: `RunnerError.folder` if that fails.
func enterFolder(_ path: String) throws(RunnerError) {
  if unsafe chdir(path) != 0 { throw .folder(path, errno) }
  if let folder = OutsideText.oddFolder { throw .oddFolder(folder) }
}
