/// The files that reading a plan needs besides the plan itself: those that it includes, and those that match patterns.
///
/// Reading is pure but for this seam. Paths and patterns are as in the plan: relative to its folder unless they are absolute.
package protocol PlanSources {
  /// Reads a file that the plan names.
  ///
  /// - Parameter path: The path as in the plan.
  /// - Returns: The contents, at most `PlanLimits.fileBytes` + 1 bytes.
  /// - Throws: `PlanSourceError` if it cannot be read, or must not be used.
  func contents(of path: String) throws(PlanSourceError) -> [UInt8]

  /// Finds the files that match a pattern.
  ///
  /// - Parameter pattern: The pattern as in the plan.
  /// - Returns: The paths, sorted by bytes, each once; empty if none matches.
  /// - Throws: `PlanSourceError` if there are too many.
  func files(matching pattern: String) throws(PlanSourceError) -> [String]
}

/// The reason why a file that a plan names cannot be used.
package struct PlanSourceError: Error, Hashable, Sendable {
  /// The end of a sentence that begins with the path: `cannot be read: No such file or directory`.
  package var reason: String
  /// Whether there is no such file.
  package var isMissing: Bool

  /// Creates an error.
  package init(reason: String, isMissing: Bool = false) {
    (self.reason, self.isMissing) = (reason, isMissing)
  }
}

/// No files: a plan that refers to others is refused.
package struct NoPlanSources: PlanSources {
  /// Creates the sources.
  package init() {}

  package func contents(of path: String) throws(PlanSourceError) -> [UInt8] {
    throw PlanSourceError(reason: "cannot be read here")
  }

  package func files(matching pattern: String) throws(PlanSourceError) -> [String] {
    throw PlanSourceError(reason: "cannot be searched here")
  }
}
