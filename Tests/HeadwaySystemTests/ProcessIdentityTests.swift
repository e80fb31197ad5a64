import Glibc
import ProcessFixtures
import Testing

@testable import HeadwaySystem

/// Whether a process is the one that is meant.
struct ProcessIdentityTests {
  @Test func `This process is alive, and what has its number at another time is not`() {
    let here = ProcessIdentity.current
    #expect(here.isAlive && here.number == getpid() && here.started > 0 && !here.boot.isEmpty)
    var other = here
    other.started += 1
    #expect(!other.isAlive)
    other = here
    other.boot = "an earlier one"
    #expect(!other.isAlive)
  }

  @Test(arguments: [0, 1, -1, Int32.max]) func `No run has such a process`(number: pid_t) {
    var other = ProcessIdentity.current
    other.number = number
    other.started = number == 1 ? 0 : other.started
    #expect(!other.isAlive)
  }

  @Test func `The status of a process is read past the name of its program`() throws {
    let own = try #require(ProcessStatus(of: getpid()))
    #expect(own.parent == getppid() && !own.hasEnded)
    #expect(own.started == ProcessIdentity.current.started)
    #expect(ProcessStatus(of: .max) == nil && ProcessStatus(of: -1) == nil)
    // A program may call itself anything, also what looks like the end of its name.
    var template = Array("/tmp/headway-process-XXXXXX".utf8CString)
    let folder = unsafe String(cString: try #require(mkdtemp(&template)))
    defer { FileSystem.removeTree(Array(folder.utf8)) }
    let program = "\(folder)/a) Z 1 ("
    #expect(unsafe symlink("/bin/sleep", program) == 0)
    var pid: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("sleep"), strdup("300"), nil]
    #expect(unsafe posix_spawn(&pid, program, nil, nil, &arguments, environ) == 0)
    for place in unsafe arguments.indices { unsafe free(arguments[place]) }
    let child = try #require(ProcessStatus(of: pid))
    #expect(child.parent == getpid() && child.started >= own.started && !child.hasEnded)
    kill(pid, SIGKILL)
    #expect(eventually { ProcessStatus(of: pid)?.hasEnded == true })
    #expect(ProcessIdentity.start(of: pid) == nil)
    waitpid(pid, nil, 0)
    #expect(ProcessStatus(of: pid) == nil)
  }
}
