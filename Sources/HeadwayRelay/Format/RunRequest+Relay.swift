internal import HeadwayProgress
internal import HeadwayRun

extension RunRequest {
  /// What a request for the whole of published work means for a run.
  init(_ request: ProgressMirror.Request) {
    switch request {
    case .cancel: self = .cancel
    case .pause: self = .pause
    case .resume: self = .unpause
    }
  }

  /// What a request means that only a run knows; nil if it means nothing.
  init?(_ control: ControlRequest) {
    switch (ControlAction(rawValue: control.action), control.task) {
    case (.cancel, let task?): self = .cancelTask(task)
    case (.retry, let task): self = .retry(task)
    case (.skip, let task): self = .skip(task)
    case (.cancel, nil), (nil, _): return nil
    }
  }
}

#if os(Linux)
  extension RelayClient.Question.Body {
    /// How a request to a run is asked of its publication.
    init(_ request: RunRequest) {
      switch request {
      case .pause: self = .node(nil, .pause)
      case .unpause: self = .node(nil, .resume)
      case .cancel: self = .node(nil, .cancel)
      case .cancelTask(let task):
        self = .control(ControlRequest(ControlAction.cancel.rawValue, task: task))
      case .retry(let task):
        self = .control(ControlRequest(ControlAction.retry.rawValue, task: task))
      case .skip(let task):
        self = .control(ControlRequest(ControlAction.skip.rawValue, task: task))
      }
    }
  }
#endif

/// The requests that only a run knows, by their names in the protocol.
private enum ControlAction: String {
  case cancel
  case retry
  case skip
}
