internal import HeadwayLock
package import HeadwayProgress
internal import HeadwaySystem

/// Shares for many programs, as those of a run, which are opened when the first program reports for one.
///
/// A share that nobody reports for costs nothing but the text of its variable. The first program stands for all of a share
/// until it ends: if the share goes on, its total is unknown from then on, and later programs are shown but count for nothing.
/// Safe from any thread.
package final class ProcessShares: Sendable {
  /// The beginning of all tokens, and where they are shown.
  let root: OpenShare
  /// The node of a share, nil if it is not open.
  let node: @Sendable (Int) -> ProgressNode?
  /// Changes the texts of programs, nil to show them as they are.
  let masked: TextMask?

  /// Opens the shares.
  ///
  /// - Parameters:
  ///   - masked: Changes all texts of programs, called by another thread; nil to show them as they are.
  ///   - node: Returns the node of a share, nil if there is none at the moment. Called by another thread, whenever a
  ///     program begins to report for it.
  package init(
    masked: TextMask? = nil, node: @escaping @Sendable (Int) -> ProgressNode?
  ) {
    self.node = node
    self.masked = masked
    root = OpenShare(ProgressNode())
    #if os(Linux)
      if RelayError.ofPublisher == nil {
        RelayLoop.shared.post(.openShares(self))
      } else {
        root.set(address: nil)
      }
    #else
      root.set(address: nil)
    #endif
  }

  /// The variable for the environment of a program.
  ///
  /// - Parameter number: The number of the share, at least 0.
  /// - Returns: Its name and its value, nil if programs cannot report.
  /// - Complexity: O(1). The first call waits until the socket of the process was created.
  package func variable(of number: Int) -> (name: String, value: String)? {
    guard let address = root.address else { return nil }
    // In one piece: this is done for each task of a run.
    var value = ""
    value.reserveCapacity(root.token.utf8.count + address.utf8.count + 24)
    value += String(OpenShare.version)
    value += ";"
    value += root.token
    value += "."
    value += String(number)
    value += ";"
    value += address
    return (OpenShare.variable, value)
  }

  /// Opens a pipe through which programs report for a share as those written in Zig do.
  ///
  /// - Parameter number: The number of the share, at least 0.
  /// - Returns: The writing end for one program, which the caller closes once that has it; nil if programs cannot report.
  /// - Complexity: O(1): three system calls.
  package func openZigPipe(of number: Int) -> Int32? {
    #if os(Linux)
      let node = node
      return ZigInput.open(share: "\(root.token).\(number)", masked: masked) {
        node(number)?.makePlaceOfProgram()
      }
    #else
      return nil
    #endif
  }

  /// Opens a pipe through which a program reports as those written in Zig do, for another process that shows it.
  ///
  /// - Returns: Its ends, which do not block and which the caller closes; nil if the system refuses it.
  package static func openForwardedZigPipe() -> (reader: Int32, writer: Int32)? {
    #if os(Linux)
      return ZigInput.openPipe()
    #else
      return nil
    #endif
  }

  /// Ends a share, as its program has ended.
  package func close(_ number: Int) {
    #if os(Linux)
      RelayLoop.shared.post(.closeShare("\(root.token).\(number)"))
    #endif
  }

  /// Ends all shares; programs that live on publish their work as their own.
  package func finish() {
    #if os(Linux)
      RelayLoop.shared.post(.closeShare(root.token))
    #endif
  }
}
