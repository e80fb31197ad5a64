/// The names of the fields in every line.
///
/// A released name keeps its meaning; `docs/events.md` describes each.
package enum EventKey: String, CodingKey, CaseIterable, Sendable {
  /// The name of the event.
  case event
  /// The time of the event.
  case time
  /// The version of the format.
  case version
  /// The name of a task.
  case task
  /// The index of that task.
  case id

  /// The number of an attempt.
  case attempt
  /// The number of attempts.
  case attempts
  /// The machine that carries out an attempt.
  case host
  /// A time limit.
  case limit
  /// The delay before an attempt.
  case delay
  /// The time until a task's new deadline.
  case by
  /// How long a task took.
  case ran
  /// The time that processors have spent on an attempt.
  case cpuTime = "cpu_time"
  /// The memory of the largest process of an attempt.
  case peakMemory = "peak_memory"
  /// How long a service took to get ready.
  case after
  /// Whether a service is ready.
  case ready
  /// Whether a service that is started again was ready before.
  case wasReady = "was_ready"
  /// The number of tasks of a run; in a status, the list of tasks.
  case tasks
  /// The number of tasks that may run at once.
  case workers
  /// The number of lost events.
  case events
  /// The state of a run.
  case status

  /// How an attempt or a task ended.
  case outcome
  /// The kind of failure.
  case failure
  /// An exit code.
  case code
  /// A signal number.
  case signal
  /// The text of a failure, or the reason for the end of a run.
  case reason
  /// The name of the task that a skipped one depends on.
  case needs
  /// The index of that task.
  case needsID = "needs_id"
  /// The name of the task whose failure stopped the run before a skipped one started.
  case stoppedBy = "stopped_by"
  /// The index of that task.
  case stoppedByID = "stopped_by_id"
  /// Whether a skipped task was removed.
  case removed
  /// Whether a task that did not have to run was done in an earlier run.
  case earlier
  /// The value of the condition of a skipped task: always false.
  case condition

  /// The number of tasks that succeeded.
  case succeeded
  /// The number of tasks that were up to date.
  case upToDate = "up_to_date"
  /// The number of tasks that failed.
  case failed
  /// The number of tasks that timed out.
  case timedOut = "timed_out"
  /// The number of cancelled tasks.
  case cancelled
  /// The number of skipped tasks.
  case skipped
  /// The number of tasks whose end is unknown; missing in lines of older versions.
  case lost
  /// The number of tasks that succeeded in an earlier run; missing in lines of older versions.
  case doneEarlier = "done_earlier"

  /// The phase of a task.
  case phase
  /// When the next attempt starts.
  case until
  /// When the first attempt began.
  case firstStart = "first_start"
  /// When the latest attempt began.
  case latestStart = "latest_start"
  /// The active tasks.
  case active
  /// The number of tasks with each outcome.
  case counts
  /// The reason for an early end.
  case ending
  /// Whether a run is paused.
  case paused
  /// The name of the task whose failure holds the run.
  case heldBy = "held_by"
  /// The index of that task.
  case heldByID = "held_by_id"
  /// The duration of a run.
  case total

  /// The fraction of a run that is done.
  case fraction
  /// The median remaining time.
  case remaining
  /// The 10th percentile of the remaining time.
  case low
  /// The 90th percentile of the remaining time.
  case high
  /// The form in which the remaining time is shown.
  case says
  /// The shown remaining time.
  case about
  /// The lower end of a shown range.
  case from
  /// The upper end of a shown range.
  case to
  /// The name of the task that takes much longer than usual.
  case late
  /// The index of that task.
  case lateID = "late_id"
  /// How long that task has run.
  case elapsed
  /// How long that task usually takes.
  case usual

  /// The predicted duration of a run; added by the console.
  case predicted
  /// The name of the plan; added by the console.
  case plan
  /// The name of the earlier run that a run goes on with; added by the console.
  case resumes
  /// Whether the run may succeed without the task; added by the console.
  case optional
  /// The path of a task's log; added by the console.
  case log
  /// A piece of a task's output.
  case text

  /// The nodes of a progress tree.
  case nodes
  /// The nodes that have ended.
  case ended
  /// The number of a node.
  case node
  /// The number of its parent.
  case parent
  /// The units of the parent that the node stands for.
  case units
  /// The name of the work.
  case label
  /// The description of the current step.
  case detail
  /// The kind of work.
  case kind
  /// The number of completed units.
  case completed
  /// The largest fraction that was read, if the fraction has gone back since.
  case peak
  /// Whether the work has ended.
  case finished
  /// Whether the work can be cancelled.
  case cancellable
  /// Whether the work can be paused.
  case pausable
  /// Whether some children are left out.
  case omits
  /// The typed values of a node.
  case values
  /// The sums of the typed values of finished children.
  case finishedValues = "finished_values"
  /// The number of files.
  case totalFiles = "total_files"
  /// The number of completed files.
  case completedFiles = "completed_files"
  /// The number of bytes.
  case totalBytes = "total_bytes"
  /// The number of completed bytes.
  case completedBytes = "completed_bytes"
  /// The units per second.
  case rate
  /// The path of the file that is being processed, or of the one that a publication is about.
  case path
  /// The machines that have not started.
  case waiting
  /// When the first of them is expected to start.
  case start
  /// How they can be started.
  case advice
  /// How many more tasks could run if they had.
  case places
  /// The completed part and the sums of a node, if they do not follow from the nodes.
  case summary
  /// Whether more lines belong to the same moment.
  case more

  /// The number of a process.
  case pid
  /// The name of the program that a process runs.
  case program
  /// The ID of a publication.
  case publication
  /// The name under which work is published.
  case name
  /// What a control request asks for.
  case action
  /// What others may ask the work to do.
  case accepts
  /// What a watcher asks for.
  case request
  /// Whether a watcher wants progress trees.
  case trees
  /// The time between two frames.
  case interval
  /// Whether a request was granted.
  case ok
  /// The kind of refusal.
  case error
  /// The reason for a refusal, for people.
  case message
  /// The share of a process that a program belongs to.
  case share
  /// Units that are added to the completed ones.
  case add
  /// The completed part in percent.
  case percent
}

/// The names of the events.
package enum EventName: String, CaseIterable, Sendable {
  /// The run began.
  case runStarted = "run_started"
  /// An attempt began.
  case taskStarted = "task_started"
  /// Another machine carries out an attempt.
  case taskPlaced = "task_placed"
  /// Machines that were asked for have not started.
  case workersWaiting = "workers_waiting"
  /// A service is ready.
  case taskReady = "task_ready"
  /// An attempt exceeded its time limit.
  case taskOverdue = "task_overdue"
  /// An attempt failed, and another one follows.
  case taskRetrying = "task_retrying"
  /// A task was added.
  case taskAdded = "task_added"
  /// A task extended its deadline.
  case taskExtended = "task_extended"
  /// A task reported its end a second time.
  case taskReportedAgain = "task_reported_again"
  /// A task ended.
  case taskEnded = "task_ended"
  /// The run is ending early.
  case runEnding = "run_ending"
  /// The run was paused.
  case runPaused = "run_paused"
  /// The run was resumed.
  case runResumed = "run_resumed"
  /// The run is held.
  case runHeld = "run_held"
  /// The run continues after it was held.
  case runProceeding = "run_proceeding"
  /// All tasks have ended, and more may be added.
  case queueEmptied = "queue_emptied"
  /// A listener lost events.
  case missed
  /// A new forecast.
  case forecast
  /// The run ended.
  case runEnded = "run_ended"
}

/// The names of the events about the output of tasks.
package enum OutputEventName: String, CaseIterable, Sendable {
  /// A task has written something.
  case taskOutput = "task_output"
}

/// The names of the events about a progress tree.
package enum ProgressEventName: String, CaseIterable, Sendable {
  /// The whole tree.
  case progress
  /// What has changed in it.
  case progressChanged = "progress_changed"
}

/// The names of the other events that a publishing process sends to a watcher.
package enum RelayEventName: String, CaseIterable, Sendable {
  /// The greeting of a publisher.
  case hello
  /// A publication can be watched.
  case publicationBegan = "publication_began"
  /// A publication ended.
  case publicationEnded = "publication_ended"
  /// The answer to a request.
  case answer
}

/// The names of the requests of a watcher.
package enum RelayRequestName: String, CaseIterable, Sendable {
  /// To send the publications that match, now and later.
  case subscribe
  /// To send no more of them.
  case unsubscribe
  /// To cancel work.
  case cancel
  /// To pause work.
  case pause
  /// To resume work.
  case resume
  /// To do something that only work of this kind knows, such as ending one task of a run.
  case control
  /// To show the work of the requesting program below a share.
  case offer
  /// To note what a program says of the progress of a share.
  case tell
}

/// The names of the kinds of failure.
package enum FailureName: String, CaseIterable, Sendable {
  /// The process exited with a code.
  case exited
  /// A signal ended the process.
  case signalled
  /// The attempt could not be started.
  case notStarted = "not_started"
  /// The function threw an error.
  case threw
}

/// The names of the reasons for an early end.
package enum EndReasonName: String, CaseIterable, Sendable {
  /// A task failed.
  case failure
  /// The run was cancelled.
  case cancelled
  /// The run was cancelled immediately.
  case killed
  /// The run exceeded its deadline.
  case deadline
}

/// The names of the forms in which a remaining time is shown.
package enum ShownRemainingName: String, CaseIterable, Sendable {
  /// There is no estimate yet.
  case unknown
  /// One time.
  case about
  /// A range.
  case between
  /// The run takes longer than every estimate.
  case late
}

/// The names of the phases of a task.
package enum PhaseName: String, CaseIterable, Sendable {
  /// No attempt has started.
  case waiting
  /// An attempt is running.
  case running
  /// An attempt has exceeded its time limit.
  case overdue
  /// The task waits for its next attempt.
  case backingOff = "backing_off"
  /// The task has ended.
  case ended
}
