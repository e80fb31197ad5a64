/// The loop of libFuzzer, which the sanitizer's runtime brings.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The check of this program.
///
/// A C function cannot capture it. Set once, before the loop begins.
nonisolated(unsafe) private var check: ([UInt8]) -> Void = { _ in }

/// Fuzzes a function with the options on the command line.
///
/// - Parameter body: Checks one input. It must not trap, and calls ``expect(_:_:)`` for each invariant.
package func fuzz(_ body: @escaping ([UInt8]) -> Void) {
  check = body
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  let status = runDriver(&count, &arguments) { data, size in
    check(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
  }
  precondition(status == 0, "libFuzzer exited with \(status)")
}
