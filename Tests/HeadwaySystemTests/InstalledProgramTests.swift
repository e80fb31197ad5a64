import Glibc
import HeadwayLock
import HeadwaySystem
import ProcessFixtures
import Testing

/// The programs that tests make.
struct InstalledProgramTests {
  /// The errors of starts.
  private final class Errors: Sendable {
    let all = Guarded<[Int32]>([])
  }

  /// Starts a program and waits for its end.
  ///
  /// - Returns: The error of the start, 0 if there was none.
  private static func start(_ path: String) -> Int32 {
    var arguments = unsafe [strdup(path), nil]
    defer { for place in unsafe arguments.indices { unsafe free(arguments[place]) } }
    var pid: pid_t = 0
    let error = unsafe posix_spawn(&pid, path, nil, nil, &arguments, environ)
    if error == 0 { while waitpid(pid, nil, 0) < 0, errno == EINTR {} }
    return error
  }

  @Test func `A program can be started at once, although other threads start processes meanwhile`()
  {
    let folder = Folder()
    let (threads, programs) = (4, 25)
    let errors = Errors()
    let path = folder.path
    for thread in 0..<threads {
      let error = SystemThread.start(named: "test") {
        for program in 0..<programs {
          let file = "\(path)/\(thread)-\(program)"
          installProgram("#!/bin/sh\n", at: file)
          let error = Self.start(file)
          errors.all.withLock { $0.append(error) }
        }
      }
      #expect(error == 0)
    }
    #expect(eventually { errors.all.withLock { $0.count } == threads * programs })
    #expect(errors.all.withLock { $0.allSatisfy { $0 == 0 } })
  }
}
