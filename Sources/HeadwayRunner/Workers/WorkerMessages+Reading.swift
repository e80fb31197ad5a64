// How messages are read; the other end may say anything.

internal import HeadwayRelay
internal import HeadwayRun

extension WorkerRequest {
  /// Reads a request.
  ///
  /// - Parameter message: The message.
  /// - Throws: `MessageError`.
  init(_ message: MessageStream.Message) throws(MessageError) {
    self = try message.read { fields throws in
      switch try fields.text(WorkerField.request) {
      case "begin":
        var setup = WorkerSetup(
          folder: try fields.text(WorkerField.folder),
          identity: try fields.text(WorkerField.identity),
          taskCount: try fields.number(WorkerField.tasks),
          names: try fields.texts(WorkerField.names),
          values: try fields.texts(WorkerField.values),
          patience: try fields.patience(WorkerField.patience),
          earlier: try fields.texts(WorkerField.earlier))
        setup.copiesFiles =
          fields.contains(WorkerField.copies) ? try fields.flag(WorkerField.copies) : false
        setup.cache = fields.contains(WorkerField.cache) ? try fields.text(WorkerField.cache) : nil
        setup.isForServices =
          fields.contains(WorkerField.services) ? try fields.flag(WorkerField.services) : false
        guard setup.names.count == setup.values.count, setup.taskCount >= 0 else {
          throw MessageError(description: "the beginning of a run is not whole")
        }
        return .begin(setup)
      case "start":
        var command = WorkerCommand(
          arguments: try fields.texts(WorkerField.arguments),
          names: try fields.texts(WorkerField.names),
          values: try fields.texts(WorkerField.values),
          directory: fields.contains(WorkerField.directory)
            ? try fields.text(WorkerField.directory) : nil)
        if fields.contains(WorkerField.gpus) {
          command.gpus = try fields.texts(WorkerField.gpus).compactMap { Int($0) }
        }
        if fields.contains(WorkerField.folders) {
          command.folders = try fields.texts(WorkerField.folders)
        }
        if fields.contains(WorkerField.progress) {
          command.hasProgressPipe = try fields.flag(WorkerField.progress)
        }
        guard !command.arguments.isEmpty, command.names.count == command.values.count else {
          throw MessageError(description: "a command is not whole")
        }
        return .start(try fields.attempt(), command)
      case "signal":
        guard let signal = AttemptSignal(name: try fields.text(WorkerField.signal)) else {
          throw MessageError(description: "a signal is unknown")
        }
        return .signal(try fields.attempt(), signal)
      case "release":
        return .release(try fields.attempt(), keepsProcesses: try fields.flag(WorkerField.keeps))
      case "check": return .check(try fields.number(WorkerField.number))
      case "heartbeat": return .heartbeat(try fields.number(WorkerField.number))
      case "forward": return .forward(try fields.number(WorkerField.number), Array(message.payload))
      case "close": return .close(try fields.number(WorkerField.number))
      case "end": return .end
      case let name: throw MessageError(description: "the request '\(name)' is unknown")
      }
    }
  }
}

extension WorkerReply {
  /// Reads a reply.
  ///
  /// - Parameter message: The message.
  /// - Throws: `MessageError`.
  init(_ message: MessageStream.Message) throws(MessageError) {
    self = try message.read { fields throws in
      switch try fields.text(WorkerField.reply) {
      case "refused": return .refused(reason: try fields.text(WorkerField.reason))
      case "begun":
        return .begun(
          folder: fields.contains(WorkerField.folder) ? try fields.text(WorkerField.folder) : nil)
      case "not_started":
        return .notStarted(try fields.attempt(), reason: try fields.text(WorkerField.reason))
      case "output": return .output(try fields.attempt(), Array(message.payload))
      case "progress": return .progress(try fields.attempt(), Array(message.payload))
      case "output_ended": return .outputEnded(try fields.attempt())
      case "exited":
        return .exited(
          try fields.attempt(), try fields.processOutcome(),
          left: try fields.texts(WorkerField.left), usage: try fields.usage())
      case "left": return .left(try fields.attempt(), try fields.texts(WorkerField.left))
      case "checked": return .checked(try fields.number(WorkerField.number))
      case "heartbeat": return .heartbeat(try fields.number(WorkerField.number))
      case "connected": return .connected(try fields.number(WorkerField.number))
      case "forwarded":
        return .forwarded(try fields.number(WorkerField.number), Array(message.payload))
      case "disconnected": return .disconnected(try fields.number(WorkerField.number))
      case "ended": return .ended(strays: try fields.texts(WorkerField.left))
      case let name: throw MessageError(description: "the reply '\(name)' is unknown")
      }
    }
  }
}

extension JSONObject {
  /// Which attempt a message is about.
  fileprivate func attempt() throws -> Attempt {
    let (task, number) = (try self.number(WorkerField.task), try self.number(WorkerField.attempt))
    guard task >= 0, task <= Int(Int32.max), number >= 1 else {
      throw MessageError(description: "there is no attempt \(number) of task \(task)")
    }
    return Attempt(task: TaskID(task), number: number)
  }

  /// What an attempt has used, nil if the worker does not say.
  fileprivate func usage() throws -> ResourceUsage? {
    guard contains(WorkerField.cpuTime) else { return nil }
    return ResourceUsage(
      cpuTime: .nanoseconds(try number(WorkerField.cpuTime, clampedTo: 0...Int.max)),
      peakMemory: contains(WorkerField.memory)
        ? try number(WorkerField.memory, clampedTo: 0...RunLimits.sizeBytes) : nil)
  }

  /// How the own process of an attempt has ended.
  fileprivate func processOutcome() throws -> Outcome {
    if contains(WorkerField.code) {
      return .failed(.exited(code: try number(WorkerField.code, clampedTo: 1...255)))
    }
    if contains(WorkerField.signal) {
      return .failed(.signalled(number: try number(WorkerField.signal, clampedTo: 1...127)))
    }
    if contains(WorkerField.reason) {
      return .failed(.notStarted(reason: try text(WorkerField.reason)))
    }
    return .succeeded
  }
}
