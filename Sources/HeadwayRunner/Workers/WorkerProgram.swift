internal import HeadwayFiles
internal import HeadwayLibc
internal import HeadwaySystem

/// The program of workers on hosts that do not have it: this one, which is copied there once.
///
/// The command that `ssh` starts looks for `headway` in the PATH, then for a copy of this very program in the cache of the user,
/// and else asks for one:
///
/// ```
///   host                                               runner
///     │ {"headway":"missing"}                            │
///     ├─────────────────────────────────────────────────▶│
///     │ SHA-256 and size, then the bytes of the program  │
///     │◀─────────────────────────────────────────────────┤
///     │ checks them, and becomes the worker              │
/// ```
///
/// Until it was checked, the copy has a name of its own, because machines that share the cache may ask for it at the same time.
struct WorkerProgram {
  /// The beginning of the line that asks for the program.
  static let mark = Array(#"{"headway":"missing""#.utf8)

  /// The path of this program.
  static let path = "/proc/self/exe"

  /// The path of this program in its file system.
  static var own: String {
    let link = FileSystem.target(ofLink: Array(path.utf8))
    return link.flatMap { String(validating: $0, as: UTF8.self) } ?? "headway"
  }

  /// The commands for the shell of the host, on one line and without single quotes, because the user's shell reads them first.
  private static let script = [
    #"messages=$1; key=$2; run=$3"#,
    #"if [ "$(headway worker --messages 2>/dev/null)" = "$messages" ]; then exec headway worker "$run"; fi"#,
    #"folder=${XDG_CACHE_HOME:-$HOME/.cache}/headway/$key"#,
    #"program=$folder/headway"#,
    #"if [ -x "$program" ]; then exec "$program" worker "$run"; fi"#,
    #"copy="#,
    #"fail() { rm -f "$copy"; echo "headway cannot be copied: $1" >&2; exit 1; }"#,
    #"mkdir -p "$folder" || fail "no folder $folder""#,
    #"echo "{\"headway\":\"missing\"}""#,
    #"read -r sum size || fail "the connection has ended""#,
    #"copy=$(mktemp "$program.XXXXXX") || fail "mktemp is missing, or cannot make a file in $folder""#,
    #"head -c "$size" >"$copy" || fail "no room in $folder""#,
    #"own=$(sha256sum <"$copy") || fail "sha256sum is missing""#,
    #"[ "${own%% *}" = "$sum" ] || fail "the copy is damaged""#,
    #"chmod 755 "$copy""#,
    #""$copy" worker --messages >/dev/null || fail "it needs libraries that the host does not have; build it with make install STATIC=1, or install it there""#,
    #"mv "$copy" "$program""#,
    #"exec "$program" worker "$run""#,
  ].joined(separator: "; ")

  /// Distinguishes this program from others: a digest of its contents.
  let key: String

  /// Reads this program.
  ///
  /// - Complexity: O(its bytes).
  init() {
    var digest = ContentDigest()
    _ = digest.add(file: Array(Self.path.utf8), until: Interruption())
    key = digest.text
  }

  /// The words for `ssh` that start a worker on a host, whatever the user's shell is.
  ///
  /// - Parameter identity: The beginning of `HEADWAY_TASK_ID` in the run.
  /// - Returns: The words; `ssh` joins them with spaces.
  func words(_ identity: String) -> [String] {
    [
      "exec", "sh", "-c", "'\(Self.script)'", "headway", "\(WorkerGreeting.version)", key, identity,
    ]
  }

  /// What a host gets that has asked for the program.
  ///
  /// - Parameter environment: The environment of this program.
  /// - Returns: The bytes, nil if they cannot be read.
  static func bytes(_ environment: EnvironmentBlock) -> [UInt8]? {
    let contents = readFile(path, most: 1 << 30)
    guard !contents.isEmpty,
      let sum = try? CommandOutput.text(of: ["sha256sum", path(of: getpid())], environment)
        .split(separator: " ").first
    else { return nil }
    return Array("\(sum) \(contents.count)\n".utf8) + contents
  }

  /// The path of the program of a process.
  private static func path(of process: pid_t) -> String { "/proc/\(process)/exe" }
}
