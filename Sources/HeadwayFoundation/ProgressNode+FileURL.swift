public import Foundation
public import HeadwayProgress

extension ProgressNode {
  /// The file that the work is about, nil for none; it is kept as `ProgressNode.filePath`.
  ///
  /// A URL that is no file URL has no path on this machine, and sets nil.
  ///
  /// - Complexity: O(values of the node): one lock.
  public var fileURL: URL? {
    get { filePath.map { URL(filePath: $0) } }
    set { filePath = newValue.flatMap { $0.isFileURL ? $0.path(percentEncoded: false) : nil } }
  }
}

extension ProgressSnapshot {
  /// The file that the work is about, nil for none.
  public var fileURL: URL? { self[ProgressKeys.FilePath.self].map { URL(filePath: $0) } }

  /// The files that this work and what is below it are about at the moment.
  public var fileURLs: [URL] {
    (sum(of: ProgressKeys.FilePath.self) ?? []).map { URL(filePath: $0) }
  }
}
