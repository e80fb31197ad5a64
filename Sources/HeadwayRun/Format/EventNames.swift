/// The fields of the format, each with the name that it has in every line.
///
/// A name that was released is never given to anything else; `docs/events.md` says what each holds.
package enum EventKey: String, CodingKey, CaseIterable, Sendable {
  /// The name of the event.
  case event
  /// When it happened.
  case time
  /// The version of the format.
  case version
  /// The name of a task.
  case task
  /// The place of that task.
  case id

  /// The number of an attempt.
  case attempt
  /// The number of attempts.
  case attempts
  /// A time that was allowed.
  case limit
  /// A pause before an attempt.
  case delay
  /// The time that a task has from now on.
  case by
  /// How long a task took.
  case ran
  /// The number of tasks of a run; in a status, the tasks.
  case tasks
  /// The number of tasks that may run at once.
  case workers
  /// The number of events that were lost.
  case events
  /// The state of a run.
  case status

  /// How an attempt or a task ended.
  case outcome
  /// In which way it failed.
  case failure
  /// An exit code.
  case code
  /// The number of a signal.
  case signal
  /// Why it failed in words, or why a run ends.
  case reason
  /// The name of the task that a skipped one needs.
  case needs
  /// The place of that task.
  case needsID = "needs_id"
  /// The name of the task whose failure stopped the run before a skipped one.
  case stoppedBy = "stopped_by"
  /// The place of that task.
  case stoppedByID = "stopped_by_id"
  /// Whether a skipped task was removed.
  case removed

  /// The number of tasks that succeeded.
  case succeeded
  /// The number of tasks that did not have to run.
  case upToDate = "up_to_date"
  /// The number of tasks that failed.
  case failed
  /// The number of tasks that ran out of time.
  case timedOut = "timed_out"
  /// The number of tasks that the end of the run cut off.
  case cancelled
  /// The number of tasks that were never started.
  case skipped

  /// Where a task stands.
  case phase
  /// When the next attempt starts.
  case until
  /// When the first attempt began.
  case firstStart = "first_start"
  /// When the latest attempt began.
  case latestStart = "latest_start"
  /// The tasks with an attempt under way or to come.
  case active
  /// How many tasks ended in which way.
  case counts
  /// Why a run ends early.
  case ending
  /// Whether a run is paused.
  case paused
  /// The name of the task that holds the run.
  case heldBy = "held_by"
  /// The place of that task.
  case heldByID = "held_by_id"
  /// How long a run took.
  case total

  /// The part of a run that is done.
  case fraction
  /// The time that remains.
  case remaining
  /// The time below which one run in ten stays.
  case low
  /// The time below which nine runs in ten stay.
  case high
  /// In which form the remaining time is shown.
  case says
  /// The remaining time as it is shown.
  case about
  /// The least of a remaining time that is shown as a range.
  case from
  /// The most of it.
  case to
  /// The name of the task that takes much longer than usual.
  case late
  /// The place of that task.
  case lateID = "late_id"
  /// How long it has run.
  case elapsed
  /// How long it usually takes.
  case usual

  /// How long a run was to take, which only a surface knows.
  case predicted
  /// The name of the plan, which only a surface knows.
  case plan
  /// Whether the run may succeed without the task, which only a surface knows.
  case optional
  /// The path of a task's log, which only a surface knows.
  case log
}

/// The names of the events.
package enum EventName: String, CaseIterable, Sendable {
  /// The run began.
  case runStarted = "run_started"
  /// An attempt began.
  case taskStarted = "task_started"
  /// An attempt ran out of time.
  case taskOverdue = "task_overdue"
  /// Another attempt follows.
  case taskRetrying = "task_retrying"
  /// A task was added.
  case taskAdded = "task_added"
  /// A task has more time.
  case taskExtended = "task_extended"
  /// A task reported its end again.
  case taskReportedAgain = "task_reported_again"
  /// A task is over.
  case taskEnded = "task_ended"
  /// The run ends early.
  case runEnding = "run_ending"
  /// The run is paused.
  case runPaused = "run_paused"
  /// The run goes on after a pause.
  case runResumed = "run_resumed"
  /// The run is held.
  case runHeld = "run_held"
  /// The run goes on after it was held.
  case runProceeding = "run_proceeding"
  /// Every task is over, and more may come.
  case queueEmptied = "queue_emptied"
  /// A listener lost events.
  case missed
  /// What is to be expected of the run.
  case forecast
  /// The run is over.
  case runEnded = "run_ended"
}

/// The names of the ways to fail.
package enum FailureName: String, CaseIterable, Sendable {
  /// It ended by itself with a code.
  case exited
  /// A signal ended it.
  case signalled
  /// It could not be started.
  case notStarted = "not_started"
  /// Its function threw an error.
  case threw
}

/// The names of the reasons for which a run ends early.
package enum EndReasonName: String, CaseIterable, Sendable {
  /// A task failed.
  case failure
  /// Somebody asked for the end.
  case cancelled
  /// Somebody asked for the end at once.
  case killed
  /// The run took too long.
  case deadline
}

/// The names of the forms in which a remaining time is shown.
package enum ShownRemainingName: String, CaseIterable, Sendable {
  /// Nothing can be said yet.
  case unknown
  /// One time.
  case about
  /// A range.
  case between
  /// Every expectation has passed.
  case late
}

/// The names of where a task can stand.
package enum PhaseName: String, CaseIterable, Sendable {
  /// It has not been started.
  case waiting
  /// An attempt is under way.
  case running
  /// An attempt ran out of time.
  case overdue
  /// The next attempt is waited for.
  case backingOff = "backing_off"
  /// It is over.
  case ended
}
