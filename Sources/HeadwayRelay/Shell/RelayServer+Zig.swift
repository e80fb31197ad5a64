#if os(Linux)
  internal import HeadwayLibc
  internal import HeadwayProgress
  internal import HeadwaySystem

  /// The pipes through which programs report as those written in Zig do.
  extension RelayServer {
    /// Reads from a pipe from now on.
    func read(_ input: ZigInput) {
      lastZigInput += 1
      guard let token = thread.add(input.descriptor, .zigInput(lastZigInput)) else {
        report(.system("cannot wait for a program", reason: errorDescription(errno)))
        input.end()
        return
      }
      zigInputs[lastZigInput] = (input, token)
    }

    /// Takes what a program has written.
    func zigInputIsReadable(_ number: Int) {
      guard let (input, _) = zigInputs[number] else { return }
      switch input.receive({ report($0) }) {
      case .open: break
      case .ended: closeZigInput(number)
      }
    }

    /// Ends the pipes of a share.
    func closeZigInputs(of share: String) {
      for (number, entry) in zigInputs.sorted(by: { $0.key < $1.key })
      where entry.input.share == share {
        // What was written before the end counts.
        zigInputIsReadable(number)
        closeZigInput(number)
      }
    }

    private func closeZigInput(_ number: Int) {
      guard let (input, token) = zigInputs.removeValue(forKey: number) else { return }
      thread.remove(input.descriptor, token)
      input.end()
    }
  }
#endif
