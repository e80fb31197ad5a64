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
    // The whole run is cancelled, paused and resumed by its node.
    guard let request = RunRequest(name: control.action, task: control.task), request.isAboutTasks
    else { return nil }
    self = request
  }

  /// The request with a name in messages, and the task that it is about.
  ///
  /// - Returns: The request, nil if there is none.
  init?(name: String, task: String?) {
    switch (Name(rawValue: name), task) {
    case (.pause, nil): self = .pause
    case (.resume, nil): self = .unpause
    case (.cancel, nil): self = .cancel
    case (.cancel, let task?): self = .cancelTask(task)
    case (.retry, let task): self = .retry(task)
    case (.skip, let task): self = .skip(task)
    case (.pause, _?), (.resume, _?), (nil, _): return nil
    }
  }

  /// The name in messages.
  var name: String {
    let name: Name =
      switch self {
      case .pause: .pause
      case .unpause: .resume
      case .cancel, .cancelTask: .cancel
      case .retry: .retry
      case .skip: .skip
      }
    return name.rawValue
  }

  /// The name of the task that it is about, nil if it is about the run, or all tasks on which someone has to decide.
  var task: String? {
    switch self {
    case .pause, .unpause, .cancel: nil
    case .cancelTask(let task): task
    case .retry(let task), .skip(let task): task
    }
  }

  /// Whether only the run knows what is meant, and not its tree.
  private var isAboutTasks: Bool {
    switch self {
    case .pause, .unpause, .cancel: false
    case .cancelTask, .retry, .skip: true
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
      case .cancelTask, .retry, .skip:
        self = .control(ControlRequest(request.name, task: request.task))
      }
    }
  }
#endif

/// The names of the requests in messages.
private enum Name: String {
  case pause
  case resume
  case cancel
  case retry
  case skip
}
