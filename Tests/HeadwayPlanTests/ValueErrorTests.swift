import HeadwayPlan
import Testing

/// Errors in numbers, booleans and durations.
struct ValueErrorTests {
  private static let cases: [DiagnosticCase] = [
    DiagnosticCase(
      "keys for forecasts",
      #"""
      tasks:
        a: { run: x, expect: 0s }
        b: { run: x, kind: "" }
      """#,
      #"""
      plan.yaml:2:24: "expect" must be greater than 0
        a: { run: x, expect: 0s }
                             ^
      plan.yaml:3:22: "kind" is empty; give it a value or remove it
        b: { run: x, kind: "" }
                           ^
      """#),
    DiagnosticCase(
      "what a task that runs once cannot have",
      #"""
      tasks:
        a: { run: x, once: true, retries: 1, inputs: y }
        b: { run: x, once: true, service: true }
      """#,
      #"""
      plan.yaml:2:28: a task with "once" has no "retries"; it is not run again by itself
        a: { run: x, once: true, retries: 1, inputs: y }
                                 ^
      plan.yaml:2:40: a task with "once" has no "inputs"; changed inputs do not run it again
        a: { run: x, once: true, retries: 1, inputs: y }
                                             ^
      plan.yaml:3:16: a service has no "once"; it is started in each run that needs it
        b: { run: x, once: true, service: true }
                     ^
      """#),
    DiagnosticCase(
      "machines to which files are copied",
      #"""
      hosts: [{ host: a, sync: scp }, { host: b, sync: rsync, folder: x }, { host: c, folder: /x }]
      tasks: { a: { run: x } }
      """#,
      #"""
      plan.yaml:1:26: "sync" must be rsync
      hosts: [{ host: a, sync: scp }, { host: b, sync: rsync, folder: x }, { host: c, folder: /x }]
                               ^
      plan.yaml:1:65: "folder" must be an absolute path, such as /scratch/me
      hosts: [{ host: a, sync: scp }, { host: b, sync: rsync, folder: x }, { host: c, folder: /x }]
                                                                      ^
      plan.yaml:1:70: "folder" is for hosts with "sync: rsync"
      hosts: [{ host: a, sync: scp }, { host: b, sync: rsync, folder: x }, { host: c, folder: /x }]
                                                                           ^
      """#),
    DiagnosticCase(
      "the jobs of a cluster",
      #"""
      hosts: [{ host: slurm, places: 4, mode: array }, { host: a, mode: job }]
      tasks: { a: { run: x } }
      """#,
      #"""
      plan.yaml:1:41: "mode" must be worker or job
      hosts: [{ host: slurm, places: 4, mode: array }, { host: a, mode: job }]
                                              ^
      plan.yaml:1:50: "mode" is for the host slurm
      hosts: [{ host: slurm, places: 4, mode: array }, { host: a, mode: job }]
                                                       ^
      """#),
    DiagnosticCase(
      "nodes of a cluster to which files are copied",
      #"""
      hosts: { host: slurm, places: 4, sync: rsync }
      tasks: { a: { run: x } }
      """#,
      #"""
      plan.yaml:1:8: the nodes of a cluster share the file system, so there is no "sync" for them
      hosts: { host: slurm, places: 4, sync: rsync }
             ^
      """#),
    DiagnosticCase(
      "machines and what tasks need",
      #"""
      hosts: [{ places: 2 }, { host: "a:0" }, { host: "b,c" }, { host: d, cores: 2 }, d, { host: slurm }]
      tasks:
        a: { run: x, cpus: 0 }
        b: { run: x, memory: none, threads: 2 }
        c: { run: x, memory: 2G, labels: [""] }
      """#,
      #"""
      plan.yaml:1:9: a host needs a name, such as { host: build1, labels: [fast] }
      hosts: [{ places: 2 }, { host: "a:0" }, { host: "b,c" }, { host: d, cores: 2 }, d, { host: slurm }]
              ^
      plan.yaml:1:32: 'a:0': after the colon comes a whole number from 1 to 10000
      hosts: [{ places: 2 }, { host: "a:0" }, { host: "b,c" }, { host: d, cores: 2 }, d, { host: slurm }]
                                     ^
      plan.yaml:1:49: "host" is the name of one machine
      hosts: [{ places: 2 }, { host: "a:0" }, { host: "b,c" }, { host: d, cores: 2 }, d, { host: slurm }]
                                                      ^
      plan.yaml:1:69: unknown key "cores" in a host; valid keys: host, places, memory, gpus, labels, mode, sync, folder
      hosts: [{ places: 2 }, { host: "a:0" }, { host: "b,c" }, { host: d, cores: 2 }, d, { host: slurm }]
                                                                          ^
      plan.yaml:1:81: the host "d" is named twice
      … "a:0" }, { host: "b,c" }, { host: d, cores: 2 }, d, { host: slurm }]
                                                         ^
      plan.yaml:1:92: 'slurm' needs the number of places after a colon, such as slurm:64
      … host: "b,c" }, { host: d, cores: 2 }, d, { host: slurm }]
                                                         ^
      plan.yaml:3:22: "cpus" must be an integer from 1 to 10,000, not "0"
        a: { run: x, cpus: 0 }
                           ^
      plan.yaml:4:24: "memory" must be a size, such as 500kB, 10MB or 2GiB
        b: { run: x, memory: none, threads: 2 }
                             ^
      plan.yaml:4:30: unknown key "threads" in a task; did you mean "cpus"?
        b: { run: x, memory: none, threads: 2 }
                                   ^
      plan.yaml:5:24: invalid size "2G"; write "2GB"
        c: { run: x, memory: 2G, labels: [""] }
                             ^
      plan.yaml:5:37: an entry of "labels" is empty; give it a value or remove it
        c: { run: x, memory: 2G, labels: [""] }
                                          ^
      """#),
    DiagnosticCase(
      "numbers",
      #"""
      workers: 0
      pools: { disk: none, x: 0 }
      tasks:
        a: { run: x, retries: -1 }
        b: { run: x, retries: 1.5 }
        c: { run: x, retries: [] }
        d: { run: x, retries: 99999999999999999999 }
      """#,
      #"""
      plan.yaml:1:10: "workers" must be an integer from 1 to 100,000, not "0"
      workers: 0
               ^
      plan.yaml:2:16: "disk" must be an integer from 1 to 100,000, not "none"
      pools: { disk: none, x: 0 }
                     ^
      plan.yaml:2:25: "x" must be an integer from 1 to 100,000, not "0"
      pools: { disk: none, x: 0 }
                              ^
      plan.yaml:4:25: "retries" must be an integer from 0 to 1,000, not "-1"
        a: { run: x, retries: -1 }
                              ^
      plan.yaml:5:25: "retries" must be an integer from 0 to 1,000, not "1.5"
        b: { run: x, retries: 1.5 }
                              ^
      plan.yaml:6:25: "retries" must be an integer from 0 to 1,000
        c: { run: x, retries: [] }
                              ^
      plan.yaml:7:25: "retries" must be an integer from 0 to 1,000, not "99999999999999999999"
        d: { run: x, retries: 99999999999999999999 }
                              ^
      """#),
    DiagnosticCase(
      "many workers",
      #"""
      workers: many
      tasks: { a: { run: x } }
      """#,
      #"""
      plan.yaml:1:10: "workers" must be an integer from 1 to 100,000, not "many"
      workers: many
               ^
      """#),
    DiagnosticCase(
      "booleans",
      #"""
      tasks:
        a: { run: x, optional: yes }
        b: { run: x, always: 1 }
        c: { run: x, detach: Off }
        d: { run: x, optional: True }
        e: { run: x, optional: [] }
      """#,
      #"""
      plan.yaml:2:26: "optional" must be true or false; write true instead of yes
        a: { run: x, optional: yes }
                               ^
      plan.yaml:3:24: "always" must be true or false
        b: { run: x, always: 1 }
                             ^
      plan.yaml:4:24: "detach" must be true or false; write false instead of Off
        c: { run: x, detach: Off }
                             ^
      plan.yaml:5:26: "optional" must be true or false; write true instead of True
        d: { run: x, optional: True }
                               ^
      plan.yaml:6:26: "optional" must be true or false
        e: { run: x, optional: [] }
                               ^
      """#),
    DiagnosticCase(
      "a protocol for progress",
      #"""
      tasks:
        a: { run: x, progress: zag }
        b: { run: x, progress: percent }
        c: { run: x, progress: }
      """#,
      #"""
      plan.yaml:2:26: unknown protocol "zag" in "progress"; did you mean "zig"?
        a: { run: x, progress: zag }
                               ^
      plan.yaml:3:26: unknown protocol "percent" in "progress"; valid protocols: zig
        b: { run: x, progress: percent }
                               ^
      plan.yaml:4:26: "progress" is empty; give it a value or remove it
        c: { run: x, progress: }
                               ^
      """#),
    DiagnosticCase(
      "a duration without a unit",
      #"""
      tasks:
        a: { run: x, timeout: 30 }
      """#,
      #"""
      plan.yaml:2:25: duration 30 has no unit; write "30s" for seconds, or use ms, m, h or d
        a: { run: x, timeout: 30 }
                              ^
      """#),
    DiagnosticCase(
      "a duration with long words",
      #"""
      tasks:
        a: { run: x, timeout: 5 min, grace: 90sec }
      """#,
      #"""
      plan.yaml:2:25: invalid duration "5 min"; write "5m"
        a: { run: x, timeout: 5 min, grace: 90sec }
                              ^
      plan.yaml:2:39: invalid duration "90sec"; write "90s"
        a: { run: x, timeout: 5 min, grace: 90sec }
                                            ^
      """#),
    DiagnosticCase(
      "invalid durations",
      #"""
      tasks:
        a: { run: x, timeout: soon }
        b: { run: x, timeout: 1m1h }
        c: { run: x, timeout: [1s] }
        d: { run: x, timeout: }
        e: { run: x, grace: none }
        f: { run: x, grace: -5s }
      """#,
      #"""
      plan.yaml:2:25: invalid duration "soon"; write it like 250ms, 90s, 5m, 1h30m or 2d
        a: { run: x, timeout: soon }
                              ^
      plan.yaml:3:25: invalid duration "1m1h"; units must go from large to small, as in 1h30m
        b: { run: x, timeout: 1m1h }
                              ^
      plan.yaml:4:25: "timeout" must be a duration, such as 250ms, 90s, 5m, 1h30m or 2d
        c: { run: x, timeout: [1s] }
                              ^
      plan.yaml:5:25: "timeout" must be a duration, such as 250ms, 90s, 5m, 1h30m or 2d
        d: { run: x, timeout: }
                              ^
      plan.yaml:6:23: invalid duration "none"; write it like 250ms, 90s, 5m, 1h30m or 2d
        e: { run: x, grace: none }
                            ^
      plan.yaml:7:23: invalid duration "-5s"; write it like 250ms, 90s, 5m, 1h30m or 2d
        f: { run: x, grace: -5s }
                            ^
      """#),
    DiagnosticCase(
      "too long durations",
      #"""
      tasks:
        a: { run: x, timeout: 9999d }
        b: { run: x, timeout: 99999999999999999999h }
      """#,
      #"""
      plan.yaml:2:25: duration "9999d" is too long; the maximum is 3650d
        a: { run: x, timeout: 9999d }
                              ^
      plan.yaml:3:25: duration "99999999999999999999h" is too long; the maximum is 3650d
        b: { run: x, timeout: 99999999999999999999h }
                              ^
      """#),
    DiagnosticCase(
      "a timeout of zero",
      #"""
      tasks:
        a: { run: x, timeout: 0s }
      """#,
      #"""
      plan.yaml:2:25: "timeout" must be greater than 0; write "none" for no limit
        a: { run: x, timeout: 0s }
                              ^
      """#),
    DiagnosticCase(
      "retries",
      #"""
      defaults: { retries: { limit: x } }
      tasks:
        a: { run: x, retries: { backoff: 1s } }
        b: { run: x, retries: { limit: 1, bckoff: 1s } }
        c: { run: x, retries: { limit: 1, backoff: 1 } }
      """#,
      #"""
      plan.yaml:1:31: "limit" must be an integer from 0 to 1,000, not "x"
      defaults: { retries: { limit: x } }
                                    ^
      plan.yaml:3:16: "retries" needs a "limit", such as retries: { limit: 3, backoff: 1s }
        a: { run: x, retries: { backoff: 1s } }
                     ^
      plan.yaml:4:37: unknown key "bckoff" in "retries"; did you mean "backoff"?
        b: { run: x, retries: { limit: 1, bckoff: 1s } }
                                          ^
      plan.yaml:5:46: duration 1 has no unit; write "1s" for seconds, or use ms, m, h or d
        c: { run: x, retries: { limit: 1, backoff: 1 } }
                                                   ^
      """#),
  ]

  @Test(arguments: cases) func `Each invalid value is reported`(_ test: DiagnosticCase) {
    #expect(test.rendered() == test.expected)
  }
}
